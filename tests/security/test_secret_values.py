"""Which values count as secrets, whatever they are called and however they are built, and which words do not."""

from __future__ import annotations

import base64
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from autocraft.text.redact import Mask, secrets_in
from tests.conftest import Place
from tests.security.count import Tally
from tests.security.test_secrets import spelled

Kind = Callable[[str], Tally]
KEY = "qX7/rT2+wZ9vB4kL"
"""Random, as keys are, with the signs of base64."""
NAMES = [
    "PGPASSWORD", "SSHPASS", "SECRET_KEY_BASE", "AZURE_STORAGE_CONNECTION_STRING", "AUTHORIZATION",
    "DOCKER_AUTH_CONFIG", "X_PASSWORD", "DBPASSWORD", "CLIENTSECRET", "BEARER", "MNEMONIC", "RESTIC_PASSWORD_COMMAND",
    "DB_PASSWORD_OLD", "API_KEY_PROD", "API_KEY_OLD", "TOKEN_RW", "API_KEY_V", "SECRET_V2", "clientSecret",
    "dbPassword", "openai-api-key", "npm_config__authToken", "ConnectionStrings__Default", "MYSQLPWD", "GHTOKEN",
    "DBPASS", "ACCESSTOKEN", "LICENSEKEY", "OAUTH_TOKEN", "NPM_TOKEN_RO", "vault.token", "PRIVATE_KEY_PEM",
    "RAILS_MASTER_KEY", "CREDS", "AUTH_SALT", "JWT", "SMTP_PASS_BACKUP", "PASSWORDS", "KEY2",
    "AzureWebJobsStorageConnectionString", "MY_API_KEY_FOR_TESTS",
    "MAX_API_KEY", "AUTH_HEADER", "PROXY_AUTHORIZATION_HEADER", "PASSWORT", "NUM_SECRET", "PRIMARY_KEY", "S3_KEY",
]  # fmt: skip
HARMLESS = {
    "KEYBOARD": "us-intl-altgr-dead", "KEYMAP": "de-latin1-nodeadkeys", "AUTHOR": "Somebody Else",
    "GIT_AUTHOR_NAME": "Somebody Else", "GIT_AUTHOR_EMAIL": "somebody9x7@example.org",
    "GIT_ASKPASS": "/nowhere/askpass", "TOKENIZERS_PARALLELISM": "false",
    "SSH_AUTH_SOCK": "/tmp/ssh-XXqZ8bT4kV/agent.4711", "PWD": "/nowhere/Qx7rT2wZ9v", "OLDPWD": "/nowhere/Zx7rT2wZ9v",
    "XDG_RUNTIME_DIR": "/run/user/1000", "XDG_SESSION_TYPE": "wayland", "XDG_SESSION_DESKTOP": "gnome-xorg-9x7q2",
    "PASSENGER_APP_ENV": "production", "XAUTHORITY": "/run/user/1/.X9q7z2",
    "API_KEY_FILE": "/run/secrets/qX7rT2wZ9vB4kL", "DB_PASSWORD_FILE": "/run/secrets/qX7rT2wZ9vB4kL",
    "PASSWORD_STORE_DIR": "/nowhere/.password-store", "MAX_TOKENS": "160000000", "SMART_TOKEN_LIMIT": "160000000",
    "PUBLIC_KEY": "ssh-ed25519 qX7rT2wZ9vB4kLqX7rT2", "STRIPE_PUBLISHABLE_KEY": "pk_qX7rT2wZ9vB4kL",
    "TOKEN_URL": "https://login.test/oauth2/v2.0/q7z9", "AUTH_TYPE": "kerberos5-gssapi-q7",
    "COOKIE_DOMAIN": "q7z9x.example.org", "PASS_MAX_DAYS": "99999999", "SSH_CONNECTION": "10.0.0.7 51234 10.0.0.9 22",
    "SESSION_MANAGER": "local/q7z9:@/tmp/.ICE/17",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus,guid=a9f7c3e1b5d2",
    "GNOME_KEYRING_CONTROL": "/nowhere/k-Q7Z9X2", "KEYTIMEOUT": "12345678", "MONKEY": "qX7rT2wZ9vB4kL",
    "HOTKEYS": "ctrl+alt+q7z9x2w4", "BYPASS": "qX7rT2wZ9vB4kL", "COMPASS_PATH": "/nowhere/qX7rT2wZ9v",
    "SECRETARY": "qX7rT2wZ9vB4kL", "LESSKEYIN": "/nowhere/.lesskeyQ7Z9", "SSH_KEY": "/home/someone/.ssh/id",
    "PATH": "/usr/local/bin:/usr/bin", "HOME": "/home/someone", "LANG": "en_GB.UTF-8", "TERM": "xterm-256color",
    "LS_COLORS": "rs=0:di=01;34:*.tar=01;31:*.q7z=01;31", "EDITOR": "nvim", "SHLVL": "1",
    "NODE_OPTIONS": "--max-old-space-size=4096000", "JAVA_HOME": "/usr/lib/jvm/java-21", "HISTSIZE": "100000000",
    "COLORTERM": "truecolor", "WINDOWID": "123456789", "INVOCATION_ID": "a9f7c3e1b5d24f60", "DISPLAY": ":0",
    "KEYCLOAK_URL": "https://keycloak.test/realms/q7z9x2w4", "ACCESS_TOKEN_EXPIRES": "1735689600",
    "GPG_TTY": "/dev/pts/3", "COOKIECUTTER_CONFIG": "/nowhere/q7z9x2w4",
    "PIP_INDEX_URL": "https://pypi.example.org/q7z9x2w4/simple",
    "SORT_KEYS": "name-qX7rT2wZ9v", "PARTITION_KEY": "qX7rT2wZ9vB4kL", "NUM_KEYS": "160000000",
    "CREDENTIALS_DIRECTORY": "/run/credentials/q7z9x2w4.service",
}  # fmt: skip
"""An environment as a desktop, a container and a continuous build have it, with values that look random on purpose."""


