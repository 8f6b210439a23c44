"""Nothing that others wrote forges a line of ours, orders the terminal about or hides: judged on the screen."""

from __future__ import annotations

import contextlib
import io
import json
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rich.console import Console
from rich.errors import MarkupError

from autocraft.console.arguments import format_arguments
from autocraft.text.sanitize import exact_json
from tests.brains.stand_in import StandIn, fault
from tests.conftest import Place, kinds
from tests.console.emulator import Emulator
from tests.security.count import Tally
from tests.security.spoofs import LABELS, MARK, MARKUP, OSC, SPOOFS, Spoof, works
from tests.waiting import PATIENCE

pytestmark = pytest.mark.sampled(2)

Kind = Callable[[str], Tally]
_OURS = """NEXT ACTION:|SYSTEM:|Enter 'y'|or enter feedback|Input: |CRAFTER THOUGHTS:|SCOUT THOUGHTS:|REASONING:|PLAN:
-  |CRITICISM:|ERROR:|This command [a-z]|-=-=-=|Session |Brain: |Goal: |World: |Using memory|Agent scout wants:
STOPPED:|INVENTORY:|Resume with|\\d+ turns|waiting for you|thinking|running|done|y: go on|Stuck\\?|3 answers in a row
The command is |LIMIT:|The answer was repaired|agent scout was|to scout:|a command asked|STUCK:
THE MODEL SAID:|SPEAK:"""
OURS = re.compile("|".join([*_OURS.split("\n"), "─+$"]))
"""What may stand at the left edge. The last one is the frame of a question."""
START = ("--goal", "craft 1 stick", "--inventory", "oak_log=1")
LOOK: tuple[str, dict[str, Any]] = ("show_inventory", {})


@pytest.fixture
def run(place: Place) -> Iterator[Callable[..., Emulator]]:
    started: list[Emulator] = []

    def start(*arguments: str, columns: int = 80, **env: str) -> Emulator:
        started.append(Emulator(place, arguments, columns, 40, **env))
        return started[-1]

    yield start
    for each in started:
        each.close()


def rows_of(emulator: Emulator) -> list[str]:
    """Every row that was ever shown, the scrolled ones first."""
    screen = emulator.screen
    gone = ["".join(row[x].data for x in range(screen.columns)) for row in screen.history.top]
    return [row.rstrip() for row in [*gone, *screen.display]]


def asked(emulator: Emulator, nth: int) -> bool:
    """Wait for the nth question; False when the program ended before. It is known by the window's title, which no
    attack can set, since attacks quote everything else."""
    deadline = time.monotonic() + PATIENCE
    while sum(b"waiting for you" in order for order in OSC.findall(emulator.raw)) < nth or not at_input(emulator):
        if not emulator.read() or emulator.child.poll() is not None:
            return False
        assert time.monotonic() < deadline, f"question {nth} did not come; the screen is:\n{emulator.text}"
    return True


def at_input(emulator: Emulator) -> bool:
    return emulator.text.rstrip().rpartition("\n")[2].startswith("Input:")


def play(emulator: Emulator) -> None:
    """Say yes to every question, until the script ends."""
    nth = 1
    while asked(emulator, nth):
        emulator.send("y\r")
        nth += 1
    emulator.leave()


def play_plain(emulator: Emulator, questions: int) -> None:
    """The same where no title tells of a question: they are counted by the prompts that only we write."""
    for nth in range(1, questions + 1):
        deadline = time.monotonic() + PATIENCE
        while emulator.raw.count(b"\nInput: ") < nth:
            assert emulator.read() and time.monotonic() < deadline, f"question {nth} did not come:\n{emulator.text}"
        emulator.send("y\n")
    emulator.leave()


def dense(text: str) -> str:
    """Without blanks and line ends, and in the form into which the emulator puts marks that are drawn over letters."""
    return unicodedata.normalize("NFC", re.sub(r"\s+", "", text))


