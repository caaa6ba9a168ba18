"""The settings: what each variable may hold, what is said when it holds something else."""

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from referee.service.service import CAPACITY
from referee.settings import NAMES, Settings, SettingsError, unknown_names

OLD_SECRET = "o" * 32
NEW_SECRET = "n" * 40


def read(**variables: str) -> Settings:
    """Read settings from `REFEREE_<name>` variables, with logs going to a file."""
    environ = {f"REFEREE_{name}": text for name, text in variables.items()}
    return Settings.from_environment(environ, terminal=False)


def refusal(**variables: str) -> str:
    """Give what reading these variables is refused with."""
    with pytest.raises(SettingsError) as caught:
        read(**variables)
    assert caught.value.name in {f"REFEREE_{name}" for name in variables}
    assert str(caught.value).startswith(caught.value.name + ": ")
    return str(caught.value)


def write_pem(
    path: Path,
    key: Ed25519PrivateKey,
    encryption: KeySerializationEncryption | None = None,
) -> str:
    """Write the private key to the file and give the file's name."""
    path.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())
    )
    return str(path)


# ── Defaults ──────────────────────────────────────────────────────────────────────────────────────


def test_an_empty_environment_gives_the_defaults_of_the_contract() -> None:
    """With nothing set the service listens on loopback port 8080 over the embedded store."""
    settings = read()
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8080, 1)
    assert settings.redis_url is None
    assert settings.data_dir == Path("referee-data")
    assert settings.secrets == ()
    assert settings.allow_seed is False
    assert settings.min_replicas == 0
    assert settings.signing_key is None
    assert settings.command_rate == 20
    assert (settings.print_token, settings.require_durable) == (True, False)
    assert settings.cache_matches == CAPACITY
    assert settings.archive is None
    assert (settings.idle_s, settings.drain_s) == (0, 0)
    assert (settings.log_level, settings.log_format) == ("info", "json")


def test_logs_on_a_terminal_are_for_people_unless_told_otherwise() -> None:
    """The terminal decides only the default of the log format."""
    assert Settings.from_environment({}, terminal=True).log_format == "console"
    told = {"REFEREE_LOG_FORMAT": "json"}
    assert Settings.from_environment(told, terminal=True).log_format == "json"


def test_the_terminal_is_looked_for_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output may be piped on (a token, a table): logs are not there."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert Settings.from_environment({}).log_format == "console"
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    assert Settings.from_environment({}).log_format == "json"


def test_the_listed_defaults_are_the_real_ones() -> None:
    """The default that a row names is the value that a row shows when nothing is set."""
    for row in read().describe():
        listed = row.default.removeprefix("./")
        assert listed.startswith(row.value), row.name


# ── Values that are taken ─────────────────────────────────────────────────────────────────────────


def test_every_variable_is_read() -> None:
    """Each variable fills its own field."""
    settings = read(
        HOST="::1",
        PORT="0",
        WORKERS="4",
        REDIS_URL="redis://localhost:6379/2",
        DATA_DIR="somewhere/else",
        ALLOW_SEED="1",
        MIN_REPLICAS="2",
        COMMAND_RATE="0",
        ARCHIVE="archive",
        DRAIN_S="5",
        PRINT_TOKEN="0",
        CACHE_MATCHES="1",
        METRICS_PORT="9090",
        REQUIRE_DURABLE="1",
        LOG_LEVEL="DEBUG",
        LOG_FORMAT="console",
    )
    assert (settings.host, settings.port, settings.workers) == ("::1", 0, 4)
    assert settings.redis_url == "redis://localhost:6379/2"
    assert (settings.data_dir, settings.archive) == (Path("somewhere/else"), "archive")
    assert (settings.drain_s, settings.print_token, settings.cache_matches) == (5, False, 1)
    assert settings.allow_seed is True
    assert (settings.min_replicas, settings.command_rate) == (2, 0)
    assert (settings.metrics_port, settings.require_durable) == (9090, True)
    assert (settings.log_level, settings.log_format) == ("debug", "console")


