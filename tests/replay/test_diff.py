"""`replay diff`: where two logs part."""

from __future__ import annotations

import msgspec

from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table


def test_a_log_does_not_part_from_itself_or_its_beginning(
    run: Run, keep: Keep, played: Record
) -> None:
    """Equal logs are equal; a beginning is told with how far the other goes on."""
    whole = keep(played.signed(), "a.match")
    begun = keep(played.having(played.commits[:20]).file(), "b.match")
    assert run("diff", whole, whole).out == f"the same for {len(played.commits)} commits\n"
    ran = run("diff", whole, begun)
    assert (ran.status, ran.out) == (0, "the same for 20 commits; A goes on to commit 51\n")
    assert run("diff", begun, whole, "--json").json["version"] is None


def test_finds_the_commit_where_two_logs_of_a_match_part(
    run: Run, keep: Keep, played: Record
) -> None:
    """The first differing commit, what differs in it, and what differs in the match after it."""
    game = table()
    game.play(4)
    game.pick.seed(99)
    other = game.play().record()
    a, b = keep(played.file(), "a.match"), keep(other.file(), "b.match")
    ran = run("diff", a, b, "--json")
    version = next(
        n for n, (x, y) in enumerate(zip(played.commits, other.commits, strict=False), 1) if x != y
    )
    parted = ran.json
    assert (ran.status, parted["version"], parted["problem"]) == (1, version, None)
    paths = [difference["path"] for difference in parted["commit"]]
    assert any(path.startswith("cmd.") or path == "by" for path in paths)
    assert not {"prev", "head"} & set(paths)
    assert parted["state"]
    lines = run("diff", a, b).out.splitlines()
    assert lines[0] == f"they part at commit {version}"
    sent = played.opened(version)["cmd"]["space"]
    assert lines[1].startswith("  A  2023-11-14T22:13:20")
    assert lines[1].endswith(
        f"place obstacle, space {sent}. seat 1 (Bob) puts an obstacle on space {sent}."
    )
    assert lines[2].startswith("  B  ")
    assert lines[3] == "the match after it"
    assert any(line.startswith("  state.") and " in A, " in line for line in lines)


def test_compares_two_matches_by_their_play(run: Run, keep: Keep, played: Record) -> None:
    """The same play under another id and at other times is the same play."""
    again = table("m2")
    again.now += 5000
    path = keep(again.play().record().file(), "b.match")
    assert run("diff", keep(played.file()), path).status == 0
    other = table("m3", seed=2).play().record()
    parted = run("diff", keep(played.file()), keep(other.file(), "c.match"), "--json").json
    assert parted["version"] == 1
    assert {difference["path"] for difference in parted["commit"]} >= {
        "cmd.seed",
        "ev[0].seed_commitment",
    }


def test_tells_commits_that_say_the_same_in_other_bytes(
    run: Run, keep: Keep, played: Record
) -> None:
    """Another encoding of the same commit parts the logs, though nothing else does."""
    commit = played.opened(2)
    turned = dict(reversed(commit.items()))
    other = played.put(2, msgspec.msgpack.encode(turned)).chained()
    ran = run("diff", keep(played.file(), "a.match"), keep(other.file(), "b.match"))
    assert (ran.status, "the same in other bytes" in ran.out) == (1, True)
    assert "no difference" in ran.out


def test_says_that_a_log_cannot_be_followed_to_there(run: Run, keep: Keep, played: Record) -> None:
    """The commits are compared even where one of them is junk; the match there is not."""
    ran = run("diff", keep(played.file()), keep(played.put(9, b"junk").file(), "b.match"))
    assert (ran.status, "they part at commit 9" in ran.out) == (1, True)
    assert "the match there: " in ran.out
    assert "b.match" in ran.out
