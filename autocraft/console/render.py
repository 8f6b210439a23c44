"""The person's view: events in Auto-GPT's words, with untrusted text cleaned and indented.

Only autocraft's own lines begin at the left edge, so text of a model, a file or a player cannot forge one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

from autocraft.agent.state import State
from autocraft.console.arguments import below, format_arguments
from autocraft.console.choices import AGAIN, choices_of
from autocraft.console.paint import coloured_rows, styled
from autocraft.console.report import said_by
from autocraft.console.settings import ConsoleSettings
from autocraft.console.wrap import INDENT, wrap_row
from autocraft.goals import held
from autocraft.json_fix.reply import wrong_with
from autocraft.protocols import JUDGE, NOBODY, PERSON, PROGRAM, Call, Delta, Json, Proposal, Risk
from autocraft.session.events import (
    Answer,
    Decision,
    End,
    Event,
    Feedback,
    InvalidReply,
    Line,
    Note,
    Progress,
    Reply,
    Result,
)
from autocraft.text.phrases import FAILS, LOSS, NETWORK, RUNS_PROGRAM, UNDOABLE, count, some_of
from autocraft.text.sanitize import clean, clean_line

QUESTION = (
    "Enter 'y' to authorise command, 'y -N' to run N continuous commands, 'n' to {leave}, "
    "or enter feedback for {name}..."
)
SHORTLY = "Enter {lines}, or enter feedback for {name}..."
BRIEFLY = "Enter 'y' for {command} as above, 'n', or enter feedback for {name}..."
AUTHORISED = {
    "person": "-=-=-=-=-=-=-= COMMAND AUTHORISED BY USER -=-=-=-=-=-=-=",
    "web": "-=-=-=-=-=-=-= COMMAND AUTHORISED BY USER ON THE PAGE -=-=-=-=-=-=-=",
    "budget": "COMMAND AUTHORISED BY USER (AUTHORISED COMMANDS LEFT: {left})",
    "allowed": "COMMAND AUTHORISED BY USER (always for {whom})",
    "auto-look": "COMMAND AUTHORISED (it only reads)",
    "policy": "COMMAND AUTHORISED BY RULE {rule} OF YOUR POLICY",
    JUDGE: "COMMAND AUTHORISED BY A MODEL (words stand beside it, and it found that the answer means it)",
    "grant": "",
    "continuous": "",
}


BOUNDS = {
    Risk.LOOK: "while it only looks",
    Risk.CHANGE: "as long as it destroys nothing",
    Risk.DESTROY: "whatever it destroys",
}
"""Risk at which a command was allowed for good -> how far that goes."""
FOLD = 40
"""The most rows of one result or preview on the screen. /page shows the rest."""
BRIEF = 8
"""The most rows of what a model says beside its command. --verbose shows the rest."""
MOST_ITEMS = 8
"""The most kinds of items in the last lines of a run. `autocraft report` shows all."""
BELOW = 9
"""Rows of a window that stand below a command: the question, on a narrow one in parts, the status line, the input."""


class Screen:
    """Draws events and questions. `terminal` means colour and wrapping; a pipe gets neither, a `window` without colour
    is only wrapped. A live part takes pieces of answers by `on_delta`, and shows where a command is."""

    hint = "Answer in words; '?' shows what else you can type."

    def __init__(
        self,
        write: Callable[[str], None],
        ai_name: str,
        state: State | None = None,
        settings: ConsoleSettings | None = None,
        *,
        terminal: bool,
        window: bool = False,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> None:
        self._write = write
        self._ai_name = clean_line(ai_name)
        self._state = state or State()
        self._settings = settings or ConsoleSettings()
        self._terminal = terminal
        self._window = window or terminal
        self._on_delta = on_delta
        self._waited = ""
        self._answers: dict[str, Answer] = {}
        """The newest answer of each agent."""
        self.folded = ""
        """The last text that was shown in part, cleaned, for /page."""
        self._drawn = self._asked = 0
        """Rows so far, and those before the question that stands."""
        self._answered = False
        """Whether the person has answered a question of this run, and so knows what can be typed."""

    # ------------------------------------------------------------ what the person asks for

    def say(self, text: str, style: str = "") -> None:
        """Show rows that may quote untrusted text. The caller cleans them; they are wrapped and indented here."""
        self._print([(self._wrap(text), style)])

    def question(self, proposal: Proposal, again: str, brief: bool = False) -> None:
        """Show the command to be authorised, and the possible answers.

        A `brief` question is on the screen already. A window shows only its last row again, if the rest is in sight.
        """
        if brief and self._window and self._drawn - self._asked < self._size().lines - BELOW:
            if again != AGAIN:
                self.say(again, "magenta")
            self._instruct(proposal, brief=True)
            return
        self._asked = self._drawn
        if again:
            self.say(again, "magenta")
        if proposal.call is None:
            self.say(clean_line(f"{proposal.bot}: {proposal.why}" if proposal.bot else proposal.why), "bold magenta")
            self._instruct(proposal)
            return
        agent = clean_line(proposal.bot) or _helper(proposal.call.agent)
        self._rule()
        before = self._drawn
        self._next_action(proposal.call, _who_wants(agent), proposal.preview)
        self._block("THE ANSWER SAYS:", self._fold(proposal.call.doubt, FOLD), "bold magenta")
        if proposal.why:
            self.say(f"({clean_line(proposal.why)})", "magenta")
        rows = self._drawn - before
        if self._window and rows > self._size().lines - BELOW:  # nothing else may stand in for the line that has left
            self.say(
                f"The command is {proposal.call.name}: its line stands {rows} rows above this one.", "bold magenta"
            )
        self._instruct(proposal)
        self._rule()

    def _rule(self) -> None:
        """Frame the question. A pipe and a screen reader get no frame."""
        if self._terminal:
            mark = "─" if ((sys.stdout and sys.stdout.encoding) or "").lower().startswith("utf") else "-"
            self._print([(mark * (self._size().columns - 1), "dim")])

    def _instruct(self, proposal: Proposal, *, brief: bool = False) -> None:
        """Say which answers the question takes, in one row after the person has answered once."""
        choices = choices_of(proposal)
        if proposal.call is None:
            self._print(
                [("   ".join([*(f"{each.line}: {each.label}" for each in choices), "or enter feedback"]), "bold")]
            )
            return
        agent = clean_line(proposal.bot) or _helper(proposal.call.agent)
        name = "the agent" if agent == PROGRAM else agent or self._ai_name
        if brief:
            self.say(BRIEFLY.format(command=clean_line(proposal.call.name), name=name), "bold")
        elif self._answered and self._window and not agent:  # what n ends is said each time for others
            lines = ", ".join(f"'{each.line}'" for each in choices)
            self.say(SHORTLY.format(lines=lines, name=name), "bold")
        else:
            leave = next(each.label for each in choices if each.value == "stop")
            self.say(QUESTION.format(leave=leave, name=name), "bold")

    def asks(self, question: str, again: str, bot: str = "") -> None:
        """Show a question of the model, to be answered in words. `bot` is the one that asks, empty for the first."""
        if again:
            self.say(again, "magenta")
        self._block(f"{(clean_line(bot) or self._ai_name).upper()} ASKS:", question, "bold cyan")
        self.say(self.hint, "bold")

    def delta(self, delta: Delta) -> None:
        """Show once what the brain waits for. Pieces of an answer belong to the live part alone."""
        if self._on_delta is not None:
            self._on_delta(delta)
            return
        reason = delta.text.rstrip("0123456789 s.") if delta.kind == "wait" else ""
        if reason and reason != self._waited:
            self.say(clean_line(delta.text), "magenta")
        self._waited = reason or self._waited

    # ------------------------------------------------------------ events

    def event(self, event: Event) -> None:
        """Draw one event, unless it is drawn elsewhere or not at all."""
        match event:
            case Answer():
                self._answer(event)
            case Reply() if not self._settings.quiet:
                self._reply(event)
            case InvalidReply():
                self._block("ERROR:", wrong_with(event.error, event.flags), "red")
                text = said_by(self._answers.pop(event.actor, None))
                self._block("THE MODEL SAID:", self._fold(text, FOLD if self._settings.verbose else BRIEF), "dim")
            case Decision():
                self._decision(event)
            case Progress() if not self._settings.quiet:
                self._progress(event)
            case Result():
                self._result(event)
            case Feedback() if event.by or not event.bot:  # each bot with a model hears what the person typed
                by = f"{clean_line(event.by)} says by chat: " if event.by else ""
                self._block("FEEDBACK:", self._fold(f"{by}{event.text}", BRIEF), "cyan")
            case Line():
                who = f"{event.bot}: " if event.bot else ""
                self.say(clean_line(who + event.text), "dim")
                if self._settings.verbose and isinstance(event, Note):
                    self._block("TRACE:", event.trace, "dim")
            case End():
                self._end(event)

    def _answer(self, event: Answer) -> None:
        self._waited = ""
        self._answers[event.actor] = event
        if event.reasoning and not self._settings.quiet:
            self._block("REASONED:", self._fold(event.reasoning, FOLD if self._settings.verbose else BRIEF), "dim")
        usage = event.usage
        if (usage.total or self._settings.verbose) and not self._settings.quiet:
            about = "~" if usage.estimated else ""
            cost = "$?" if event.cost is None else f"${event.cost:.4f}"
            totals = self._state.totals
            total = f"${totals.cost:.4f}" if totals.cost_known else "$?"
            hits = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
            tokens = f"{about}{usage.prompt_tokens} tokens sent{hits}, {about}{usage.completion_tokens} received"
            sums = f"in all {totals.usage.total} tokens, {total}"
            who = f"{clean_line(event.bot)}, " if event.bot else ""
            self.say(f"{who}step {event.turn}: {tokens}, {cost}, {event.seconds:.1f} s; {sums}", "dim")

    def _reply(self, event: Reply) -> None:
        thoughts = event.thoughts if isinstance(event.thoughts, dict) else {}
        if event.stage != "plain":
            flags = f" ({', '.join(event.flags)})" if event.flags else ""
            self.say(f"The answer was repaired: {event.stage}{clean_line(flags)}", "magenta")
        self._print([("", "")])
        who = _helper(event.actor) or self._ai_name
        self._block(f"{who.upper()} THOUGHTS:", thoughts.get("text"), "dim")
        self._block("REASONING:", thoughts.get("reasoning"), "dim")
        if event.steps:
            self._print([("PLAN:", "dim")])
        for step in event.steps:
            self._block("-", step, "dim")
        self._block("CRITICISM:", thoughts.get("criticism"), "dim")
        self._block("SPEAK:", thoughts.get("speak"), "bold", whole=False)

    def _decision(self, event: Decision) -> None:
        self._answered |= event.by in PERSON
        if not event.command or event.args is None:
            return
        agent = _helper(event.actor)
        if event.kind == "run":
            if event.by not in (*PERSON, "question", "reply"):
                in_grant = event.agent == PROGRAM and event.by in ("grant", "continuous")
                who = f"The {agent} runs:" if in_grant else _who_wants(agent)
                self._next_action(event, who, event.preview)
            rule = (event.rule or {}).get("number")
            whom = "this program" if agent == PROGRAM else f"agent {agent}" if agent else "this session"
            line = AUTHORISED.get(event.by, "").format(left=event.left, rule=rule, whom=whom)
            if line:
                self.say(line, "green")
            if event.always:
                bounds, ends = BOUNDS[event.risk or Risk.LOOK], "" if agent else "; /stop ends it"
                self.say(f"For {whom} {event.command} now runs without a question, {bounds}{ends}.", "green")
            self._block("FEEDBACK:", self._fold(event.feedback, BRIEF), "cyan")
            if event.why and event.feedback:
                self.say(clean_line(event.why), "magenta")
        elif event.kind == "refuse":
            if event.by == "policy" or (
                event.doubted and event.by in (JUDGE, NOBODY)
            ):  # there was no question, so it was not shown yet
                self._next_action(event, _who_wants(agent))
            why = event.why or "your feedback goes to the model"
            self.say(f"{event.command} was not run: {clean_line(why)}", "magenta")

    def _progress(self, event: Progress) -> None:
        """Show what a program has printed. Where there is no status line, show where the command is too."""
        self._block("PROGRAM SAYS:", self._fold(event.output.rstrip("\n"), BRIEF), "dim")
        if event.line and self._on_delta is None:
            self.say(f"{clean_line(event.command)}: {clean_line(event.line)}", "dim")

    def _result(self, event: Result) -> None:
        if event.end == "reply":
            return  # the main agent's command shows it at once
        name, agent = event.command, _helper(event.actor)
        if agent:
            name = f"{name} of {'the' if event.agent == PROGRAM else 'agent'} {agent}"
        start = f"Command {name} returned: " if event.ok else f"Command {name} threw the following error: "
        self._block("SYSTEM:", start + self._fold(event.text, FOLD), "" if event.ok else "red")

    def _end(self, event: End) -> None:
        kinds = {0: ("GOAL REACHED", "bold green"), 5: ("IMPOSSIBLE", "bold magenta"), 4: ("STOPPED", "bold")}
        label, style = kinds.get(event.exit, (event.reason.replace("_", " ").upper(), "bold red"))
        label = "LEARNED" if event.reason == "learned" else label
        self._block(f"{label}:", event.why, style)
        goals = [thing for goal in self._state.goals for thing, _ in goal.items]
        names = sorted(event.inventory, key=lambda name: (not any(held(thing, {name: 1}) for thing in goals), name))
        items = [f"{event.inventory[name]} {name}" for name in names]
        self._block("INVENTORY:", some_of(items, MOST_ITEMS, "more kind", "more kinds") or "empty", "")
        repairs = sum(n for stage, n in event.stages.items() if stage not in ("plain", "invalid"))
        tokens = f"{event.tokens} tokens{' (estimated)' if event.estimated else ''}, " if event.tokens else ""
        cost = "cost unknown" if event.cost is None else f"${event.cost:.4f}"
        repair_words = f"{count(repairs, 'broken answer')} repaired, " if repairs else ""
        counts = [count(event.turns, "turn"), count(event.errors, "error")]
        if event.judged:
            counts.append(f"{count(event.judged, 'command')} judged by a model")
        self.say(f"{', '.join(counts)}, {repair_words}{tokens}{cost}", "dim")
        if event.exit and event.resume:
            self.say(f"Resume with: {event.resume}", "dim")

    # ------------------------------------------------------------ drawing

    def _next_action(self, command: Call | Decision, who: str, preview: str = "") -> None:
        """Show the whole command, what it can do and its preview. A text that the preview shows whole is shown once."""
        if who:
            self._print([(who, "bold yellow")])
        name = command.name if isinstance(command, Call) else command.command
        args, warning = command.args or {}, "" if preview.startswith(FAILS) else _warning(command)
        whole = below(args, preview, self._room())
        text = format_arguments(args, whole)
        lost = command.risk is Risk.DESTROY and warning and not warning.endswith((UNDOABLE, NETWORK, RUNS_PROGRAM))
        style = "bold red" if lost else "bold cyan"
        self._block("NEXT ACTION:", f"COMMAND = {name}  ARGUMENTS = {text}", style)
        if warning:
            self.say(f"This command {clean_line(warning)}.", "red" if lost else "yellow")
        self._preview(preview if whole else self._fold(preview, FOLD), args)

    def _room(self) -> int:
        """Return the columns for a row of a preview. A pipe has no end."""
        return max(20, self._size().columns - 3 * len(INDENT)) if self._window else sys.maxsize

    def _preview(self, preview: str, args: Json) -> None:
        """Show a diff or the text of a file, coloured, with every row indented."""
        if not preview:
            return
        text = clean(preview).rstrip("\n")
        if not self._terminal:
            self._print([(INDENT + self._wrap(text, len(INDENT)).replace("\n", f"\n{INDENT}"), "")])
            return
        file, room = args.get("file"), self._room()
        rows = coloured_rows(text, file if isinstance(file, str) else "", room)
        rows = rows or [part for row in text.split("\n") for part in wrap_row(row, room)]
        for row in rows:
            self._print([(INDENT + row, "")])

    def _fold(self, text: str, most: int) -> str:
        """Return at most so many rows, with the number of the others and of what they lack. /page shows everything."""
        rows = str(text).rstrip("\n").split("\n")
        if len(rows) <= most and len(text) <= most * 400:
            return str(text)
        self.folded = clean(str(text))
        shown = (row if len(row) <= 400 else f"{row[:400]} [{len(row) - 400} more characters]" for row in rows[:most])
        rest = f"{len(rows) - most} more rows" if len(rows) > most else "the rest of long rows"
        return "\n".join(shown) + f"\n[{rest}, {len(text)} characters in all; /page shows everything]"

    def _block(self, label: str, text: Any, style: str, *, whole: bool = True) -> None:
        """Print a label, then untrusted text with its further lines indented. The style may be for the label alone."""
        if text is None or text == "":
            return
        rows = clean(str(text)).rstrip("\n").replace("\n", f"\n{INDENT}")
        drawn = self._wrap(f"{label}  {rows}")
        self._print([(drawn, style)] if whole else [(label, style), (drawn[len(label) :], "")])

    def _wrap(self, text: str, margin: int = 0) -> str:
        """Wrap rows for a window here, so that no part of an untrusted text begins at the left edge."""
        if not self._window:
            return text
        room = self._size().columns - margin
        return "\n".join(part for row in text.split("\n") for part in wrap_row(row, room))

    def _size(self) -> os.terminal_size:
        """Return the size of the terminal itself, not of the environment: a wrong width would break the indents."""
        try:
            columns, lines = os.get_terminal_size(1)
        except OSError:
            return shutil.get_terminal_size()
        return os.terminal_size((columns or 80, lines or 24))

    def _print(self, parts: Sequence[tuple[str, str]]) -> None:
        """Print one line of autocraft, in parts of (text, style)."""
        line = "".join(styled(text, style) if self._terminal else text for text, style in parts) + "\n"
        self._drawn += line.count("\n")
        self._write(line)


def _helper(agent: str) -> str:
    """Return the name of the helper of an event; empty for the main agent and the person."""
    return "" if agent in ("main", "person") else clean_line(agent)


def _warning(command: Call | Decision) -> str:
    """Return the warning of a command. Where there is none, its risk decides."""
    return command.warning or (LOSS if command.risk is Risk.DESTROY else "")


def _who_wants(agent: str) -> str:
    """Return the line above a command that the main agent did not propose."""
    if not agent:
        return ""
    return "The program wants:" if agent == PROGRAM else f"Agent {agent} wants:"