def test_secrets_keep_their_order_so_that_the_first_signs() -> None:
    """A rotation puts the new secret first and leaves the old one to verify."""
    settings = read(SECRET=f"{NEW_SECRET}, {OLD_SECRET}\n")
    assert settings.secrets == (NEW_SECRET.encode(), OLD_SECRET.encode())


def test_a_secret_is_measured_in_bytes_not_in_letters() -> None:
    """Sixteen letters of two bytes each are 32 bytes."""
    assert read(SECRET="é" * 16).secrets == (("é" * 16).encode(),)


def test_an_ed25519_key_is_read_from_its_file(tmp_path: Path) -> None:
    """The key is in the settings, so that nobody has to open the file a second time."""
    key = Ed25519PrivateKey.generate()
    settings = read(SIGNING_KEY=write_pem(tmp_path / "key.pem", key))
    assert settings.signing_key is not None
    raw = Encoding.Raw, PublicFormat.Raw
    read_back = settings.signing_key.private.public_key().public_bytes(*raw)
    assert read_back == key.public_key().public_bytes(*raw)


@pytest.mark.parametrize("together", [False, True])
def test_several_keys_may_stand_in_files_or_in_one(tmp_path: Path, together: bool) -> None:  # noqa: FBT001
    """The first signs; the others signed before it, and their public keys are still shown."""
    files = [Path(write_pem(tmp_path / name, Ed25519PrivateKey.generate())) for name in "abc"]
    if together:
        files[0].write_bytes(b"\n".join(file.read_bytes() for file in files))
    keys = read(SIGNING_KEY=str(files[0]) if together else ", ".join(map(str, files))).signing_key
    assert keys is not None
    assert len(keys.others) == 2
    public = {key.public_key().public_bytes_raw() for key in (keys.private, *keys.others)}
    assert len(public) == 3


def test_one_key_that_is_none_spoils_them_all(tmp_path: Path) -> None:
    """It is named."""
    (tmp_path / "b").write_text("no key")
    good = write_pem(tmp_path / "a", Ed25519PrivateKey.generate())
    assert "/b' is something else" in refusal(SIGNING_KEY=f"{good},{tmp_path / 'b'}")


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost",
        "redis://:p%40ss@127.0.0.1:6380/1",
        "rediss://user:word@store.example:6379/0?ssl_cert_reqs=required",
        "redis://[::1]:6379",
        "unix:///run/referee/store.sock",
        "unix://user:word@/run/store.sock?db=1",
        "redis+cluster://one:7000,two:7001",
        "rediss+cluster://user:word@one:7000,two:7001",
        "rediss+sentinel://one,two/primary",
        "redis+sentinel://:word@one:26379,two:26379,[fd00::1]:26379/primary/0",
    ],
)
def test_every_kind_of_store_may_be_named(url: str) -> None:
    """Single servers, sockets, clusters and sentinels, with names, passwords and IPv6."""
    assert read(REDIS_URL=url).redis_url == url


@pytest.mark.parametrize("url", ["s3://bucket", "gs://bucket/a/b", "az://container/a"])
def test_an_archive_may_be_an_object_store(url: str) -> None:
    """Of each of the three kinds."""
    assert read(ARCHIVE=url).archive == url


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    """As it would in the variable, with the line end that editors leave."""
    (tmp_path / "secret").write_text(f"{NEW_SECRET},{OLD_SECRET}\n")
    (tmp_path / "url").write_text("redis://:word@store:6379/1\n")
    settings = read(SECRET_FILE=f"{tmp_path}/secret", REDIS_URL_FILE=f"{tmp_path}/url")
    assert settings.secrets == (NEW_SECRET.encode(), OLD_SECRET.encode())
    assert settings.redis_url == "redis://:word@store:6379/1"
    settings.check_serve()


# ── Values that are refused ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [name.removeprefix("REFEREE_") for name in NAMES])
@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_value_is_refused_whatever_the_variable(name: str, blank: str) -> None:
    """A blank that stands for "unset" would hide a deployment's mistake."""
    assert "is empty" in refusal(**{name: blank})


