"""URLs of every kind: what they lead to, and that a bad one says so without giving away secrets."""

from pathlib import Path
from typing import Any

import pytest

from referee.addresses import SCHEMES, BadAddress, parse_address
from referee.settings import Settings
from referee.store import open_store
from referee.store.connection.cluster import Cluster
from referee.store.connection.servers import SentinelServer, SingleServer, arguments, servers_at
from replay.sources.store import store_source

CONTRACT = {
    "redis": "redis://u:p@h:7/1",
    "rediss": "rediss://u:p@h:7/1",
    "unix": "unix:///run/s.sock?db=1",
    "redis+sentinel": "redis+sentinel://u:p@a,b:1,[::1]:2/main/1",
    "rediss+sentinel": "rediss+sentinel://a,b:1/main?sentinel_password=x",
    "redis+cluster": "redis+cluster://a,b:1",
    "rediss+cluster": "rediss+cluster://u:p@a:1,b",
}
"""A URL of each scheme that the contract names."""


def test_there_is_one_list_of_schemes() -> None:
    """It is the contract's."""
    assert list(SCHEMES) == list(CONTRACT)


@pytest.mark.parametrize("url", CONTRACT.values())
def test_the_service_and_the_audit_command_take_every_kind(url: str) -> None:
    """What one of them takes the other takes too; nothing is connected, or even looked up, yet."""
    assert Settings.from_environment({"REFEREE_REDIS_URL": url}).redis_url == url
    assert store_source(f"{url}#m1").name.endswith("#m1")
    open_store(url)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://h:7/3", {"db": 3}),
        ("redis://h/", {"db": None}),
        ("redis://u:p%40w@h", {"username": "u", "password": "p@w"}),
        ("redis://:p@h", {"password": "p"}),
        ("redis://h?username=u&password=p%20w", {"username": "u", "password": "p w"}),
        ("rediss://h?ssl_cert_reqs=none", {"ssl_cert_reqs": "none"}),
        ("unix:///a%20b/s.sock?db=2", {"db": 2}),
        ("redis+sentinel://a/main/4", {"db": 4}),
        ("redis://h?socket_connect_timeout=3&client_name=x", {"client_name": "x"}),
    ],
)
def test_says_with_what_to_connect(url: str, expected: dict[str, Any]) -> None:
    """User, password, database, TLS and time-outs; the protocol is ours."""
    told = arguments(parse_address(url))
    assert {name: told.get(name) for name in expected} == expected
    assert told["protocol"] == 2


def test_time_outs_are_short_unless_the_url_says_otherwise() -> None:
    """A second to connect and two for an answer while connecting."""
    usual = arguments(parse_address("redis://h"))
    assert (usual["socket_connect_timeout"], usual["socket_timeout"]) == (1.0, 2.0)
    told = arguments(parse_address("redis://h?socket_connect_timeout=3"))
    assert told["socket_connect_timeout"] == 3.0


def test_says_where_to_connect() -> None:
    """Hosts in the URL's order, each with its port or the usual one; or a socket's path."""
    assert parse_address("redis://h:7/3").hosts == (("h", 7),)
    assert parse_address("redis://[fd00::1]").hosts == (("fd00::1", 6379),)
    sentinels = parse_address(CONTRACT["redis+sentinel"])
    assert sentinels.hosts == (("a", 26379), ("b", 1), ("::1", 2))
    assert sentinels.name == "main"
    assert parse_address("redis+cluster://a,b:1").hosts == (("a", 6379), ("b", 1))
    assert parse_address("unix://u:p@/a%20b/s.sock?db=2").path == "/a b/s.sock"


def test_what_may_be_shown_of_a_url_is_no_secret() -> None:
    """Neither by its place nor by printing it."""
    address = parse_address("redis://user:mackerel@h:7/3?client_name=herring")
    assert address.place == "redis://h:7/3"
    assert "mackerel" not in repr(address)


@pytest.mark.parametrize(
    ("scheme", "kind"), [("redis", SingleServer), ("redis+sentinel", SentinelServer),
                         ("redis+cluster", Cluster)]
)  # fmt: skip
def test_every_kind_of_url_leads_to_its_own_kind_of_servers(scheme: str, kind: type) -> None:
    """With TLS and without; keys lie together but on a cluster."""
    for url in (CONTRACT[scheme], CONTRACT[scheme.replace("redis", "rediss")]):
        assert type(servers_at(url)) is kind
        assert servers_at(url).together == (kind is not Cluster)