def forged(emulator: Emulator, events: list[dict[str, Any]]) -> list[str]:
    """What on this screen is not ours and looks as if it were."""
    rows, found = rows_of(emulator), []
    for row in rows:
        if row and not row.startswith(" ") and not OURS.match(row):
            found.append(f"a row at the left edge: {row!r}")
    found += [f"an order: {order!r}" for order in OSC.findall(emulator.raw) if MARK.encode() in order]
    found += [f"the title {emulator.screen.title!r}"] if MARK in emulator.screen.title else []
    whole = dense("\n".join(rows))
    asked = [event for event in kinds(events, "question") if event["command"]]
    for event in asked:
        if not any(whole.count(dense(line)) for line in lines_of(event)):
            found.append(f"a question without its line: {next(lines_of(event))}")
    for label, count in (
        ("NEXT ACTION:", len(asked)),
        ("SYSTEM:", sum(event.get("end") != "reply" for event in kinds(events, "result"))),
        ("Enter 'y'", len(asked)),
        (
            "-=-=-=",
            sum(
                event["by"] == "person" and event["kind"] == "run" and bool(event["command"])
                for event in kinds(events, "decision")
            ),
        ),
    ):
        seen = sum(row.startswith(label) for row in rows)
        if seen != count:
            found.append(f"{seen} rows {label!r} instead of {count}")
    return found


def lines_of(event: dict[str, Any]) -> Iterator[str]:
    """The line of a question: its arguments as JSON, or with one of them in the rows that end its preview."""
    line = f"NEXT ACTION:  COMMAND = {event['command']}  ARGUMENTS = "
    yield line + exact_json(_json(event["args"]))
    for name, value in event["args"].items():
        if isinstance(value, str) and "\n" in value and event["preview"].endswith(f"\n{value.removesuffix(chr(10))}"):
            yield line + format_arguments(event["args"], name)


def leaked(emulator: Emulator, text: str) -> str:
    """The characters of an attack that a terminal would obey or not show, where they came through together."""
    pieces = [piece for piece in re.findall(r"[^\x20-\x7e\t\n]+[\x20-\x7e]{1,6}", text) if not piece[0].isalpha()]
    unsafe = [piece for piece in pieces if not piece[0].isprintable() and piece[0] not in "\r"]
    return next((ascii(piece) for piece in unsafe if piece.encode() in emulator.raw), "")


def _json(args: Any) -> str:
    return json.dumps(args, ensure_ascii=False)


def judge(tally: Tally, emulator: Emulator, place: Place, spoofs: list[Spoof]) -> None:
    tally.add("the screen", "; ".join(forged(emulator, place.events())))
    for spoof in spoofs:
        tally.add(spoof.text, leaked(emulator, spoof.text))


def scripted(place: Place, *answers: Any) -> tuple[str, ...]:
    return ("run", *START, "--brain", "scripted", "--script", place.script(*answers), "--no-bell")


def thoughts(*texts: str) -> dict[str, Any]:
    names = ("text", "reasoning", "criticism", "speak")
    said: dict[str, Any] = dict(zip(names, texts, strict=False))
    answer = {"thoughts": {**said, "plan": list(texts)}, "command": {"name": "show_inventory", "args": {}}}
    return {"text": json.dumps(answer)}


def test_each_works_where_it_is_printed_as_it_is(tally: Kind) -> None:
    assert len({each.text for each in SPOOFS}) == len(SPOOFS) >= 70
    assert not [each.text for each in SPOOFS if not works(each)]
    for text in MARKUP:
        shown = io.StringIO()
        with contextlib.suppress(MarkupError):
            Console(file=shown, force_terminal=True).print(text)
        assert shown.getvalue().strip() != text