def lost(name: str, value: str, secret: str) -> str:
    """What a text that holds `secret` still shows when `value` is in the environment under this name."""
    left = Mask(secrets_in({name: value})).text(f"before {secret} after")
    return left if secret in left else ""


def test_names(tally: Kind) -> None:
    attacks = tally("secrets")
    for name in NAMES:
        attacks.add(name, lost(name, KEY, KEY))
    attacks.done()
    assert lost("SOMETHING_ELSE", KEY, KEY), "the control: under another name it is no secret"


def test_names_of_a_real_environment_that_hold_none() -> None:
    found = secrets_in(HARMLESS)
    assert not found
    text = " ".join(HARMLESS.values())
    assert Mask(found).text(text) == text
    assert secrets_in(dict.fromkeys(HARMLESS, f"http://user:{KEY[4:]}@host.test/")), "the control: an address counts"


def test_values_that_begin_like_a_path(tally: Kind, tmp_path: Path) -> None:
    attacks = tally("secrets")
    for value in (f"/{KEY}", f"~{KEY}", f"./{KEY}", f"~/{KEY}", f"/{KEY}/{KEY}/{KEY}", "/not-a-path-secret"):
        attacks.add(value, lost("AWS_SECRET_ACCESS_KEY", value, value))
    for _ in range(50):
        value = f"/{base64.b64encode(secrets.token_bytes(30)).decode()[1:]}"
        attacks.add("a key of Amazon's with a slash first", lost("AWS_SECRET_ACCESS_KEY", value, value))
    attacks.done()
    there = tmp_path / "qX7rT2wZ9vB4kL"
    there.touch()
    assert secrets_in({"SSH_KEY": str(there), "MY_KEY_PATH": f"/{KEY}"}) == {}, "what exists, and what the name says"