# ── What is refused ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("", "scheme is none of redis, rediss"),
        ("localhost:6379?password=mackerel", "scheme is none of redis, rediss"),
        ("http://:mackerel@localhost", "scheme is none of redis, rediss"),
        ("redis://", "HOST or HOST:PORT"),
        ("redis://:mackerel@:6379", "HOST or HOST:PORT"),
        ("redis://:mackerel@localhost:0", "HOST or HOST:PORT"),
        ("redis://:mackerel@localhost:99999", "HOST or HOST:PORT"),
        ("redis://:mackerel@localhost:port", "HOST or HOST:PORT"),
        ("redis://:mackerel@[::1", "HOST or HOST:PORT"),
        ("redis+cluster://:mackerel@a,,b", "HOST or HOST:PORT"),
        ("redis+sentinel://:mackerel@one:26379,/primary", "HOST or HOST:PORT"),
        ("redis://:mackerel@one:1,two:2", "takes one server"),
        ("redis://:mack#erel@localhost", "%23"),
        ("redis://:mack/erel@localhost", "number of a database"),
        ("redis://:mackerel@localhost/abc", "number of a database"),
        ("redis://:mackerel@localhost/3/4", "number of a database"),
        ("redis://localhost/99999", "db: "),
        ("redis://localhost?db=x", "db: "),
        ("redis://localhost/1?db=2", "stands twice"),
        ("redis://:mackerel@localhost?password=mackerel", "stands twice"),
        ("redis+cluster://:mackerel@one/1", "a cluster has no databases"),
        ("redis+cluster://one?db=1", "the options behind the ? are username"),
        ("redis+sentinel://:mackerel@one:26379", "primary's name"),
        ("redis+sentinel://one/main/x", "primary's name"),
        ("unix://:mackerel@", "socket's path"),
        ("unix://:mack/erel@/run/s.sock", "socket's path"),
        ("redis://localhost?dbb=2", "the options behind the ? are db, username"),
        ("redis://localhost:1?mackerel=2", "the options behind the ? are db, username"),
        ("redis://localhost?max_connections=x", "the options behind the ? are db, username"),
        ("redis://localhost?protocol=3", "the options behind the ? are db, username"),
        ("redis://localhost?ssl_cert_reqs=none", "the options behind the ? are db, username"),
        (
            "redis://localhost?sentinel_password=mackerel",
            "the options behind the ? are db, username",
        ),
        ("redis://localhost?socket_timeout=mackerel", "socket_timeout: "),
        ("redis://localhost?socket_timeout=nan", "socket_timeout: "),
        ("rediss://localhost?ssl_cert_reqs=mackerel", "none|optional|required"),
    ],
)
def test_a_bad_url_stops_the_start_without_giving_away_the_password(url: str, fault: str) -> None:
    """In words that say what is wrong with it and repeat nothing of it."""
    with pytest.raises(BadAddress) as refused:
        parse_address(url)
    assert fault in str(refused.value)
    assert "mack" not in str(refused.value)
    with pytest.raises(ValueError, match=r"\w"):
        open_store(url)


@pytest.mark.parametrize("option", ["ssl_ca_certs", "ssl_certfile", "ssl_keyfile"])
def test_a_file_of_tls_that_is_missing_or_no_such_file_is_named(
    option: str, tmp_path: Path
) -> None:
    """A connection that fails over it would not say which it was."""
    file, rest = tmp_path / "ca.pem", ""
    if option == "ssl_keyfile":
        (tmp_path / "cert.pem").write_text("-----BEGIN CERTIFICATE-----")
        rest = f"&ssl_certfile={tmp_path}/cert.pem"
    url = f"rediss+cluster://localhost?{option}={file}{rest}"
    with pytest.raises(BadAddress, match=f"{option}: '{file}': No such file"):
        parse_address(url)
    file.write_text("nothing of the kind")
    with pytest.raises(BadAddress, match=f"{option}: '{file}' is no PEM file"):
        parse_address(url)
    file.write_text("-----BEGIN CERTIFICATE-----")
    assert arguments(parse_address(url))[option] == str(file)


def test_a_key_of_tls_goes_with_a_certificate(tmp_path: Path) -> None:
    """The one is of no use without the other."""
    file = tmp_path / "key.pem"
    file.write_text("-----BEGIN PRIVATE KEY-----")
    with pytest.raises(BadAddress, match="ssl_keyfile needs ssl_certfile"):
        parse_address(f"rediss://localhost?ssl_keyfile={file}")
