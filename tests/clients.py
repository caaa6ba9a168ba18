"""What all tests share that speak to the service as its clients do."""

from __future__ import annotations

from typing import Any, Final

import httpx

from referee.http.tokens import Tokens
from referee.service import Bearer

SECRET: Final = "a secret of the tests that is long enough"
TOKENS: Final = Tokens([SECRET.encode()])
ORGANIZER: Final = TOKENS.issue(Bearer("organizer"))
GAME: Final = "giro-galoppo"
PATIENCE_S: Final = 60.0
"""Whatever comes within a second on a quiet machine comes in this on the slowest."""


class Made:
    """A match that was created: its id and tokens, from the answer."""

    def __init__(self, made: dict[str, Any]) -> None:
        self.made = made
        self.match: str = made["match"]
        self.path = f"/v1/matches/{self.match}"
        self.tokens: list[str] = [seat["token"] for seat in made["seats"]]
        self.spectator: str = made["spectator_token"]


def order_of(seats: int, **order: Any) -> dict[str, Any]:
    """What creates a match of so many seats, of giro-galoppo unless it says otherwise."""
    return {"game": GAME, "seats": [{"name": f"p{seat}"} for seat in range(seats)], **order}


def created(url: str, order: dict[str, Any], token: str = ORGANIZER) -> dict[str, Any]:
    """Create a match on the server at `url`; its answer."""
    answer = httpx.post(f"{url}/v1/matches", json=order, headers=bearer(token), timeout=PATIENCE_S)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def ask(url: str, headers: dict[str, str] | None = None) -> httpx.Response:
    """The answer to a GET, waited for as long as the slowest machine takes."""
    return httpx.get(url, headers=headers, timeout=PATIENCE_S)


def bearer(token: str) -> dict[str, str]:
    """The header that names a token's bearer."""
    return {"Authorization": f"Bearer {token}"}


def accepted(answer: httpx.Response) -> dict[str, Any]:
    """The body of a good answer."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body
