"""A session in ATIF, the trajectory format of Harbor, whose RFC 0001 describes it.

A turn is a step of the agent with its command as a tool call. Goals and feedback are steps of the user, everything else
beside the turns is a step of the system.
"""

from __future__ import annotations

from datetime import UTC, datetime

from autocraft import __version__
from autocraft.protocols import Json
from autocraft.report.story import Step, Story
from autocraft.session.events import Reply

VERSION = "ATIF-v1.4"
_SOURCES = {"goal": "user", "feedback": "user", "turn": "agent"}


def trajectory(story: Story, session: str) -> Json:
    """Return the trajectory as JSON values."""
    options = story.options
    agent: Json = {"name": "autocraft", "version": __version__, "extra": {"world": options.get("world", "")}}
    if model := options.get("smart_model") or options.get("brain"):
        agent["model_name"] = str(model)
    steps = [_step(number, step) for number, step in enumerate(story.steps, 1)]
    final: Json = {
        "total_prompt_tokens": story.usage.prompt_tokens,
        "total_completion_tokens": story.usage.completion_tokens,
        "total_steps": len(steps),
        "extra": {"reason": story.end.reason if story.end else "unfinished", "stages": dict(story.stages)},
    }
    if story.dollars is not None:
        final["total_cost_usd"] = story.dollars
    return {
        "schema_version": VERSION,
        "session_id": session,
        "agent": agent,
        "steps": steps,
        "final_metrics": final,
        "extra": {"goals": story.goals},
    }


def _step(number: int, step: Step) -> Json:
    source = _SOURCES.get(step.kind, "system")
    row: Json = {
        "step_id": number,
        "timestamp": datetime.fromtimestamp(step.time, UTC).isoformat().replace("+00:00", "Z"),
        "source": source,
        "message": step.text,
        "extra": {"kind": step.kind, "agent": step.agent, "turn": step.turn},
    }
    if source != "agent":
        return row
    if step.answer is not None:
        if step.answer.reasoning:
            row["reasoning_content"] = step.answer.reasoning
        usage, cost = step.answer.usage, step.answer.cost
        row["metrics"] = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        row["metrics"] |= {} if cost is None else {"cost_usd": cost}
    row["extra"]["decisions"] = [{"kind": each.kind, "by": each.by} for each in step.decisions]
    if isinstance(step.reply, Reply):
        row["extra"]["stage"] = step.reply.stage
        call = {"tool_call_id": f"call_{number}", "function_name": step.reply.command, "arguments": step.reply.args}
        row["tool_calls"] = [call]
    results = [_result(number, step, place) for place in range(len(step.effects))]
    if step.error:
        results.append({"content": step.error})
    if results:
        row["observation"] = {"results": results}
    return row


def _result(number: int, step: Step, place: int) -> Json:
    """Return a result. Only that of the turn's own command names its call; the others are effects of a program."""
    effect = step.effects[place]
    own = isinstance(step.reply, Reply) and effect.agent == step.agent and effect.command == step.reply.command
    mark = "" if effect.ok else "failed: "
    if own:
        return {"source_call_id": f"call_{number}", "content": f"{mark}{effect.text}"}
    return {"content": f"{effect.agent}: {effect.command}: {mark}{effect.text}"}
