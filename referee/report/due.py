"""What the rules make of a commit that is at fault: the match that should stand there instead."""

from typing import Any

from referee.core.commit import Commit
from referee.core.match import Match
from referee.core.rules import Past, Rules, read_asker
from referee.core.table.commands import CreateMatch
from referee.core.verify import Dispute


def due_instead(
    rules: Rules, before: Match | None, commit: Commit[Any, Any], dispute: Dispute, past: Past
) -> Match | None:
    """The match after a commit at fault as it should be.

    Where a command is refused, or a flag comes first, the match stays as it was; None where what
    is wrong changes nothing on the board, as with a link or the form of a commit.

    Args:
        rules: those that judged.
        before: the match before the commit, None before the first.
        commit: the commit, as it stands in the log.
        dispute: what is wrong with it.
        past: where a take-back goes.
    """
    if dispute.kind in {"illegal", "flag"}:
        return before
    if dispute.kind not in {"event", "ranking"}:
        return None
    key, salt = commit.key, commit.salt or b""
    if isinstance(commit.cmd, CreateMatch):
        return rules.create(commit.cmd, commit.at, by=commit.by, key=key, salt=salt).match
    if before is None:
        return None
    by = read_asker(commit.by, commit.at)
    return rules.decide(before, by, commit.cmd, key=key, salt=salt, past=past).match