@pytest.mark.parametrize(
    ("name", "bad", "may_be"),
    [
        ("HOST", "two words", "a host name or an IP address"),
        ("HOST", "http://localhost", "a host name or an IP address"),
        ("PORT", "65536", "a whole number from 0 to 65535"),
        ("PORT", "-1", "a whole number from 0 to 65535"),
        ("PORT", "8_080", "a whole number from 0 to 65535"),
        ("PORT", "8e3", "a whole number from 0 to 65535"),
        ("PORT", "8080.0", "a whole number from 0 to 65535"),
        ("PORT", "٨٠", "a whole number from 0 to 65535"),
        ("PORT", "9" * 5000, "a whole number from 0 to 65535"),
        ("METRICS_PORT", "0", "a whole number from 1 to 65535"),
        ("WORKERS", "0", "a whole number from 1"),
        ("WORKERS", "2.5", "a whole number from 1"),
        ("MIN_REPLICAS", "-1", "a whole number from 0"),
        ("ALLOW_SEED", "yes", "one of 0, 1"),
        ("ALLOW_SEED", "2", "one of 0, 1"),
        ("ALLOW_SEED", "true", "one of 0, 1"),
        ("ALLOW_SEED", "-0", "one of 0, 1"),
        ("PRINT_TOKEN", "no", "one of 0, 1"),
        ("CACHE_MATCHES", "0", "a whole number from 1"),
        ("ARCHIVE", "ftp://host/a", "a folder, or s3://BUCKET"),
        ("ARCHIVE", "s3://", "a folder, or s3://BUCKET"),
        ("ARCHIVE", "s3://BUCKET/path", "a folder, or s3://BUCKET"),
        ("ARCHIVE", "s3://bucket/path?region=x", "a folder, or s3://BUCKET"),
        ("ARCHIVE", "s3://bucket//path", "a folder, or s3://BUCKET"),
        ("LOG_LEVEL", "loud", "one of debug, info, warning, error, critical"),
        ("LOG_FORMAT", "xml", "one of json, console"),
    ],
)
def test_a_bad_value_is_named_with_what_it_may_be(name: str, bad: str, may_be: str) -> None:
    """The message names the variable, what it may hold and what stands there."""
    message = refusal(**{name: bad})
    assert may_be in message
    assert repr(bad) in message


def test_the_port_that_kubernetes_sets_is_recognised() -> None:
    """A Service named referee sets REFEREE_PORT to an address; the message says what stops it."""
    assert "enableServiceLinks: false" in refusal(PORT="tcp://10.0.0.1:8080")


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """A folder may be missing still, but not be something else."""
    file = tmp_path / "file"
    file.write_text("")
    assert "must be a folder" in refusal(DATA_DIR=str(file))
    assert "must be a folder" in refusal(ARCHIVE=str(file))


@pytest.mark.parametrize(
    ("secrets", "which"),
    [
        ("tooshort", "number 1 of 1 has 8 bytes"),
        (f"{NEW_SECRET},tooshort", "number 2 of 2 has 8 bytes"),
        (f"{NEW_SECRET},", "number 2 of 2 has 0 bytes"),
    ],
)
def test_a_short_secret_is_refused_and_not_shown(secrets: str, which: str) -> None:
    """The message says which one is too short and by its length alone."""
    message = refusal(SECRET=secrets)
    assert "at least 32 bytes" in message
    assert which in message
    assert "tooshort" not in message
    assert NEW_SECRET not in message


@pytest.mark.parametrize(
    "url",
    [
        "http://:mackerel@localhost",
        "redis://:mackerel@localhost/abc",
        "redis://localhost?dbb=mackerel",
        "localhost:6379?password=mackerel",
    ],
)
def test_an_unusable_store_is_refused_without_showing_its_password(url: str) -> None:
    """The message says which addresses there are and repeats nothing of this one."""
    message = refusal(REDIS_URL=url)
    assert "redis+sentinel://" in message
    assert "mackerel" not in message
    assert "mack" not in message