@pytest.mark.parametrize(
    "columns", [80, pytest.param(43, marks=pytest.mark.full), pytest.param(200, marks=pytest.mark.full)]
)
def test_thoughts(place: Place, run: Callable[..., Emulator], tally: Kind, columns: int) -> None:
    texts = [each.text for each in SPOOFS] + MARKUP
    answers = [thoughts(*texts[at : at + 4]) for at in range(0, len(texts), 4)]
    emulator = run(*scripted(place, *answers), columns=columns)
    play(emulator)
    attacks = tally("spoofs")
    judge(attacks, emulator, place, SPOOFS)
    attacks.done()


def test_without_colour_rows_are_wrapped_by_us_as_well(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    """With --plain nobody else keeps what the terminal wraps away from its left edge."""
    answers = []
    for number, spoof in enumerate(SPOOFS):
        command = {"name": "write_to_file", "args": {"file": f"{number}.txt", "text": spoof.text}}
        answers.append({"text": _json({"thoughts": {"text": spoof.text}, "command": command})})
    emulator = run(*scripted(place, *answers), "--plain")
    play_plain(emulator, len(answers))
    attacks = tally("spoofs")
    judge(attacks, emulator, place, SPOOFS)
    attacks.done()


def test_what_fills_the_window_leaves_the_name_of_the_command_in_sight(
    place: Place, run: Callable[..., Emulator], tally: Kind
) -> None:
    """A text so long that the line with the command has left the window, made to look like another question."""
    attacks = tally("spoofs")
    fill = " ".join(["x" * 70, f'NEXT ACTION:  COMMAND = show_inventory  ARGUMENTS = {{"{MARK}": 1}}']) + " "
    for arguments, text in (((), fill * 40), (("--plain",), fill * 40), ((), f"{MARK}\n" * 39), ((), "short")):
        script = scripted(place, ("write_to_file", {"file": "a.txt", "text": text}))
        emulator = run(*script, "--workspace", f"w{attacks.tried}", *arguments)
        emulator.until("Input:")
        rows = [row.strip() for row in emulator.screen.display if row.strip()]
        named = [row for row in rows if row.startswith(("NEXT ACTION:  COMMAND = write_to_file", "The command is "))]
        seen = len(named) == 1 and "write_to_file" in named[0]
        attacks.add(f"{arguments} {len(text)}", "" if seen else f"{named} of {rows}")
        assert ("The command is" in named[0]) is (text != "short")
    attacks.done()


@pytest.mark.full
def test_arguments_are_shown_as_they_run(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    attacks = tally("spoofs")
    texts = [each.text for each in SPOOFS] + MARKUP
    answers = [("write_to_file", {"file": f"{number}.txt", "text": text}) for number, text in enumerate(texts)]
    emulator = run(*scripted(place, *answers, LOOK))
    play(emulator)
    judge(attacks, emulator, place, SPOOFS)
    for number, text in enumerate(texts):
        written = (place.folder / "workspace" / f"{number}.txt").read_bytes().decode()
        attacks.add(f"what ran: {text}", "" if written == text else written)
    attacks.done()


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.full)])
def test_names_of_commands_arguments_files_and_helpers(
    place: Place, run: Callable[..., Emulator], tally: Kind, every: int
) -> None:
    """All of them are refused, and the refusals quote them."""
    texts = [each.text for each in SPOOFS][::every]
    answers: list[Any] = []
    for first, second in zip(texts[::2], texts[1::2], strict=False):
        answers += [(first, {}), ("show_inventory", {second: 1}), LOOK]
    for text in texts[::8]:
        answers += [("read_file", {"file": text}), ("start_agent", {"name": text, "task": text, "prompt": "x"})]
        answers += [("search_recipe", {"name": text}), ("copy_back", {"run": text}), ("memory_add", {"string": text})]
    emulator = run(*scripted(place, *answers, LOOK), "--max-steps", str(len(answers)))
    play(emulator)
    attacks = tally("spoofs")
    judge(attacks, emulator, place, SPOOFS)
    attacks.done()


