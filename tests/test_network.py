"""Proxies and certificates of the environment: what is used, what is left out, and what is refused by its variable."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autocraft.errors import UsageError
from autocraft.network import certificates, proxy_for
from tests.brains.stand_in import StandIn
from tests.conftest import STONE_PICKAXE, Place

PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environment", "expected"),
    [
        ("https://api.example/v1", {"HTTPS_PROXY": PROXY}, (PROXY, "HTTPS_PROXY")),
        ("https://api.example/v1", {"https_proxy": "proxy.example:3128"}, (PROXY, "https_proxy")),
        ("https://api.example/v1", {"ALL_PROXY": PROXY}, (PROXY, "ALL_PROXY")),
        ("https://api.example/v1", {"HTTP_PROXY": PROXY}, None),
        ("http://api.example/v1", {"HTTP_PROXY": PROXY}, (PROXY, "HTTP_PROXY")),
        ("http://localhost:8080/v1", {"HTTP_PROXY": PROXY, "ALL_PROXY": PROXY}, None),
        ("http://127.0.0.1:8080/v1", {"HTTP_PROXY": PROXY}, None),
        ("http://[::1]:8080/v1", {"HTTP_PROXY": PROXY}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": PROXY, "NO_PROXY": "other, api.example"}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": PROXY, "NO_PROXY": ".example"}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": PROXY, "NO_PROXY": "*"}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": PROXY, "NO_PROXY": "api.example:443"}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": PROXY, "NO_PROXY": "api.example:8443"}, (PROXY, "HTTPS_PROXY")),
        ("https://notapi.example/v1", {"HTTPS_PROXY": PROXY, "NO_PROXY": "api.example"}, (PROXY, "HTTPS_PROXY")),
        ("http://10.1.2.3/v1", {"HTTP_PROXY": PROXY, "NO_PROXY": "10.0.0.0/8"}, None),
        ("http://11.1.2.3/v1", {"HTTP_PROXY": PROXY, "NO_PROXY": "10.0.0.0/8"}, (PROXY, "HTTP_PROXY")),
        ("http://10.1.2.3/v1", {"HTTP_PROXY": "", "http_proxy": " "}, None),
        ("no address", {"ALL_PROXY": PROXY}, None),
    ],
)
def test_the_proxy_is_that_of_other_programs(
    url: str, environment: dict[str, str], expected: tuple[str, str] | None
) -> None:
    assert proxy_for(url, environment) == expected


@pytest.mark.parametrize(
    "value", ["ftp://proxy:1", "socks4://proxy:1", "http://", "http://proxy:99999", "http://proxy:x"]
)
def test_a_proxy_that_cannot_be_used_is_named_by_its_variable(value: str) -> None:
    with pytest.raises(UsageError, match="ALL_PROXY in the environment is no proxy that can be used"):
        proxy_for("https://api.example", {"ALL_PROXY": value})


@pytest.mark.parametrize("scheme", ["socks", "socks5", "socks5h"])
def test_a_socks_proxy_is_used_or_its_package_is_named(place: Place, scheme: str) -> None:
    done = place.run(
        *("run", *STONE_PICKAXE, "-c"),
        ALL_PROXY=f"{scheme}://127.0.0.1:9",
        OPENAI_BASE_URL="http://api.example/v1",
        SMART_LLM_MODEL="m",
    )
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2) and "ALL_PROXY" in said and "fault in autocraft itself" not in said


def test_a_proxy_that_does_not_answer_is_named_by_its_variable(place: Place) -> None:
    done = place.run(
        *("run", *STONE_PICKAXE, "-c"),
        HTTP_PROXY="http://127.0.0.1:9",
        OPENAI_BASE_URL="http://api.example/v1",
        SMART_LLM_MODEL="m",
    )
    assert "the proxy that HTTP_PROXY names does not let api.example be reached" in done.stdout + done.stderr


def test_a_server_on_this_computer_is_asked_directly(place: Place, stand_in: StandIn) -> None:
    proxies = {"HTTP_PROXY": "http://127.0.0.1:9", "ALL_PROXY": "socks5://127.0.0.1:9"}
    here = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m"}
    place.run("run", *STONE_PICKAXE, "-c", "--max-steps", "1", **here, **proxies)
    assert len(stand_in.requests) == 1


def test_certificates_come_from_the_variable_of_other_programs(tmp_path: Path) -> None:
    import certifi

    good = certifi.where()
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing")
    assert certificates({}) is None
    for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        assert certificates({variable: good}) == (Path(good), variable)
        for bad in (str(empty), str(tmp_path / "missing.pem")):
            with pytest.raises(UsageError, match=re.escape(f"{variable} in the environment names no file of")):
                certificates({variable: bad})
    assert certificates({"SSL_CERT_FILE": good, "REQUESTS_CA_BUNDLE": str(empty)}) == (Path(good), "SSL_CERT_FILE")
