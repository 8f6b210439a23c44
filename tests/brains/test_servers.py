"""Each profile asks a server that keeps to its published rules, and docs/settings.md says what is sent there."""

from __future__ import annotations

import pytest

from autocraft.brains.profiles import PROFILES
from tests.brains import servers
from tests.brains.servers import KINDS, QUESTIONS, ask
from tests.brains.test_normal import check


@pytest.mark.full
def test_every_profile_is_answered_by_a_server_that_keeps_to_its_rules_and_the_table_says_what_it_sends() -> None:
    assert set(KINDS) == set(PROFILES)
    for name, kind in KINDS.items():
        settled = ask(name)
        assert len(settled.texts) == QUESTIONS, name
        assert [why for request in settled.requests if (why := check(request["messages"]))] == [], name
        assert len(settled.requests) - QUESTIONS <= 2, f"{name}: what is refused is learned once"
        assert len(settled.notices) == kind.ignores_form, name
        assert settled.window and settled.source, name
    text = servers.PAGE.read_text(encoding="utf-8")
    assert servers.with_table(text) == text, "run python -m tests.brains.servers"
