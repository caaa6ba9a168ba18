"""`referee token`: tokens for whoever has the secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.__main__ import main
from referee.http.tokens import Tokens
from referee.service import Bearer
from tests.clients import SECRET


def printed(*arguments: str, **environ: str | None) -> tuple[int, str]:
    """The exit status and what was printed."""
    clean = {"REFEREE_SECRET": None, "REFEREE_REDIS_URL": None, "REFEREE_DATA_DIR": None}
    result = CliRunner().invoke(main, ["token", *arguments], env={**clean, **environ})
    return result.exit_code, (result.stdout or result.output).strip()


@pytest.mark.parametrize(
    ("arguments", "bearer"),
    [
        (["organizer"], Bearer("organizer")),
        (["organizer", "--name", "kim_2.o-b"], Bearer("organizer", name="kim_2.o-b")),
        (["seat", "--match", "m1", "--seat", "2"], Bearer("seat", "m1", 2)),
        (["seat", "--match", "m1", "--seat", "0", "--gen", "3"], Bearer("seat", "m1", 0, 3)),
        (["spectator", "--match", "m1"], Bearer("spectator", "m1")),
    ],
    ids=str,
)
def test_prints_a_token_that_the_service_believes(arguments: list[str], bearer: Bearer) -> None:
    """Signed with the first of the secrets, as the service signs."""
    status, token = printed(*arguments, REFEREE_SECRET=f"{SECRET},another {SECRET}")

    assert status == 0
    assert Tokens([SECRET.encode()]).read(f"Bearer {token}".encode()) == bearer


def test_prints_a_token_that_lives_as_long_as_asked() -> None:
    """In seconds."""
    _, token = printed("organizer", "--ttl", "60", REFEREE_SECRET=SECRET)
    header = f"Bearer {token}".encode()

    assert Tokens([SECRET.encode()]).known(header).expires > 0
    with pytest.raises(Exception, match="expired"):
        Tokens([SECRET.encode()], now=lambda: 10**10).read(header)


def test_signs_with_the_secret_that_is_kept_in_the_data_folder(tmp_path: Path) -> None:
    """Made where there is none yet, as the service on its own store does."""
    folder = tmp_path / "data"

    tokens = [printed("organizer", REFEREE_DATA_DIR=str(folder))[1] for _ in range(2)]
    said = "no secret was set or kept: a new one is made in"
    first, second = (
        CliRunner().invoke(
            main, ["token", "organizer"], env={"REFEREE_SECRET": None, "REFEREE_DATA_DIR": str(at)}
        )
        for at in (tmp_path / "elsewhere", folder)
    )
    assert said in first.stderr
    assert second.stderr == ""

    kept = (folder / "secret").read_text().encode()
    assert (folder / "secret").stat().st_mode & 0o777 == 0o600
    for token in tokens:
        assert Tokens([kept]).read(f"Bearer {token}".encode()) == Bearer("organizer")


def test_makes_up_no_secret_for_a_service_on_another_store(tmp_path: Path) -> None:
    """A token that no process of that service would believe helps nobody."""
    status, said = printed(
        "organizer", REFEREE_REDIS_URL="redis://localhost", REFEREE_DATA_DIR=str(tmp_path)
    )

    assert status == 1
    assert "REFEREE_SECRET" in said
    assert not (tmp_path / "secret").exists()


@pytest.mark.parametrize(
    "arguments",
    [["seat", "--match", "m"], ["seat", "--seat", "0"], ["spectator"], ["organizer", "--ttl", "0"],
     ["organizer", "--name", ""], ["organizer", "--name", "a b"], ["organizer", "--name", "x" * 41],
     ["seat", "--match", "m", "--seat", "-1"], ["king"]],
    ids=str,
)  # fmt: skip
def test_prints_no_token_for_nobody(arguments: list[str]) -> None:
    """A seat is of a match, and a token of some time."""
    status, said = printed(*arguments, REFEREE_SECRET=SECRET)

    assert status == 2
    assert "Usage" in said
