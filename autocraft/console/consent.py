"""Asks the person whether a settings file of a folder may count."""

from __future__ import annotations

import json
import os
import socket
import sys

from autocraft.console.attended import is_attended
from autocraft.console.ctrl_c import watch_ctrl_c
from autocraft.console.pages import print_page
from autocraft.errors import UsageError
from autocraft.settings.settings import unconfirmed
from autocraft.settings.trust import FileToConfirm, Power
from autocraft.text.redact import REMOVED, Mask, passwords_in
from autocraft.text.sanitize import clean_line, exact_json

MOST_SHOWN = 50
"""The most settings in one question. More would scroll important ones away."""


def confirm(asked: FileToConfirm) -> None:
    """Show the settings with power in a file, and record the person's consent. Raises UsageError without consent."""
    file, powers, mask = asked.file, asked.powers, asked.settings.own_mask
    is_change = asked.state == "changed"
    refusal = unconfirmed(file.path, [power.name for power in powers[:MOST_SHOWN]], is_change)
    if not is_attended():
        raise UsageError(refusal)
    if len(powers) > MOST_SHOWN:
        many = f"{len(powers):,} settings that need your consent"
        raise UsageError(f"{file.path} sets {many}, too many to be shown: shorten it")
    path = clean_line(str(file.path.absolute()))
    rows = [f"{path} has changed since you confirmed it." if is_change else f"{path} is new to autocraft."]
    if powers:
        rows += ["It has settings that need your consent:", *(_row(mask, power) for power in powers)]
        rows += ["With this, whoever wrote the file can run programs as you, or get your keys."]
        rows += ["Read it before you agree."]
    else:
        rows += ["It has no setting that needs your consent. What you confirmed before, such as your rules, is gone."]
    print_page("\n".join(rows), mask)
    if not typed_yes("Type yes to use this file until it changes; anything else refuses"):
        raise UsageError(refusal)
    asked.record.keep(file)


def _row(mask: Mask, power: Power) -> str:
    """Return a setting with its value, without its secrets."""
    value = json.dumps(power.value, ensure_ascii=False, default=str)
    plain_secret = power.secret and "://" not in value
    without_passwords = Mask(passwords_in(value)).text(value)  # the host stays visible
    text = REMOVED if plain_secret else exact_json(mask.text(without_passwords))
    key = f"  (your {power.key} is sent where this says)" if power.key else ""
    return f"    {clean_line(power.name)} = {text}{key}"


def typed_yes(question: str) -> bool:
    """Ask, and return whether the answer is yes. Raises KeyboardInterrupt."""
    return typed_line(question) == "yes"


def typed_line(question: str) -> str:
    """Ask, and return one line that was typed after the question. Raises KeyboardInterrupt.

    The colon is drawn last: what is typed once it can be seen is an answer.
    """
    with watch_ctrl_c() as signals:
        print(question, end="", flush=True)
        _forget_typed()
        print(": ", end="", flush=True)
        _wait_for_line(signals)
        return sys.stdin.buffer.readline().strip().decode("utf-8", "replace")


if os.name == "nt":
    import msvcrt

    def _forget_typed() -> None:
        while msvcrt.kbhit():  # type: ignore[attr-defined,unused-ignore]
            msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]

    def _wait_for_line(signals: socket.socket) -> None:
        """Do nothing: the console ends its wait by itself at Ctrl-C."""
else:
    import select
    import termios

    def _wait_for_line(signals: socket.socket) -> None:
        """Wait until a line can be read. A signal ends the wait, and its handler runs then."""
        while sys.stdin not in select.select([sys.stdin, signals], [], [])[0]:
            signals.recv(1)

    def _forget_typed() -> None:
        """Drop the input so far, once the question is on its way to the screen."""
        termios.tcdrain(sys.stdout.fileno())
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