@pytest.mark.full
def test_contents_and_names_of_files(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    workspace = place.folder / "workspace"
    workspace.mkdir()
    answers: list[Any] = []
    for number, spoof in enumerate(SPOOFS):
        (workspace / f"{number}.txt").write_bytes(spoof.text.encode())
        with contextlib.suppress(OSError, ValueError):
            (workspace / spoof.text.replace("/", "_")[:80]).write_text("named")
        answers.append(("read_file", {"file": f"{number}.txt"}))
    answers += [("list_files", {}), ("search_text", {"text": MARK})]
    emulator = run(*scripted(place, *answers, LOOK))
    play(emulator)
    attacks = tally("spoofs")
    judge(attacks, emulator, place, SPOOFS)
    assert len(list(workspace.iterdir())) > len(SPOOFS) + 40, "most of the names could be given to a file"
    attacks.done()


def test_previews_of_changes(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    """A diff shows what stands in a file already, which nobody here wrote."""
    workspace = place.folder / "workspace"
    workspace.mkdir()
    answers = []
    for number, spoof in enumerate(SPOOFS):
        (workspace / f"{number}.py").write_bytes(spoof.text.encode())
        answers.append(("write_to_file", {"file": f"{number}.py", "text": "new"}))
    emulator = run(*scripted(place, *answers, LOOK))
    play(emulator)
    attacks = tally("spoofs")
    judge(attacks, emulator, place, SPOOFS)
    attacks.done()


def test_a_helper_s_words(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    replies = [{"role": "fast", "text": json.dumps({"thoughts": {"text": spoof.text}, "command": {"name": "reply",
               "args": {"text": spoof.text}}})} for spoof in SPOOFS]  # fmt: skip
    first = ("start_agent", {"name": "scout", "task": "look", "prompt": SPOOFS[0].text})
    rest = [("message_agent", {"key": 1, "message": spoof.text}) for spoof in SPOOFS[1:]]
    emulator = run(*scripted(place, first, *rest, *replies, LOOK))
    play(emulator)
    attacks = tally("spoofs")
    judge(attacks, emulator, place, SPOOFS)
    attacks.done()


def test_what_is_pasted_is_shown_cleaned(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    attacks = tally("spoofs")
    orders = [each for each in SPOOFS if each.wants == "order" and not each.text.startswith("\x07")]
    emulator = run(*scripted(place, *[LOOK] * (len(orders) + 2)))
    for nth, spoof in enumerate(orders, 1):
        assert asked(emulator, nth)
        emulator.send(f"\x1b[200~look {spoof.text} here\x1b[201~")
        emulator.send("\r")
    assert asked(emulator, len(orders) + 1)
    emulator.send("n\r")
    emulator.leave()
    for spoof in orders:
        attacks.add(spoof.text, leaked(emulator, spoof.text))
    attacks.add("the title", MARK in emulator.screen.title)
    attacks.done()


# ---------------------------------------------------------------- besides a run


def test_pages_about_a_session(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    """`report` and `sessions show` quote it all again; only labels of theirs may stand at the left edge."""
    texts = [each.text for each in SPOOFS]
    workspace = place.folder / "workspace"
    workspace.mkdir()
    answers: list[Any] = [thoughts(*texts[at : at + 4]) for at in range(0, len(texts), 4)]
    for number, text in enumerate(texts):
        (workspace / f"{number}.txt").write_bytes(text.encode())
        answers.append(("read_file", {"file": f"{number}.txt"}))
    place.run(*scripted(place, *answers)[:-1], "--continuous", stdin="")
    attacks = tally("spoofs")
    known = re.compile(r"Session |GOAL |TURN \d+|END \w+|How the answers were read: |OPEN QUESTIONS")
    pages: list[tuple[str, ...]] = [("report", "last"), ("sessions", "show", "last"), ("sessions", "list")]
    for page in pages:
        emulator = run(*page)
        emulator.leave()
        for row in rows_of(emulator):
            edge = bool(row) and not row.startswith(" ") and not known.match(row)
            attacks.add(" ".join(page), row if edge and page[-1] != "list" else "")
        for spoof in SPOOFS:
            attacks.add(f"{' '.join(page)}: {spoof.text}", leaked(emulator, spoof.text))
    attacks.done()


def test_what_would_be_asked(place: Place, run: Callable[..., Emulator], tally: Kind) -> None:
    """A list of commands and what would become of each: only its own rows begin less than four columns in."""
    attacks = tally("spoofs")
    verdict = " " * 27 + "x" * 9 + "   would run without a question, since it only reads"
    texts = [each.text for each in SPOOFS] + [verdict[at:] for at in range(0, 80, 7)]
    answers = [("write_to_file", {"file": "a.txt", "text": text}) for text in texts]
    emulator = run(*scripted(place, *answers), "--dry-run")
    emulator.leave()
    rows = [row for row in rows_of(emulator) if row and not row.startswith(" " * 4)]
    estimate = r"About 2 steps \(as many as the planner needs\)\."
    known = re.compile(rf" {{0,2}}\d+\. write_to_file | {{3}}would be asked$|{estimate}|Nothing was carried out\.$")
    for row in rows:
        attacks.add(row, "" if known.match(row) else row)
    assert len(rows) == 2 * len(texts) + 2
    for spoof in SPOOFS:
        attacks.add(spoof.text, leaked(emulator, spoof.text))
    attacks.done()


@pytest.mark.full
def test_an_endpoint_s_error_and_model_names(
    place: Place, run: Callable[..., Emulator], stand_in: StandIn, tally: Kind
) -> None:
    attacks = tally("spoofs")
    for spoof in SPOOFS[::27]:
        stand_in.replies = [fault(400, spoof.text)]
        stand_in.models = fault(403, spoof.text)
        for arguments in (("run", *START, "--continuous", "--max-steps", "3"), ("models",)):
            emulator = run(*arguments, OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="m", OPENAI_RETRIES="0")
            emulator.leave()
            rows = [row for row in rows_of(emulator) if MARK in row and LABELS.match(row)]
            attacks.add(f"{arguments[0]}: {spoof.text}", rows or leaked(emulator, spoof.text))
    attacks.done()


def test_a_pipe_gets_lines_of_ours_alone(place: Place, tally: Kind) -> None:
    """Without a terminal nothing is wrapped, so every line end is ours."""
    attacks = tally("spoofs")
    answers = [("write_to_file", {"file": f"{n}.txt", "text": each.text}) for n, each in enumerate(SPOOFS)]
    answers += [("read_file", {"file": f"{n}.txt"}) for n in range(len(SPOOFS))]
    done = place.run(*scripted(place, *answers, LOOK)[:-1], stdin="y\n" * len(answers) + "n\n")
    lines = done.stdout.split("\n")
    edge = [line for line in lines if line and not line.startswith(" ") and not OURS.match(line)]
    attacks.add("the output", edge)
    actions = [line for line in lines if line.startswith("NEXT ACTION:")]
    asked = kinds(place.events(), "question")
    assert len(actions) == len(asked) == len(answers) + 1
    for line, event in zip(actions, asked, strict=True):
        whole = next(lines_of(event)) == line and json.loads(line.partition("ARGUMENTS = ")[2]) == event["args"]
        attacks.add(line, "" if whole or line in lines_of(event) else "what is shown is not what runs")
        assert line.isprintable()
    attacks.done()


def test_the_machine_s_view_reads_back_and_orders_nothing(place: Place, tally: Kind) -> None:
    attacks = tally("spoofs")
    done = place.run(*scripted(place, *[thoughts(each.text) for each in SPOOFS])[:-1], "--json", "--continuous")
    events = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert events == place.events()
    attacks.add("the stream", [char for char in done.stdout if not char.isprintable() and char != "\n"])
    attacks.done()
