"""Test vectors for programs in other languages: what a seed draws, what a log's heads are."""

import hmac
from typing import Any, Final

from referee.core.commit import first_prev
from referee.core.game import Asker, Command
from referee.core.match import match_file
from referee.core.randomness import Chance, commitment
from referee.core.rules import Rules
from referee.core.table.commands import AcceptDraw, Certify, OfferDraw
from referee.selfplay import Setup, Trial, chance_of

Vector = dict[str, Any]

SEEDS: Final = (
    (bytes(range(32)), "m1", ("", "")),
    (bytes(32), "a-longer_Name", ("00ff", "", "c0ffee")),
    (bytes(reversed(range(32))), "seats", ("a0" * 16, "c0ffee" * 20 + "00112233", "")),
    (b"\xff" * 32, "x", ()),
)
"""Seeds with the matches and entropies that they are drawn for: the third as seats send them."""

BELOW: Final = (1, 2, 3, 6, 10, 52, 1000, (1 << 32) + 1, (1 << 63) + 1, (1 << 64) - 1, 1 << 64)
"""Bounds of numbers; just above half of all words nearly every second word is refused."""

SHUFFLED: Final = (0, 1, 2, 3, 52, 100)
NUMBERS: Final = (0, 1, 2, 17, 1000)
BLOCKS: Final = 3
HALF: Final = (1 << 63) + 1


def randomness() -> Vector:
    """Draws of a few seeds: their bytes, numbers below n and shuffles, refusals of words too.

    Numbers that JSON readers may round are strings of decimal digits.
    """
    return {"format": "referee-randomness/1", "cases": [_case(*one) for one in SEEDS]}


def _case(seed: bytes, match: str, entropy: tuple[str, ...]) -> Vector:
    def chance(number: int) -> Chance:
        return Chance(seed, match, entropy, number)

    return {
        "seed": seed.hex(),
        "seed_commitment": commitment(seed),
        "match": match,
        "entropy": list(entropy),
        "bytes": [
            {"draw": number, "message": text, "hex": digest.hex()}
            for number in NUMBERS
            for text, digest in [_stream(seed, match, entropy, number)]
        ],
        "below": [
            {"draw": number, "n": str(n), "value": str(chance(number).below(n))}
            for number, n in enumerate((*BELOW, *(HALF,) * 8))
        ],
        "shuffles": [
            {"draw": number, "size": size, "order": list(chance(number).shuffle(range(size)))}
            for number, size in enumerate(SHUFFLED, start=40)
        ],
    }


def _stream(seed: bytes, match: str, entropy: tuple[str, ...], number: int) -> tuple[str, bytes]:
    """The first block's message and the first blocks' bytes of a draw."""
    messages = [
        "|".join(("referee/1", match, *entropy, str(number), str(block))) for block in range(BLOCKS)
    ]
    digests = [hmac.digest(seed, message.encode(), "sha256") for message in messages]
    return messages[0], b"".join(digests)


def heads(rules: Rules) -> Vector:
    """A short match of the game, commit by commit: the exact bytes, the heads, the whole file."""
    trial = _short_match(rules)
    first = first_prev(trial.match.setting.match, rules.game.ruleset)
    decided = [step.decided for step in trial.steps]
    prevs = [first, *(each.match.head for each in decided)]
    return {
        "format": "referee-heads/1",
        "match": trial.match.setting.match,
        "ruleset": rules.game.ruleset,
        "commits": [
            {
                "version": each.match.version,
                "prev": prev.hex(),
                "commit": each.data.hex(),
                "head": each.match.head.hex(),
            }
            for prev, each in zip(prevs, decided, strict=False)
        ],
        "match_file": match_file(trial.match, [each.data for each in decided]).hex(),
    }


def _short_match(rules: Rules) -> Trial:
    """Two moves, a draw agreed, the result certified."""
    setup = Setup(match="vector", seats=2, seed=bytes(range(32)), names=("red", "blå"))
    trial = Trial(rules, setup, chance_of("vector"))
    for _ in range(2):
        trial.go_on()
    ending: tuple[tuple[Asker, Command], ...] = (
        (trial.by_seat(0), OfferDraw()),
        (trial.by_seat(1), AcceptDraw()),
        (trial.organizer(), Certify()),
    )
    for by, command in ending:
        trial.take(by, command)
    return trial
