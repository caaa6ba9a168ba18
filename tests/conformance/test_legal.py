"""Legal equals accepted: what is listed is taken, and whatever else could be sent is refused."""

from __future__ import annotations

import pytest

from referee.core.game import Asker, Command
from referee.core.judging import Legal, Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.ruling import Refusal
from referee.selfplay import chance_of
from tests.conformance import sweep
from tests.conformance.matches import all_played, askers, some_of

STEPS = 10
CANDIDATES = 30


def verdict(rules: Rules, match: Match, by: Asker, command: Command) -> str | None:
    """The ruling that refuses the command, `malformed`, or None where it is lawful."""
    try:
        rules.judge(match, by, command)
    except Refusal as refusal:
        return refusal.ruling
    except Malformed:
        return "malformed"
    return None


def may_be_unlisted(legal: Legal, command: Command) -> bool:
    """Whether `legal` says itself that it does not list every form of this command."""
    return type(command).__struct_config__.tag in {one.type for one in legal.templates}


def is_listed_otherwise(rules: Rules, match: Match, by: Asker, command: Command) -> bool:
    """Whether it is another spelling of a listed command: the same events follow from both."""
    events = rules.decide(match, by, command, salt=bytes(12)).events
    return any(
        rules.decide(match, by, listed, salt=bytes(12)).events == events
        for listed in rules.legal(match, by).commands
        if type(listed) is type(command)
    )


def test_what_is_listed_is_taken(rules: Rules) -> None:
    """For everybody who can ask, all along every match; each form once, in a fixed order."""
    for one in all_played(rules):
        for match in some_of(one.steps, STEPS):
            for by in askers(match):
                legal = rules.legal(match, by)
                assert len(set(legal.commands)) == len(legal.commands)
                assert rules.legal(match, by) == legal
                for command in legal.commands:
                    assert verdict(rules, match, by, command) is None, (one, match.version, command)


def test_what_is_listed_can_be_decided(rules: Rules) -> None:
    """Every form of a list, now and then along a match: it has events, and they fold."""
    for one in all_played(rules):
        for match in some_of(one.steps, 4):
            for by in askers(match):
                for command in rules.legal(match, by).commands[:40]:
                    decided = rules.decide(match, by, command, salt=bytes(12))
                    assert decided.events
                    assert rules.fold(match, decided.data) == decided.match


def test_what_is_not_listed_is_refused_by_a_ruling_that_exists(rules: Rules) -> None:
    """Commands of other moments, other seats, other phases and with fields changed.

    What is taken without being listed is only another spelling of what is: the same values in
    another order, say.
    """
    pick = chance_of("unlisted", rules.game.id)
    for one in all_played(rules):
        for match in some_of(one.steps, STEPS):
            candidates = sweep.sample(rules, pick, CANDIDATES)
            for by in askers(match):
                legal = rules.legal(match, by)
                for command in candidates:
                    if command in legal.commands or may_be_unlisted(legal, command):
                        continue
                    ruling = verdict(rules, match, by, command)
                    if ruling is None and is_listed_otherwise(rules, match, by, command):
                        continue
                    where = (str(one), match.version, by, command)
                    assert ruling in {*rules.rulings, "malformed"}, where


def test_judging_finds_what_each_ruling_says_one_by_one(rules: Rules) -> None:
    """Also where the table has let in such a command before, and does not ask all rulings again."""
    pick = chance_of("one by one", rules.game.id)
    for one in all_played(rules):
        for match in some_of(one.steps, STEPS):
            for by in askers(match):
                listed = rules.legal(match, by).commands[:CANDIDATES]
                for command in (*listed, *sweep.sample(rules, pick, CANDIDATES)):
                    ruling = verdict(rules, match, by, command)
                    if ruling != "malformed":
                        last, wrong = rules.judged(match, by, command)[-1]
                        assert ruling == (None if wrong is None else last), (one, match.version)


def test_a_refusal_is_one_sentence(rules: Rules) -> None:
    """It begins with a capital and ends with a full stop, on one line."""
    pick = chance_of("sentences", rules.game.id)
    for one in all_played(rules):
        for match in some_of(one.steps, 3):
            for by in askers(match):
                for command in sweep.sample(rules, pick, CANDIDATES):
                    try:
                        rules.judge(match, by, command)
                    except Refusal as refusal:
                        detail = refusal.detail
                    except Malformed:
                        continue
                    else:
                        continue
                    assert detail[0].isupper() or not detail[0].isalpha(), detail
                    assert detail.endswith("."), detail
                    assert detail.isprintable(), detail


def test_who_owes_a_command_has_one_to_send(rules: Rules) -> None:
    """A seat in `to_act` finds something lawful, or a template; the others nothing."""
    for one in all_played(rules):
        for match in some_of(one.steps, STEPS):
            for seat in match.running:
                legal = rules.legal(match, Asker("seat", seat, match.at))
                assert legal.commands or legal.templates, (one, match.version, seat)


def test_nothing_is_legal_when_nothing_may_be_played(rules: Rules) -> None:
    """In a paused match and after the end: nothing listed, everything refused."""
    for one in all_played(rules):
        for step in one.steps:
            match = step.decided.match
            if match.status == "active":
                continue
            wanted = "match-paused" if match.status == "paused" else "match-over"
            for by in askers(match):
                assert rules.legal(match, by) == Legal((), complete=True, templates=())
            for command in sweep.pool(rules)[:20]:
                ruling = verdict(rules, match, Asker("seat", 0, match.at), command)
                assert ruling in {"not-seated", wanted, "malformed"}


def test_what_a_game_does_not_know_is_not_judged(rules: Rules) -> None:
    """A seat may not send an arbiter's commands, whatever the game."""
    match = all_played(rules)[0].at(1)
    arbiter = [of for of in rules.commands if of.__struct_config__.tag in ("pause", "certify")]
    assert len(arbiter) == 2
    for kind in arbiter:
        with pytest.raises(NotAllowed):
            rules.judge(match, Asker("seat", 0, match.at), kind())
