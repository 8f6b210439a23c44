"""Whole runs with a model: the program, the real SDK and a stand-in server on loopback."""

from __future__ import annotations

import json

from autocraft.usage import PICTURE_TOKENS
from tests.brains.stand_in import COMMAND, StandIn, streamed
from tests.conftest import STONE_PICKAXE, Place, kinds


def test_a_run_with_a_model_counts_tokens_and_keeps_the_key_to_itself(place: Place, stand_in: StandIn) -> None:
    script = [("craft_item", {"name": "oak_planks"}), ("craft_item", {"name": "stick"})]
    script += [("craft_item", {"name": "stone_pickaxe"})]
    for name, args in script:
        text = json.dumps({"thoughts": {"text": "my key is sk-secret-987654"}, "command": {"name": name, "args": args}})
        stand_in.replies.append(streamed(text))
    done = place.run(
        "run", *STONE_PICKAXE, "--continuous", "--json", "--price-in", "1", "--price-out", "2",
        OPENAI_BASE_URL=stand_in.url, OPENAI_API_KEY="sk-secret-987654",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    end = place.events()[-1]
    assert (end["tokens"], end["estimated"], round(end["cost"], 6)) == (54, False, 0.000075)
    everything = done.stdout + done.stderr + json.dumps(place.events()) + json.dumps(stand_in.requests[0]["messages"])
    assert "[key removed: OPENAI_API_KEY]" in everything
    assert "sk-secret-987654" not in "".join(json.dumps(event) for event in place.events())
    sent = stand_in.requests[-1]["messages"]
    assert [message["role"] for message in sent if message["role"] == "system"] == ["system"]
    assert any("Made 4 stick" in message["content"] for message in sent if message["role"] == "user")


def test_a_cost_limit_stops_before_the_call_that_could_break_it(place: Place, stand_in: StandIn) -> None:
    done = place.run(
        "run", *STONE_PICKAXE, "--continuous", "--json", "--price-in", "1000", "--price-out", "1000",
        "--max-cost", "0.01", OPENAI_BASE_URL=stand_in.url,
    )  # fmt: skip
    assert done.returncode == 3
    end = place.events()[-1]
    assert end["why"].startswith("--max-cost 0.01: $0.0000 is used, and the next call may cost $")
    assert stand_in.requests == []


def test_a_token_limit_stops_before_the_call_that_could_break_it(place: Place, stand_in: StandIn) -> None:
    done = place.run("run", *STONE_PICKAXE, "-c", "--json", "--max-tokens", "100", OPENAI_BASE_URL=stand_in.url)
    assert done.returncode == 3
    end = place.events()[-1]
    assert end["why"].startswith("--max-tokens 100: 0 are used, and the next call may take ")
    assert stand_in.requests == []


def test_a_picture_in_the_prompt_is_counted_before_it_is_sent(place: Place, stand_in: StandIn) -> None:
    counts = []
    for images in ((), ("--images",)):
        flags = ("run", *STONE_PICKAXE, *images, "-c", "--json", "--max-tokens", "100")
        end = json.loads(place.run(*flags, OPENAI_BASE_URL=stand_in.url).stdout.splitlines()[-1])
        counts.append(int(end["why"].rpartition(" ")[2]))
    assert counts[1] - counts[0] == PICTURE_TOKENS
    assert stand_in.requests == []


def test_a_broken_answer_is_given_to_the_fast_model_once(place: Place, stand_in: StandIn) -> None:
    broken = '{"command": {"name": "craft_item", "args": {"name": oak_planks"}}'
    stand_in.replies.append(streamed(broken))
    stand_in.replies.append(streamed(COMMAND))
    done = place.run(
        "run", *STONE_PICKAXE, "-c", "--json", "--max-steps", "1",
        OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="big", FAST_LLM_MODEL="small",
    )  # fmt: skip
    assert done.returncode == 3
    assert [request["model"] for request in stand_in.requests] == ["big", "small"]
    reply = kinds(place.events(), "reply")[0]
    assert (reply["ok"], reply["stage"]) == (True, "llm fix")
    assert place.events()[-1]["tokens"] == 36
