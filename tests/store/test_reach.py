"""URLs of every kind: what they lead to, and that a bad one says so without giving away secrets."""

import pytest

from referee.store import open_store
from referee.store.connection.addresses import OneServer, SentinelServer, reach, settings


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://h:7/3", {"host": "h", "port": 7, "db": 3}),
        ("redis://u:p%40w@h", {"host": "h", "username": "u", "password": "p@w"}),
        ("rediss://h?ssl_cert_reqs=none", {"host": "h", "ssl_cert_reqs": "none"}),
        ("unix:///a%20b/s.sock?db=2", {"path": "/a b/s.sock", "db": 2}),
        ("redis://h?protocol=3&max_connections=1", {"protocol": 2}),
    ],
)
def test_takes_what_the_client_library_takes(url: str, expected: dict[str, object]) -> None:
    """User, password, database, TLS options; but the protocol and the pool are ours."""
    _, kwargs = settings(url)
    assert {name: kwargs.get(name) for name in expected} == expected
    assert "max_connections" not in kwargs


def test_time_outs_are_short_unless_the_url_says_otherwise() -> None:
    """A second to connect and two for an answer while connecting."""
    assert settings("redis://h")[1]["socket_connect_timeout"] == 1.0
    assert settings("redis://h?socket_connect_timeout=3")[1]["socket_connect_timeout"] == 3.0


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("redis://h", OneServer),
        ("rediss://h", OneServer),
        ("unix:///s", OneServer),
        ("redis+sentinel://a,b:1,[::1]:2/main", SentinelServer),
        ("rediss+sentinel://u:p@a/main/1?sentinel_password=x", SentinelServer),
    ],
)
def test_every_kind_of_url_leads_somewhere(url: str, kind: type) -> None:
    """Nothing is connected, or even looked up, before it is used."""
    assert isinstance(reach(url), kind)


@pytest.mark.parametrize("url", ["redis+cluster://a,b:1", "rediss+cluster://u:p@a:1"])
def test_a_cluster_keeps_its_keys_apart(url: str) -> None:
    """Scripts there touch only what is one match's own."""
    assert not reach(url).together


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://u:secret@h",
        "redis+sentinel://u:secret@a,b",
        "redis+sentinel:///name",
        "redis+cluster://u:secret@a,,b",
        "redis+cluster://u:secret@a:port",
        "redis://u:secret@h?db=x",
        "redis://u:secret#word@h",
        "redis://u:secret[@h",
    ],
)
def test_a_bad_url_is_refused_without_giving_away_the_password(url: str) -> None:
    """A `ValueError` in words, at once."""
    with pytest.raises(ValueError, match=r"\w") as refused:
        open_store(url)
    assert "secret" not in str(refused.value)
