"""`autocraft run --plan-only`: one line for each command that would come, with what would become of it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from autocraft.agent.plan_only import Foreseen
from autocraft.protocols import Json
from autocraft.text.sanitize import clean_json, clean_line, exact_json

_BY = {
    "continuous": "without a question, since --continuous is given",
    "auto-look": "without a question, since it only reads",
    "question": "without a question, since it is one itself",
}


def foreseen_lines(found: Sequence[Foreseen], *, as_json: bool) -> list[str]:
    """For a person, or one JSON object a line for a program."""
    if as_json:
        return [clean_json(json.dumps(_record(n, each), ensure_ascii=False)) for n, each in enumerate(found, 1)]
    lines = []
    for number, each in enumerate(found, 1):
        if each.call is None or each.judged is None:
            lines.append(f"{number:>3}. an answer that cannot be used: {clean_line(each.error)[:300]}")
            continue
        shown = exact_json(json.dumps(each.call.args, ensure_ascii=False, default=str))
        lines.append(f"{number:>3}. {each.call.name} {shown} ({each.call.risk.label})")
        lines.append(f"   {_verdict(each)}")  # less far in than what a terminal's width breaks off a command
    return [*lines, "Nothing was carried out."]


def _verdict(each: Foreseen) -> str:
    judged = each.judged
    assert judged is not None
    why = clean_line(judged.why)
    match judged.then:
        case "run":
            return f"would run: {why}" if judged.rule else f"would run {_BY.get(judged.by, judged.by)}"
        case "ask":
            return f"would be asked: {why}" if why else "would be asked"
    return f"would be refused: {why}"


def _record(number: int, each: Foreseen) -> Json:
    call, judged = each.call, each.judged
    if call is None or judged is None:
        return {"n": number, "error": each.error}
    rule = None if judged.rule is None else {"number": judged.rule.number, "text": judged.rule.text}
    record: Json = {"n": number, "command": call.name, "args": call.args, "risk": call.risk.label}
    return record | {"then": judged.then, "by": judged.by, "rule": rule, "why": judged.why}