PEM = base64.b64encode(bytes(range(7, 199))).decode()
LINES = [PEM[at : at + 64] for at in range(0, len(PEM), 64)]
ARMOUR = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *LINES, "c3VwZXI=", "-----END RSA PRIVATE KEY-----", ""])
ACCOUNT = json.dumps({"type": "service_account", "private_key_id": "a9f7c3e1b5d24f60", "private_key": ARMOUR})
SHAPES = {
    "AccountKey": ("STORE", f"Protocol=https;AccountName=shop;AccountKey={KEY}==;EndpointSuffix=core.test", f"{KEY}=="),
    "SharedAccessSignature": ("STORE", f"BlobEndpoint=https://x.test;SharedAccessSignature=sv=2;sig={KEY}", KEY),
    "SharedAccessKey": ("BUS", f"Endpoint=sb://x.test/;SharedAccessKeyName=root;SharedAccessKey={KEY}", KEY),
    "password in words": ("DB", f"host=db.test user=shop password={KEY}", KEY),
    "Password with a blank": ("ConnectionStrings__Main", f"Server=db;User Id=sa;Password = {KEY};", KEY),
    "quoted": ("DB", f"host=db.test password='{KEY}'", KEY),
    "an ordinary word": ("DB", "Server=db;Password=postgres;", "Password=postgres"),
    "an option": ("JAVA_OPTS", f"-Xmx4g -Djavax.net.ssl.trustStorePassword={KEY}", KEY),
    "a query": ("HOOK", "https://x.test/in?channel=1&token=q7Z9x2W4v6", "q7Z9x2W4v6"),
    "a query in percent": ("HOOK", "https://x.test/in?token=q7%2FZ9x2W4v6", "q7/Z9x2W4v6"),
    "a bearer": ("AUTHORIZATION", f"Bearer {KEY}", KEY),
    "basic": ("AUTHORIZATION", f"Basic {base64.b64encode(f'shop:{KEY}'.encode()).decode()}", KEY),
    "docker": ("DOCKER_AUTH_CONFIG", json.dumps({"auths": {"r.test": {"auth": KEY}}}), KEY),
    "docker, decoded": ("DOCKER_AUTH_CONFIG",
                        json.dumps({"auths": {"r.test": {"auth": base64.b64encode(b"me:q7Z9x2W4v6").decode()}}}),
                        "q7Z9x2W4v6"),
    "JSON under another name": ("SETUP", json.dumps([{"db": {"password": KEY}}]), KEY),
    "a service account": ("GOOGLE_CREDENTIALS", ACCOUNT, "a9f7c3e1b5d24f60"),
    "a line in a service account": ("GOOGLE_CREDENTIALS", ACCOUNT, LINES[1]),
    **{f"line {number} of PEM": ("SSH_PRIVATE_KEY", ARMOUR, line) for number, line in enumerate([*LINES, "c3VwZXI="])},
    "PEM on one line": ("SSH_PRIVATE_KEY", ARMOUR.replace("\n", "\\n"), LINES[1]),
    "PEM whole": ("SSH_PRIVATE_KEY", ARMOUR, ARMOUR.strip()),
    "a line end behind it": ("API_KEY", f"{KEY}\n", KEY),
}  # fmt: skip
"""What it is -> the name, its value, and the secret inside."""


def test_values_with_parts(tally: Kind) -> None:
    attacks = tally("secrets")
    for what, (name, value, secret) in SHAPES.items():
        attacks.add(what, lost(name, value, secret))
        attacks.add(f"{what}, in the whole", secret if secret in Mask(secrets_in({name: value})).text(value) else "")
    attacks.done()


def test_what_stands_beside_a_secret_stays() -> None:
    values = {name: value for name, value, _ in SHAPES.values()}
    mask = Mask(secrets_in({**values, "SSH_PRIVATE_KEY": ARMOUR, "GOOGLE_CREDENTIALS": ACCOUNT}))
    text = (
        "-----BEGIN RSA PRIVATE KEY-----\n-----END RSA PRIVATE KEY-----\nAccountName=shop; Password=other; "
        "type: service_account, core.test, image: postgres:16, Bearer, Basic"
    )
    assert mask.text(text) == text


# ---------------------------------------------------------------- words


WORDS = [
    ("DJANGO_SECRET_KEY", "development-key", "NODE_ENV=development"),
    ("DJANGO_SECRET_KEY", "development-key", "the development-keys of 2-development-key"),
    ("POSTGRES_PASSWORD", "postgres", "image: postgres:16"),
    ("MYSQL_ROOT_PASSWORD", "password", "--password=$FROM_FILE"),
    ("SESSION_SECRET", "keyboard cat", "a keyboard category"),
    ("JWT_SECRET", "supersecret", "kind: supersecret"),
    ("MINIO_ROOT_PASSWORD", "minioadmin", "user: minioadmin"),
    ("REDIS_PASSWORD", "changeme", "TODO changeme"),
    ("APP_KEY", "Password1", "LABEL Password1"),
    ("SECRET_KEY", "correct-horse-battery-staple", "correct-horse-battery"),
    ("SECRET_KEY", "django-insecure-k9x2q7z4v6w8", "use django-insecure-defaults here"),
    ("DATABASE_URL", "postgres://postgres:postgres@db/shop", "image: postgres:16 for postgres"),
    ("DB_PASSWORD", "12345678", "id 123456789"),
]


@pytest.mark.parametrize(("name", "value", "text"), WORDS)
def test_words_are_not_eaten(name: str, value: str, text: str) -> None:
    assert Mask(secrets_in({name: value})).text(text) == text


