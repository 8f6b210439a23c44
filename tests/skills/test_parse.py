"""What the parser sees in a program, and how it refuses what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.errors import CommandError
from autocraft.skills.known import known_names, outlook
from autocraft.skills.parse import MOST_BYTES, parse

CODE = """// a comment may stand first
'use strict';
async function ensure(bot, n) {
  for (let i = 0; i < n; i++) { await mineBlock(bot, "oak_log", 1); }
  while (true) { if (n) break; }
}
function pure(a, { b, c: [d] }, ...e) { var q = 1; for (const v of e) { q += v; } return q + a + b + d; }
async function craftX(bot) {
  bot.chat("hi"); await ensure(bot, 2); await craftItem(bot, "stick", 1); await craftTable(bot);
  const kind = (each) => each.name === "cow"; bot.nearestEntity(kind); bot.entity.position.offset(1, 2, 3).x;
  try { null.x } catch (fault) { console.log(fault, Math.PI, arguments.length) }
  bot?.equip(pure(1, {}), "hand"); bot["fish"](); new Vec3(1, 2, 3); `${kind}`;
  await new Promise((done) => { do { done() } while (0) });
}
"""
STEALS = """async function steals(bot) {
  bot._client.write(1); bot[key].z(); process.exit(); await import("fs"); setTimeout(spin, 1);
  const other = bot;
  const { inventory } = bot;
  later(other, bot); eval?.("1");
  counter = 1; // \u202e
}
"""


def test_the_parts_of_a_program() -> None:
    found = parse(CODE)
    assert (found.main, found.helpers) == ("craftX", ("ensure", "pure"))
    assert found.makes == ("oak_log", "stick")
    assert found.bot == ("chat", "nearestEntity", "entity.position.offset", "equip", "fish")
    assert found.blind_loops == (5, 13)
    assert (found.handed_on, found.hidden) == ((), ())
    seen = outlook(found, ["craftTable", "ensure"])
    assert (seen.primitives, seen.skills, seen.unknown) == (("mineBlock", "craftItem"), ("craftTable",), ())
    assert outlook(found, []).unknown == ("craftTable",)


def test_what_nobody_offers_is_named_wherever_it_hides() -> None:
    found = parse(STEALS)
    unknown = set(outlook(found, []).unknown)
    named = {"bot._client.write", "process", "import", "spin", "later", "eval", "counter"}
    assert unknown == named | {"bot.[…].z", "key"}
    assert found.handed_on == (3, 4, 5)
    assert found.hidden == (6,)
    assert found.unnamed == (2,)


def test_await_before_a_bracket_is_no_call() -> None:
    body = "for (;;) { await (async () => { bot.chat('x') })() }\nreturn await (bot).dig(1)"
    found = parse(f"async function f(bot) {{\n{body}\n}}")
    assert (found.free, found.blind_loops, found.handed_on) == ((), (), (3,))


def test_to_declare_bot_is_not_to_hand_it_on_but_a_default_may() -> None:
    rows = ["async function a(bot, n = 1, { deep = true } = {}, ...rest) {}", "function b(c, d = bot) {}"]
    found = parse("\n".join([*rows, "async function f(bot) { await a(bot) }"]))
    assert (found.main, found.handed_on) == ("f", (2,))


def test_a_name_that_reads_as_another_is_pointed_at() -> None:
    rows = ["b\\u006ft.dig(x);", "bot.d\\u{69}g(x);", "let \u3164 = 1;", "craftItem(bot, 'stick' + '', 1);", "'\\n';"]
    found = parse("async function f(bot) {\n" + "\n".join(rows) + "\nplaceItem(bot, name, x) }")
    assert found.hidden == (2, 3, 4)
    assert parse("// a\r\nasync function f(bot) { // b\r\n// c\rbot.chat('d') }").hidden == (3,)
    assert (found.computed, found.makes, found.places) == ((5, 7), (), ())
    assert {"b\\u006ft", "name", "x"} == set(outlook(found, []).unknown) - {"bot.d\\u{69}g"}


@pytest.mark.parametrize(
    ("body", "free"),
    [
        ("{ let x = 1; } x;", {"x"}),
        ("{ var x = 1; } x;", set()),
        ("function f() { var x = 1; } x;", {"x"}),
        ("const f = function g() { g(); }; g();", {"g"}),
        ("class A { m() { A; this.b; } } new A();", set()),
        ("for (const [k, { v = w }] of []) k + v; k;", {"w", "k"}),
        ("for (var k in {}) {} k;", set()),
        ("switch (1) { case 1: let y; } y;", {"y"}),
        ("try {} catch ({ message }) { message } message;", {"message"}),
        ("({ a, b: c, [d]: 1, e() {} });", {"a", "c", "d"}),
        ("x => x; (y, { z }) => y + z; async w => w;", set()),
        ("label: for (;;) { break label; }", set()),
        ("tag`${t}`;", {"tag", "t"}),
        ("a?.b.c[d.e];", {"a", "d"}),
    ],
)
def test_a_name_is_free_where_no_scope_around_it_declares_it(body: str, free: set[str]) -> None:
    assert set(parse(f"async function main(bot) {{ {body} }}").free) == free


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", "the program is empty"),
        ("hello there", "line 1: syntax error"),
        ("async function a(bot) {\n  if ( }\n", "line 2: syntax error at `if (`"),
        ("async function a(bot) {\n  await x();\n", "line 2: } is missing"),
        ("let x = 1;", "line 1: only functions may stand at the top of a program, not `let x = 1;`"),
        ("async function a(bot) {}\na(0);", "line 2: only functions may stand at the top"),
        ("const a = async (bot) => {};", "line 1: only functions"),
        ("class A {}", "line 1: only functions"),
        ("// nothing", "no function is in the program"),
        ("function a(bot) {}", "no async function: the main function must be `async function a"),
        ("async function a(robot) {}", "no async function takes a single argument named bot"),
        ("async function a(bot, n) {}", "no async function takes a single argument named bot"),
        ("async function* a(bot) {}", "single argument named bot"),
        ("async function a({ bot }) {}", "single argument named bot"),
        ("function a(bot) {\n  await x();\n}\nasync function b(bot) {}", "line 2: await is in a function that is"),
        ("async function a(bot) { [].map((x) => { await x; }) }", "line 1: await is in a function"),
        ("async function a(bot) { let x; const x = 1; }", "line 1: x is declared twice in one block"),
        ("async function a(bot) {}\nasync function a(bot) {}", "line 2: two functions are called a"),
        ("async function a(bot) { '\ud800' }", "half a character"),
        (f"async function a(bot) {{ {'x;' * MOST_BYTES} }}", "a program may have 65,536 bytes"),
    ],
)
def test_what_is_no_program_is_refused_with_line_and_reason(code: str, said: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse(code)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("other", "no function is called other, the last one is two; give both the same name"),
        ("help", "line 1: help must be `async function help(bot)`, with bot alone"),
    ],
)
def test_the_main_function_has_the_skills_name(name: str, said: str) -> None:
    code = "function help(bot, n) {}\nasync function one(bot) {}\nasync function two(bot) {}"
    with pytest.raises(CommandError) as caught:
        parse(code, name)
    assert said in str(caught.value)
    assert (parse(code, "one").main, parse(code).main) == ("one", "two")


@pytest.mark.parametrize(
    "deep",
    ["(" * 20_000 + "1" + ")" * 20_000, "[" * 20_000 + "]" * 20_000, "x" + ".a" * 30_000,
     "if(1){" * 9_000 + "}" * 9_000, "-" * 60_000 + "1", "let a;" * 10_000, "for(;;)" * 9_000 + ";",
     "(()=>" * 10_000 + "1" + ")" * 10_000],
    ids=["parentheses", "arrays", "members", "blocks", "signs", "lets", "loops", "arrows"],
)  # fmt: skip
@pytest.mark.sampled(2)
def test_no_nesting_is_too_deep(deep: str) -> None:
    """Read or refused with a reason, never a fault."""
    try:
        assert parse(f"async function a(bot) {{ {deep} }}").main == "a"
    except CommandError as error:
        assert str(error).startswith("line 1: ")


@given(st.text(max_size=300) | st.text(alphabet="(){}[]`'\"/*;,.=>asyncbot \n\\$", max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    for code in (text, f"async function a(bot) {{ {text} }}"):
        try:
            assert parse(code).main
        except CommandError as error:
            assert str(error)


def test_the_known_names_are_those_of_the_list() -> None:
    api = known_names()
    assert {"craftItem", "exploreUntil", "checkItemInsideChest"} <= api.primitives
    assert api.has_path("entity.position.offset")
    assert not api.has_path("entity.mount")
    assert not api.has_path("inventory")
    assert not {"eval", "require", "process", "fetch", "Function", "globalThis"} & api.in_scope
