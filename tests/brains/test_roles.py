"""Each role in which a model is asked has its own model, way of answering and budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from autocraft.agent.account import Account, MeteredBrain
from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.brains.choose import BrainChoice, store_exchange
from autocraft.brains.openai import OpenAIBrain
from autocraft.brains.priced import PricedBrain
from autocraft.brains.profiles import profile_settings
from autocraft.errors import BrainError, LimitReached, UsageError
from autocraft.protocols import Message
from autocraft.session.events import Goals
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.settings.config import Config
from autocraft.settings.fields import ROLES
from autocraft.settings.settings import Settings
from autocraft.text.prompts import Prompt
from autocraft.text.redact import Mask
from tests.brains.stand_in import Reply, StandIn, fault, streamed
from tests.brains.test_abilities import refusing, unsupported
from tests.conftest import STONE_PICKAXE, Place, kinds

pytestmark = pytest.mark.sampled(12)

TABLES = """
[models.smart]
model = "big"
effort = "medium"
reply_tokens = 900
max_tokens = 5000
[models.fast]
model = "small"
temperature = 0.9
[models.action]
model = "coder"
temperature = 0.2
effort = "high"
verbosity = "low"
[models.critic]
verbosity = "high"
"""


def own_file(folder: Path, text: str) -> None:
    """The person's own settings, which need no consent."""
    path = folder / ".config" / "autocraft" / "autocraft.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def choice(folder: Path, text: str, profile: str = "", flags: Any = None, **environment: str) -> BrainChoice:
    own_file(folder, text)
    environment.setdefault("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    flags = {"state_dir": folder / "state", **(flags or {})}
    config = Config(Settings(flags, environment, folder=folder, profile=profile, builtin=profile_settings))
    return BrainChoice.of(config.run, config.openai, config.models, folder)


def models(chosen: BrainChoice) -> dict[str, str]:
    return {role: own.model for role, own in chosen.roles.items()}


def asked(stand_in: StandIn, folder: Path, text: str, *roles: str) -> list[dict[str, Any]]:
    """What the endpoint got after questions in these roles."""
    chosen = choice(folder, text, OPENAI_BASE_URL=stand_in.url)
    brain = OpenAIBrain(chosen.endpoint, roles=chosen.roles, abilities_file=chosen.abilities)

    async def go() -> None:
        for role in roles:
            await brain.think([Message("user", "u")], role=role)
        await brain.close()

    asyncio.run(go())
    names = ("model", "temperature", "reasoning_effort", "verbosity")
    return [{name: sent[name] for name in names if name in sent} for sent in stand_in.requests]


def test_the_request_of_each_role_carries_its_settings_or_those_it_takes_over(
    stand_in: StandIn, tmp_path: Path
) -> None:
    sent = dict(zip(ROLES, asked(stand_in, tmp_path, TABLES, *ROLES), strict=True))
    big, small = {"model": "big", "reasoning_effort": "medium"}, {"model": "small", "temperature": 0.9}
    assert sent == {
        "smart": big,
        "action": {"model": "coder", "temperature": 0.2, "reasoning_effort": "high", "verbosity": "low"},
        "curriculum": big,
        "critic": big | {"verbosity": "high"},
        "fast": small,
        "question": small,
        "describe": small,
    }
    stand_in.requests.clear()
    plain = asked(stand_in, tmp_path, "[openai]\ntemperature = 0.5\n", *ROLES)
    assert plain == [{"model": "gpt-5-mini", "temperature": 0.5} for _ in ROLES], "without a table"


def test_a_budget_is_the_role_s_own_and_the_room_of_an_answer_is_shared(tmp_path: Path) -> None:
    roles = choice(tmp_path, TABLES).roles
    assert {role: own.max_tokens for role, own in roles.items() if own.max_tokens} == {"smart": 5000}
    assert [roles[role].reply_tokens for role in ("smart", "action", "fast")] == [900, 900, None]


REFUSALS: Mapping[str, tuple[Reply, tuple[str, ...]]] = {
    "as OpenAI says it": (unsupported("reasoning_effort"), ("reasoning_effort",)),
    "as Ollama says it": (fault(400, '"coder" does not support thinking'), ("reasoning_effort",)),
    "another parameter that does not go with it": (
        fault(400, "Unsupported value: temperature is not supported with reasoning_effort high", param="temperature"),
        ("temperature",),
    ),
    "verbosity": (unsupported("verbosity"), ("verbosity",)),
    "it does not say what": (fault(400, "Bad Request"), ("reasoning_effort", "verbosity")),
}


@pytest.mark.parametrize("words", REFUSALS)
def test_what_an_endpoint_refuses_is_left_out_from_the_second_time(
    stand_in: StandIn, tmp_path: Path, words: str
) -> None:
    reply, refused = REFUSALS[words]
    stand_in.refuse = refusing(**{refused[-1]: reply})
    sent = asked(stand_in, tmp_path, TABLES, "action", "action")
    full = {"model": "coder", "temperature": 0.2, "reasoning_effort": "high", "verbosity": "low"}
    assert sent[0] == full and len(sent) == 2 + len(refused)
    assert sent[-1] == sent[-2] == {name: value for name, value in full.items() if name not in refused}
    stand_in.requests.clear()
    assert asked(stand_in, tmp_path, TABLES, "action") == sent[-1:], "a later run knows it from the file"


@pytest.mark.parametrize(
    ("profile", "flags", "environment", "expected"),
    [
        ("", {}, {}, ("big", "coder", "big")),
        ("", {"smart_model": "flag"}, {}, ("flag", "coder", "flag")),
        ("", {}, {"SMART_LLM_MODEL": "variable"}, ("variable", "coder", "variable")),
        ("mine", {}, {}, ("of the profile", "coder of the profile", "of the profile")),
        ("ollama", {}, {}, ("", "", "")),
        ("ollama", {"smart_model": "flag"}, {}, ("flag", "flag", "flag")),
    ],
)
def test_the_nearest_source_names_the_model(
    tmp_path: Path, profile: str, flags: dict[str, Any], environment: dict[str, str], expected: tuple[str, ...]
) -> None:
    mine = '[profile.mine.openai]\nsmart_model = "of the profile"\n'
    mine += '[profile.mine.models.action]\nmodel = "coder of the profile"\n'
    chosen = choice(tmp_path, TABLES + mine, profile, flags, **environment)
    assert tuple(models(chosen)[role] for role in ("smart", "action", "critic")) == expected


def test_a_flag_or_variable_of_the_same_name_is_not_of_a_role(tmp_path: Path) -> None:
    chosen = choice(tmp_path, "", flags={"max_tokens": 7}, AUTOCRAFT_MAX_COST="7", AUTOCRAFT_MODEL="x")
    assert {(own.max_tokens, own.max_cost) for own in chosen.roles.values()} == {(None, None)}
    assert set(models(chosen).values()) == {""}, "the first model on offer"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models.acton]\n", "[models.acton] in autocraft.toml is not a section (did you mean models.action?)"),
        ("[models]\naction = 1\n", "models.action in autocraft.toml is not a table: write [models.action] above"),
        (
            "[models.action]\nefort = 'low'\n",
            "models.action.efort in autocraft.toml is not a setting: did you mean effort?",
        ),
        (
            "[profile.p.models.critic]\nmodle = 'x'\n",
            "models.critic.modle in the profile is not a setting: did you mean model?",
        ),
        (
            "[models.action]\neffort = 'hihg'\n",
            "models.action.effort in autocraft.toml is 'hihg': did you mean high? choose none, ",
        ),
        ("[models.fast]\nverbosity = 'loud'\n", "models.fast.verbosity in autocraft.toml is 'loud': "),
        ("[models.critic]\nmax_tokens = 0\n", "models.critic.max_tokens in autocraft.toml is 0: give more than 0"),
        ("[models.critic]\nmax_cost = 'much'\n", "models.critic.max_cost in autocraft.toml is 'much', but a number"),
    ],
)
def test_a_misspelt_role_key_or_word_is_one_line(place: Place, text: str, said: str) -> None:
    (place.folder / "autocraft.toml").write_text(text)
    profile = ("--profile", "p") if "profile" in text else ()
    done = place.run("run", *STONE_PICKAXE, "-c", *profile)
    assert done.returncode == 2 and done.stderr.startswith(f"autocraft: {said}"), done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unknown_model_is_mended_where_its_role_says_it(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.refuse = lambda request: fault(404, "The model does not exist", code="model_not_found")
    for role, where in (("action", "models.action.model in autocraft.toml"), ("question", "FAST_LLM_MODEL")):
        with pytest.raises(BrainError, match=f"(?i)set {where}"):
            asked(stand_in, tmp_path, TABLES, role)


# ---------------------------------------------------------------- what the roles use


def test_each_role_has_the_price_of_its_model(tmp_path: Path) -> None:
    url = {"OPENAI_BASE_URL": "https://api.openai.com/v1", "OPENAI_API_KEY": "sk-1234567890"}
    text = '[models.action]\nmodel = "gpt-5.5"\n'
    prices = choice(tmp_path, text, **url).prices(needed=True)
    assert {role: price and price.prompt for role, price in prices.items()} == {
        role: {"smart": 0.25, "fast": 0.05}[base] for role, base in ROLES.items()
    } | {"action": 5.0}
    unknown = '[models.action]\nmodel = "mystery"\n'
    assert choice(tmp_path, unknown, **url).prices(needed=False)["action"] is None
    for text, needed, limit in (
        (unknown, True, "--max-cost"),
        (f"{unknown}max_cost = 1\n", False, "models.action.max_cost"),
    ):
        with pytest.raises(UsageError, match=f"^{limit}: the price of mystery is unknown"):
            choice(tmp_path, text, **url).prices(needed=needed)


def test_a_role_whose_budget_is_used_up_says_so_also_after_a_resume(stand_in: StandIn, tmp_path: Path) -> None:
    text = "[models.critic]\nreply_tokens = 50\nmax_tokens = 70\n"
    text += "[models.question]\nreply_tokens = 50\nmax_cost = 0.00006\n"
    chosen = choice(tmp_path, text, flags={"price_in": 0.5, "price_out": 1.0}, OPENAI_BASE_URL=stand_in.url)

    async def ask(state: State, *roles: str) -> list[str]:
        """Ask once in each role. Return the limits that were reached."""
        journal = Journal(tmp_path)
        journal.listeners.append(state.apply)
        journal.replay(Events(tmp_path))
        if journal.seq == 0:
            journal.append(Goals(goals=(), options={}, world={}))
        brain = OpenAIBrain(chosen.endpoint, roles=chosen.roles)
        priced = PricedBrain(brain, chosen.prices(needed=False), chosen.roles)
        model, question = MeteredBrain(priced, [Account(Limits(), state, journal)]), Message("user", Prompt("why?"))
        reached = []
        for role in roles:
            try:
                await model.ask([question], role, 2000, "asked")
            except LimitReached as error:
                reached.append(str(error))
        await brain.close()
        journal.close()
        return reached

    state = State()
    reached = asyncio.run(ask(state, "critic", "question", "critic", "question", "curriculum"))
    assert [sent["max_tokens"] for sent in stand_in.requests] == [50, 50, 2000], "two calls were not sent"
    assert reached[0].startswith("models.critic.max_tokens 70: 18 are used, and the next call may take 5")
    assert reached[1].startswith("models.question.max_cost 6e-05: $0.0000 is used, and the next call may cost $0.00")
    assert all(
        f"raise it under [models.{role}] in" in text for role, text in zip(("critic", "question"), reached, strict=True)
    )
    assert state.totals.roles.keys() == {"critic", "question", "curriculum"}
    for spent in state.totals.roles.values():
        assert (spent.tokens, round(spent.cost, 9)) == (18, 0.0000125)
    resumed = State()
    assert asyncio.run(ask(resumed, "critic")) == reached[:1]
    again = State()
    again.restore(json.loads(json.dumps(resumed.to_json())))
    assert again.totals.roles == state.totals.roles


@pytest.mark.parametrize(("limit", "sent"), [(2020, 1), (2040, 2)])
def test_calls_at_the_same_time_do_not_break_a_limit_together(
    tmp_path: Path, stand_in: StandIn, limit: int, sent: int
) -> None:
    """The second call waits for the first, which takes 18 tokens of the 2,006 that it may take."""
    chosen = choice(tmp_path, "", OPENAI_BASE_URL=stand_in.url, OPENAI_RETRIES="0")

    async def ask() -> list[Any]:
        journal, state = Journal(tmp_path), State()
        journal.listeners.append(state.apply)
        brain = OpenAIBrain(chosen.endpoint, roles=chosen.roles)
        priced = PricedBrain(brain, chosen.prices(needed=False), chosen.roles)
        whole = Account(Limits(max_tokens=limit), state, journal)
        bots = [MeteredBrain(priced, [Account(Limits(), State(), journal), whole]) for _ in range(2)]
        asked = [bot.ask([Message("user", Prompt("why?"))], "smart", 2000, "asked") for bot in bots]
        ends = await asyncio.gather(*asked, return_exceptions=True)
        assert not whole.calls and state.totals.usage.total == 18 * sent
        await brain.close()
        journal.close()
        return ends

    ends = asyncio.run(ask())
    assert len(stand_in.requests) == sent
    assert [type(end) for end in ends if isinstance(end, BaseException)] == [LimitReached] * (2 - sent), ends


def test_a_run_uses_the_settings_and_the_budget_of_smart_and_fast(place: Place, stand_in: StandIn) -> None:
    own_file(place.folder, TABLES)
    stand_in.replies = [streamed('{"command": {"name": "craft_item", "args": {"name": oak_planks"}}')]
    flags = ("run", *STONE_PICKAXE, "-c", "--json")
    done = place.run(*flags, "--max-steps", "1", OPENAI_BASE_URL=stand_in.url)
    assert done.returncode == 3, done.stderr
    assert [(sent["model"], sent["max_tokens"]) for sent in stand_in.requests] == [("big", 900), ("small", 3600)]
    assert ["response_format" in sent for sent in stand_in.requests] == [True, False], "a repair may answer null"
    used = [(event["type"], event["role"]) for event in kinds(place.events(), "answer", "expense")]
    assert used == [("answer", "smart"), ("expense", "fast")]
    own_file(place.folder, TABLES.replace("5000", "100"))
    stand_in.requests.clear()
    done = place.run(*flags, OPENAI_BASE_URL=stand_in.url)
    assert done.returncode == 3 and stand_in.requests == []
    why = place.events()[-1]["why"]
    assert why.startswith("models.smart.max_tokens 100: 0 are used, and the next call may take "), why


def test_the_answers_that_were_counted_apart_are_counted_at_a_resume(place: Place) -> None:
    broken = ['{"command": {"name": "craft_item", "args": {"name": oak_planks"}}']
    broken.append(broken[0].replace("oak_planks", "stick"))
    mended = [
        json.dumps({"command": {"name": "craft_item", "args": {"name": name}}}) for name in ("oak_planks", "stick")
    ]
    script = place.script(*({"text": text} for text in broken), *({"text": text, "role": "fast"} for text in mended))
    flags = ("-c", "--brain", "scripted", "--script", script)
    place.run("run", *STONE_PICKAXE, *flags, "--max-steps", "1")
    place.run("run", "--resume", "last", *flags, "--max-steps", "2")
    assert [event["args"]["name"] for event in kinds(place.events(), "intent")] == ["oak_planks", "stick"]


@pytest.mark.parametrize(
    ("line", "asks"), [("temperature = 0.1", False), ("max_cost = 5", False), ("model = 'm'", True)]
)
def test_a_folder_s_file_names_no_model_of_a_role_unasked(place: Place, line: str, asks: bool) -> None:
    (place.folder / "autocraft.toml").write_text(f"[models.action]\n{line}\n")
    done = place.run("run", *STONE_PICKAXE, "-c")
    assert (done.returncode, "sets models.action.model" in done.stderr) == ((2, True) if asks else (0, False))
    place.confirm()
    assert place.run("run", *STONE_PICKAXE, "-c").returncode == 0, "the control"


def test_a_request_never_takes_the_file_of_another(tmp_path: Path) -> None:
    stored = partial(store_exchange, tmp_path / "debug", Mask())
    for number in (1, 2):
        stored({"request": number})
    (tmp_path / "debug" / "0001.json").unlink()
    (tmp_path / "debug" / "notes.json").touch()
    stored({"request": 3})
    files = {path.name: path.read_text() for path in (tmp_path / "debug").glob("0*.json")}
    assert files == {"0002.json": '{"request":2}\n', "0003.json": '{"request":3}\n'}
