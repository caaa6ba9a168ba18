"""The judge of histories finds what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from tests.proof.history import Era, History, Plain, Seen, Sent, head_after, leaps_of

FIRST = bytes(32)


def log_of(*commands: str) -> list[bytes]:
    """A log of commands of one seat, whose keys are their places."""
    log, prev = [], FIRST
    for version, command in enumerate(commands, 1):
        plain = {
            "v": version, "at": 1, "by": "seat:0", "key": f"k{version}", "salt": None,
            "cmd": {"type": command}, "ev": [], "prev": prev,
        }  # fmt: skip
        log.append(msgspec.msgpack.encode(plain))
        prev = head_after(prev, log[-1])
    return log


LOG = log_of("create", "a", "b")


def head(version: int) -> str:
    """The head after a commit of the log."""
    prev: bytes = msgspec.msgpack.decode(LOG[version - 1])["prev"]
    return head_after(prev, LOG[version - 1]).hex()


def answer(version: int) -> Plain:
    """What acknowledges a commit."""
    return {"version": version, "head": head(version)}


def view(version: int, begun: float, **other: object) -> Seen:
    """What somebody saw who asked for half a second."""
    plain = {
        "how": "view",
        "who": "seat 0",
        "head": head(version),
        "body": {"is": version},
        **other,
    }
    return msgspec.convert(
        {"version": version, "begun": begun, "ended": begun + 0.5, **plain}, Seen
    )


def history() -> History:
    """What may have been seen of the log: everything acknowledged, looked at now and then."""
    told = History()
    for version, command in enumerate(("a", "b"), 2):
        name = ("seat:0", f"k{version}")
        told.sent[name] = Sent(
            by=name[0], key=name[1], command={"type": command}, answers=[answer(version)]
        )
    told.seen += [view(1, 0), view(2, 1), view(3, 2), view(1, 3, how="past")]
    return told


def test_takes_a_history_that_the_log_tells() -> None:
    """Nothing is wrong with it."""
    assert history().faults([Era(LOG)]) == []


def doubled(told: History) -> list[bytes]:
    """A command stands there twice."""
    again = msgspec.msgpack.decode(LOG[2]) | {"v": 4, "prev": bytes.fromhex(head(3))}
    return [*LOG, msgspec.msgpack.encode(again)]


def unchained(told: History) -> list[bytes]:
    """A commit follows on another one than stands before it."""
    other = msgspec.msgpack.decode(LOG[2]) | {"prev": bytes(32)}
    return [*LOG[:2], msgspec.msgpack.encode(other)]


def made_up(told: History) -> list[bytes]:
    """Nobody sent this."""
    del told.sent["seat:0", "k3"]
    return LOG


def refused(told: History) -> list[bytes]:
    """It was refused each time."""
    told.sent["seat:0", "k3"].answers.clear()
    told.sent["seat:0", "k3"].refused.append((2, 3))
    return LOG


def other_command(told: History) -> list[bytes]:
    """Something else was sent under that key."""
    told.sent["seat:0", "k3"].command = {"type": "c"}
    return LOG


def answered_in_two_ways(told: History) -> list[bytes]:
    """The repeat got another answer."""
    told.sent["seat:0", "k2"].answers.append({**answer(2), "head": head(3)})
    return LOG


def went_back(told: History) -> list[bytes]:
    """Somebody saw version 3, and then somebody version 2."""
    told.seen.append(view(2, 4, who="spectator"))
    return LOG


def changed(told: History) -> list[bytes]:
    """One place was shown in two ways."""
    told.seen.append(view(3, 4, body={"is": "else"}))
    return LOG


def of_another_log(told: History) -> list[bytes]:
    """A head that is not in the log."""
    told.seen.append(view(3, 4, head="00"))
    return LOG


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda _: LOG[:2], "not there"),
        (lambda _: [LOG[0], LOG[2]], "says it is 3"),
        (unchained, "3 does not follow"),
        (doubled, "2 times"),
        (made_up, "nobody sent"),
        (refused, "was refused"),
        (other_command, "stands in the log as"),
        (answered_in_two_ways, "in two ways"),
        (went_back, "after 3 had been told"),
        (changed, "as {'is': 3} and as {'is': 'else'}"),
        (of_another_log, "the log has"),
    ],
)
def test_finds_what_a_log_cannot_tell(harm: Callable[[History], list[bytes]], says: str) -> None:
    """A commit lost, out of place, doubled, invented, rewritten; a view that went back in time."""
    told = history()
    log = harm(told)

    faults = told.faults([Era(log)])
    assert any(says in fault for fault in faults), faults


def charged(left_ms: int, flagged: bool = False) -> Seen:  # noqa: FBT001, FBT002 - as it stands there
    """A view, four seconds after the match was ordered, of a clock of ten seconds."""
    clock = {"base_s": 10, "left_ms": [10_000, left_ms], "flagged": [False, flagged]}
    return view(3, 3.5, body={"clock": clock})


def test_finds_a_seat_that_was_charged_what_did_not_pass() -> None:
    """A clock of the store that is set may cost two seconds, and nothing else costs any."""

    def faults(seen: Seen, *leaps: float) -> list[str]:
        told = history()
        told.seen = [seen]
        return told.faults([Era(LOG)], leaps)

    assert faults(charged(6000)) == []
    assert "after 4000 ms" in faults(charged(5999))[0]
    assert "after 4000 ms" in faults(charged(6000, flagged=True))[0]
    assert faults(charged(4000), 3.9) == []
    assert faults(charged(4000), 4.1) != []


# ── A store that comes back with less ─────────────────────────────────────────────────────────────

OTHER = log_of("create", "a", "c")
"""What became of the first two commits after the third was lost, at ten seconds."""


def eras(*, kept: int = 2) -> list[Era]:
    """The log until it was lost, and the one that begins with what was left."""
    return [Era(LOG, ended=10), Era(OTHER, began=10, kept=kept)]


def head_of_other(version: int) -> str:
    """The head after a commit of the second log."""
    return Era(OTHER).heads[version - 1]


def after_a_loss() -> History:
    """What may have been seen: the third commit, and then another third."""
    told = history()
    again = {"version": 3, "head": head_of_other(3)}
    told.sent["seat:0", "k3"].command = {}
    told.sent["seat:0", "k3"].answers.append(again)
    told.seen += [view(2, 10.1), view(3, 11, head=head_of_other(3))]
    return told


def test_takes_a_history_that_two_logs_tell() -> None:
    """What was acknowledged may be gone once, be asked for again, and be answered otherwise."""
    told = after_a_loss()
    told.missed.append(view(3, 9.9))
    between = Era(LOG[:2], began=10, ended=10.3, kept=2)

    assert told.faults([Era(LOG, ended=10), between, Era(OTHER, began=10.3, kept=2)]) == []


def test_takes_a_refusal_that_was_asked_for_before_the_loss_and_came_after_it() -> None:
    """It was judged anew on what was left; one that came before or was asked for after was not."""
    told = after_a_loss()
    sent = told.sent["seat:0", "k3"]
    sent.answers.clear()
    told.seen.pop()
    left = [Era(LOG, ended=10), Era(OTHER[:2], began=10, kept=2)]

    for refused, known in (((9.9, 10.1), False), ((9.8, 9.9), True), ((10.1, 10.2), True)):
        sent.refused = [refused]
        faults = told.faults(left)
        assert any("was refused" in fault for fault in faults) == known, faults


def test_takes_the_word_that_all_is_lost() -> None:
    """And not where something is left, or was not lost yet."""
    told = after_a_loss()
    told.seen.append(view(0, 10.1, head="", how="rewritten"))

    assert "the log has [[], []]" in told.faults(eras())[0]
    gone = [Era(LOG, ended=10), Era([], began=10, ended=10.4), Era(OTHER, began=10.4)]
    assert told.faults(gone) == []
    assert "the log has" in told.faults([Era(LOG, ended=11), Era([], 11, 12), Era(OTHER, 12)])[0]


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (view(3, 11), "the log has"),
        (view(3, 9.2, head=head_of_other(3)), "the log has"),
        (view(2, 12), "after 3 had been told"),
    ],
)
def test_finds_what_two_logs_cannot_tell(seen: Seen, says: str) -> None:
    """What was lost shown later, what came later shown before, and a view that goes back."""
    told = after_a_loss()
    told.seen.append(seen)
    faults = told.faults(eras())
    assert any(says in fault for fault in faults), faults


def test_finds_that_more_was_lost_than_the_store_forgot() -> None:
    """What the store came back with has to stand."""
    assert "some are others" in after_a_loss().faults(eras(kept=3))[0]


def test_finds_a_version_denied_that_was_there() -> None:
    """Neither log is without the second commit."""
    told = after_a_loss()
    told.missed.append(view(2, 10.1))
    assert "there is no version 2, and there is" in told.faults(eras())[0]


def test_finds_where_a_stream_does_not_follow() -> None:
    """A gap, a repeat, another log without a word, and a word that is not true."""
    first, second, third = (view(version, 0) for version in (1, 2, 3))
    other = view(3, 0, head=head_of_other(3))
    news = view(2, 0, how="rewritten")
    more = view(3, 0, how="rewritten", head=head_of_other(3)[:16])

    assert list(leaps_of([first, second, third, more], eras())) == []
    assert list(leaps_of([third, news, other], [Era(LOG), Era(OTHER[:2]), Era(OTHER)])) == []
    for one, next_ in [(first, third), (third, third), (third, other), (third, first)]:
        assert list(leaps_of([one, next_], eras())) == [(one, next_)]
    assert list(leaps_of([first, news], eras())) == [(first, news)]