@pytest.mark.parametrize("name", ["SECRET", "REDIS_URL"])
def test_a_file_that_holds_no_secret_is_refused_and_not_shown(tmp_path: Path, name: str) -> None:
    """The message names the variable that names the file, and what may stand there."""
    file = tmp_path / "file"
    assert "No such file" in refusal(**{f"{name}_FILE": str(file)})
    file.write_text("mackerel://")
    message = refusal(**{f"{name}_FILE": str(file)})
    assert message.startswith(f"REFEREE_{name}_FILE: what is in '{file}' must be ")
    assert "mackerel" not in message
    file.write_text("\n")
    assert "is empty" in refusal(**{f"{name}_FILE": str(file)})


def test_a_secret_stands_in_one_place(tmp_path: Path) -> None:
    """Which of two would count nobody can know."""
    (tmp_path / "secret").write_text(OLD_SECRET)
    with pytest.raises(SettingsError, match=r"^REFEREE_SECRET_FILE: set either this or REF"):
        read(SECRET=NEW_SECRET, SECRET_FILE=f"{tmp_path}/secret")


@pytest.mark.parametrize(
    "setting",
    [
        "SECRET_FILE={}",
        "REDIS_URL_FILE={}",
        "SIGNING_KEY={}",
        "REDIS_URL=rediss://store?ssl_ca_certs={}",
        "REDIS_URL=rediss://store?ssl_certfile={}",
    ],
)
def test_nothing_is_waited_for_in_place_of_a_file(tmp_path: Path, setting: str) -> None:
    """A pipe may have no writer, and a device no end: both are told at once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    name, _, value = setting.partition("=")
    for no_file in (pipe, "/dev/zero"):
        message = refusal(**{name: value.format(no_file)})
        assert str(no_file) in message
        assert "no plain file" in message


def test_a_folder_that_no_name_can_have_is_refused() -> None:
    """Whatever the system says of it, under the variable's name."""
    assert "File name too long" in refusal(DATA_DIR="/" + 300 * "x")


def test_a_signing_key_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The message quotes the path and says what the system said."""
    assert "No such file" in refusal(SIGNING_KEY=str(tmp_path / "none.pem"))


def test_a_file_that_holds_no_key_is_refused(tmp_path: Path) -> None:
    """What is no PEM is told from what is not there, without showing what it is."""
    file = tmp_path / "key.pem"
    file.write_text("mackerel")
    message = refusal(SIGNING_KEY=str(file))
    assert "private key and no passphrase" in message
    assert "mackerel" not in message


def test_a_key_with_a_passphrase_is_refused(tmp_path: Path) -> None:
    """Nobody is there to type one when the service starts."""
    key = Ed25519PrivateKey.generate()
    name = write_pem(tmp_path / "key.pem", key, BestAvailableEncryption(b"mackerel"))
    assert "no passphrase" in refusal(SIGNING_KEY=name)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    """Receipts are Ed25519 signatures: a P-256 key cannot make them."""
    file = tmp_path / "key.pem"
    key = generate_private_key(SECP256R1())
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert "Ed25519" in refusal(SIGNING_KEY=str(file))


def test_a_key_pasted_in_place_of_its_file_is_refused_and_not_shown() -> None:
    """The variable names a file; a message must not carry the key into the logs."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    message = refusal(SIGNING_KEY=pem)
    assert "must be the name of a PEM file" in message
    assert pem.splitlines()[1] not in message


# ── What goes together ────────────────────────────────────────────────────────────────────────────


def test_serving_from_an_external_store_needs_a_secret() -> None:
    """Processes that share a store must agree on the secret: none may make up its own."""
    with pytest.raises(SettingsError, match=r"^REFEREE_SECRET: ") as caught:
        read(REDIS_URL="redis://localhost").check_serve()
    assert caught.value.name == "REFEREE_SECRET"


def test_serving_from_the_embedded_store_needs_no_secret() -> None:
    """It is made and kept in the data folder."""
    settings = read()
    settings.check_serve()
    assert settings.secrets == ()


def test_matches_are_not_ended_sooner_than_an_order_may_say() -> None:
    """Never, or after a minute at the earliest and a year at the latest."""
    for seconds in ("0", "60", "31536000"):
        read(IDLE_S=seconds).check_serve()
    with pytest.raises(SettingsError, match=r"^REFEREE_IDLE_S: must be 0 \(never\), or 60 to"):
        read(IDLE_S="59").check_serve()
    for seconds in ("-1", "31536001", "1.5"):
        with pytest.raises(SettingsError, match=r"^REFEREE_IDLE_S: "):
            read(IDLE_S=seconds)