def by_half(secret: str, text: str) -> str:
    """A mask that knows no words, as an earlier version."""
    return text.replace(secret[: max(8, (len(secret) + 1) // 2)], "[key removed]")


def test_a_mask_without_words_eats_them() -> None:
    """The control."""
    eaten = [name for name, value, text in WORDS if by_half(value, text) != text]
    assert len(eaten) >= 8 and by_half("postgres", "image: postgres:16") == "image: [key removed]:16"


def test_a_secret_of_words_goes_where_it_stands_whole() -> None:
    mask = Mask({"development-key": "DJANGO_SECRET_KEY", "correct horse battery": "PASSPHRASE"})
    removed = "[key removed: DJANGO_SECRET_KEY]"
    assert mask.text("key='development-key'.") == f"key='{removed}'."
    assert mask.text("development-key") == removed
    assert mask.text(f"({base64.b64encode(b'development-key').decode()})") == f"({removed})"
    assert mask.text("say correct horse battery now") == "say [key removed: PASSPHRASE] now"
    assert mask.weak == ["DJANGO_SECRET_KEY", "PASSPHRASE"]


PASSPHRASES = [("CorrectHorseBattery99", "CorrectHorseBatter"), ("correct-horse-battery-staple-glue", "staple-glu")]
"""A long secret made of words, and what a cut must not leave of it."""
AROUND = ["-p{}", "pw%3D{}", '{{"env": "a\\n{}\\n"}}', "\x1b[31m{}\x1b[0m", "x_{}", "{}-old", "{}s", "2{}2"]


def test_a_long_secret_of_words_goes_whatever_touches_it(tally: Kind) -> None:
    attacks = tally("secrets")
    for secret, part in PASSPHRASES:
        mask = Mask({secret: "MYSQL_PWD"})
        for around in [*AROUND, "{}"]:
            left = mask.text(around.format(secret))
            attacks.add(f"{around} around {secret}", left if part in left else "")
        left = mask.text(f"head {secret[:-1]}")
        attacks.add(f"{secret} cut short", left if part in left else "")
    attacks.done()
    short = Mask({"development-key": "DJANGO_SECRET_KEY"})
    for around in AROUND:  # the control: a short one goes only where it stands alone
        assert short.text(around.format("development-key")) == around.format("development-key")


def test_random_secrets_are_hardly_ever_taken_for_words() -> None:
    made: Mapping[str, Callable[[], str]] = {
        "hex": lambda: secrets.token_hex(8),
        "base64": lambda: base64.b64encode(secrets.token_bytes(18)).decode(),
        "URL-safe": lambda: secrets.token_urlsafe(18),
        "prefixed": lambda: f"sk-proj-{secrets.token_urlsafe(12)}",
    }
    for what, make in made.items():
        weak = sum(bool(Mask({make(): "KEY"}).weak) for _ in range(500))
        assert weak <= 25, f"{weak} of 500 of {what}"
        for _ in range(50):  # and none stays where it stands whole
            key = make()
            assert key not in Mask([key]).text(f"x {key} y")


def test_the_person_is_told_of_weak_secrets_once_and_never_their_value(place: Place) -> None:
    weak = {"DJANGO_SECRET_KEY": "development-key", "POSTGRES_PASSWORD": "postgres", "OPENAI_API_KEY": KEY}
    arguments = ("run", "--goal", "craft 1 stick", "--inventory", "oak_log=1", "--brain", "planner", "-c")
    for more in ((), ("--json",)):
        done = place.run(*arguments, *more, **weak, ITEM_TOKEN="oak_planks")  # an item is never cut out
        assert done.returncode == 0 and done.stdout.count("Weak secrets: DJANGO_SECRET_KEY, POSTGRES_PASSWORD.") == 1
        assert not any(value in done.stdout for value in weak.values())
    for strong in ({"OPENAI_API_KEY": KEY}, {"OPENAI_API_KEY": "sk-local", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}):
        assert "Weak secrets" not in place.run(*arguments, **strong).stdout


# ---------------------------------------------------------------- its cost


def seconds(search: Callable[[str], object], text: str) -> float:
    """Return the processor's seconds of the shortest of several tries, so that a busy machine does not decide."""
    tries = []
    for _ in range(3):
        started = time.thread_time()
        search(text)
        tries.append(time.thread_time() - started)
    return min(tries)


@pytest.mark.full
def test_many_secrets_cost_less_than_trying_one_spelling_after_the_other() -> None:
    text = ("The quick brown fox reads /etc/hosts, then writes 42 lines of notes.\n" * 15_000)[:1_000_000]
    keys = [secrets.token_urlsafe(24) for _ in range(60)]
    mask = Mask(keys)
    assert mask.text(text) is text
    one_by_one = re.compile("|".join(re.escape(each.written[:16]) for key in keys for each in spelled(key)))
    assert one_by_one.search(text) is None
    assert seconds(mask.text, text) < seconds(one_by_one.search, text)
