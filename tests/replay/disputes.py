"""Seven disputes to settle, as docs/dispute.md does: `python -m tests.replay.disputes FOLDER`.

A false event, a command that was refused rightly, a flag that is contested, a log that was
exchanged, dice that are called unfair, a take-back, a file that is damaged: the logs, and what
players and the service have kept beside them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from referee.catalogue import catalogue
from referee.core.commit import receipt_text
from referee.core.game import Asker
from referee.core.ruling import Refusal
from referee.core.table.commands import ClaimTimeout, TakeBack
from referee.games.giro_galoppo.types import ChooseCard
from referee.report.json_values import to_json
from referee.selfplay import Setup, Trial, chance_of
from tests.replay.logs import KEY, NAMES, OTHER_KEY, Record, Table, b64, clocked, public, table


def main(folder: Path) -> None:
    """Write the seven."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "key").write_text(f"{public(KEY)}\n")
    (folder / "event.match").write_bytes(false_event().file())
    log, refusal = refused()
    (folder / "refused.match").write_bytes(log.signed())
    (folder / "refused.refusals.jsonl").write_text(f"{to_json(refusal)}\n")
    (folder / "flag.match").write_bytes(flag().signed())
    played = opened("q4", seed=4).play().record()
    kept = [answer_to(played, version) for version in (6, 9)]
    (folder / "kept.json").write_text(to_json(kept))
    (folder / "exchanged.match").write_bytes(exchanged().signed(OTHER_KEY))
    (folder / "dice.match").write_bytes(dice().signed())
    (folder / "back.match").write_bytes(taken_back().signed())
    (folder / "damaged.match").write_bytes(false_event().file()[:4000])


def opened(match: str, *, seed: int, **setting: Any) -> Table:
    """A match of the tournament."""
    return table(match, seed=seed, tournament="Autumn Open", round=2, table=match[1:], **setting)


def false_event() -> Record:
    """A horse stands a space further than its card took it; the chain was made anew."""
    honest = opened("q1", seed=3).play().record()
    for version in range(1, len(honest.commits) + 1):
        for index, event in enumerate(honest.opened(version)["ev"]):
            if event["type"] == "horse_moved" and event["outcome"] == "moved":
                further = event["to"] + 1
                return honest.forged(version, lambda commit: commit["ev"][index].update(to=further))  # noqa: B023
    raise AssertionError("no horse has moved")


def refused() -> tuple[Record, dict[str, Any]]:
    """A rider wanted to play a card that lies on the table already."""
    play = opened("q2", seed=2).play(14)
    seat = play.match.owed[0]
    by = Asker("seat", seat, play.now + 5)
    held = play.match.state.hands[seat]
    command = ChooseCard(next(card for card in range(1, 7) if card not in held))
    with pytest.raises(Refusal) as refusal:
        play.rules.judge(play.match, by, command)
    said = {"ruling": refusal.value.ruling, "detail": refusal.value.detail}
    place = {"at": by.at, "by": str(by), "seat": seat, "version": play.match.version}
    return play.play().record(), {**place, "command": command, **said}


def flag() -> Record:
    """A minute a rider, and one of them thinks too long."""
    play = opened("q3", seed=5, clock=clocked(60)).play(10)
    seat = play.match.owed[-1]
    play.send("service", ClaimTimeout(seat), after=60_400)
    return play.play().record()


def exchanged() -> Record:
    """A match under the same name as one for which a player has kept answers."""
    return opened("q4", seed=7).play().record()


def dice() -> Record:
    """A match of a game in which dice are rolled."""
    setup = Setup(match="q5", seats=3, seed=bytes(31) + b"\6", names=NAMES)
    trial = Trial(catalogue().current("dancing-villager"), setup, chance_of("dice"))
    while not trial.match.over:
        trial.go_on()
    return Record("q5", "dancing-villager/1", tuple(step.decided.data for step in trial.steps))


def taken_back() -> Record:
    """An arbiter has taken two commits back, and the match was played on."""
    play = opened("q6", seed=8).play(12)
    play.send("organizer", TakeBack(to=11, reason="Ann had meant another card."))
    return play.play().record()


def answer_to(record: Record, version: int) -> dict[str, Any]:
    """What the service answered to the command that became this commit."""
    head = record.having(record.commits[:version]).head
    receipt = b64(KEY.sign(receipt_text(record.match, version, head)))
    return {"match": record.match, "version": version, "head": head, "receipt": receipt}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