def test_the_embedded_store_is_not_asked_for_replicas() -> None:
    """It has none, so that every commit would wait in vain."""
    with pytest.raises(SettingsError, match=r"^REFEREE_MIN_REPLICAS: "):
        read(MIN_REPLICAS="1").check_serve()
    read(MIN_REPLICAS="1", REDIS_URL="redis://localhost", SECRET=NEW_SECRET).check_serve()


# ── What is shown ─────────────────────────────────────────────────────────────────────────────────


def shown(settings: Settings) -> dict[str, str]:
    """Give the current values as listed, by variable."""
    return {row.name: row.value for row in settings.describe()}


def test_the_list_has_a_line_for_every_variable_of_the_contract() -> None:
    """The names are the contract's, in its order, each with a default and a meaning."""
    rows = read().describe()
    assert [row.name for row in rows] == [
        "REFEREE_HOST",
        "REFEREE_PORT",
        "REFEREE_WORKERS",
        "REFEREE_REDIS_URL",
        "REFEREE_REDIS_URL_FILE",
        "REFEREE_DATA_DIR",
        "REFEREE_SECRET",
        "REFEREE_SECRET_FILE",
        "REFEREE_ALLOW_SEED",
        "REFEREE_MIN_REPLICAS",
        "REFEREE_SIGNING_KEY",
        "REFEREE_ARCHIVE",
        "REFEREE_COMMAND_RATE",
        "REFEREE_IDLE_S",
        "REFEREE_DRAIN_S",
        "REFEREE_PRINT_TOKEN",
        "REFEREE_CACHE_MATCHES",
        "REFEREE_METRICS_PORT",
        "REFEREE_REQUIRE_DURABLE",
        "REFEREE_LOG_LEVEL",
        "REFEREE_LOG_FORMAT",
    ]
    assert all(row.default and row.meaning for row in rows)


def test_the_list_shows_values_but_no_secret(tmp_path: Path) -> None:
    """Secrets are counted, passwords starred out, and a key shown by its file."""
    name = write_pem(tmp_path / "key.pem", Ed25519PrivateKey.generate())
    values = shown(
        read(
            PORT="9000",
            ALLOW_SEED="1",
            SECRET=f"{NEW_SECRET},{OLD_SECRET}",
            REDIS_URL="rediss://user@store:6379/1?password=word",
            SIGNING_KEY=name,
        )
    )
    assert values["REFEREE_PORT"] == "9000"
    assert values["REFEREE_ALLOW_SEED"] == "1"
    assert values["REFEREE_SECRET"] == "set, 2 (hidden)"
    assert values["REFEREE_REDIS_URL"] == "rediss://***@store:6379/1?***"
    assert values["REFEREE_SIGNING_KEY"] == name


def test_the_settings_print_without_their_secrets() -> None:
    """A traceback or a log line with the settings in it gives nothing away."""
    text = repr(read(SECRET=NEW_SECRET, REDIS_URL="redis://:mackerel@store"))
    assert "redis://***@store" in text
    assert NEW_SECRET not in text
    assert "mackerel" not in text


# ── Misspelt names ────────────────────────────────────────────────────────────────────────────────


def test_misspelt_names_are_listed_in_order() -> None:
    """What is nearly a setting is told from what is one, and from what is another program's."""
    names = ["REFEREE_WORKER", "REFEREE_PORT", "REFEREE_HOSTS", "REFEREE", "PATH"]
    assert unknown_names(dict.fromkeys(names, "1")) == ("REFEREE_HOSTS", "REFEREE_WORKER")


def test_names_of_the_tests_and_of_the_audit_command_are_known() -> None:
    """They are read elsewhere and are no mistake of the server's."""
    names = ["REFEREE_TEST_REDIS_URL", "REFEREE_TOKEN", *NAMES]
    assert unknown_names(dict.fromkeys(names, "1")) == ()
