"""The guarded fetch against a site on loopback: what it must never reach, and what a bad server cannot do to it.

Every attack is also tried on an unprotected fetcher, which shows that it would have succeeded.
"""

from __future__ import annotations

import gzip
import http.client
import ipaddress
import socket
import ssl
import threading
import tracemalloc
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.commands.web.address import is_public, read_url
from autocraft.commands.web.fetch import Fetcher, FetchResult, FetchStop
from autocraft.commands.web.settings import WebSettings
from autocraft.errors import CommandError, UsageError
from tests.commands.site import CERTIFICATE, Names, Site, Wire
from tests.security.count import ATTACKS, counted
from tests.waiting import until

pytestmark = pytest.mark.sampled(15)


def _urls(text: str) -> list[str]:
    return text.split()


SECRET = "the secret of this machine"
DIRECT = _urls("""
http://127.0.0.1:PORT/ http://localhost:PORT/ http://LOCALHOST:PORT/ http://localhost.:PORT/ http://127.0.0.1.:PORT/
http://127.1:PORT/ http://127.0.1:PORT/ http://127.127.127.127:PORT/ http://2130706433:PORT/ http://0x7f000001:PORT/
http://0x7f.0.0.1:PORT/ http://0X7F.1:PORT/ http://017700000001:PORT/ http://0177.0.0.1:PORT/ http://0.0.0.0:PORT/
http://0:PORT/ http://[::ffff:127.0.0.1]:PORT/ http://[::ffff:7f00:1]:PORT/ http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/
http://example.com@127.0.0.1:PORT/ http://example.com:80@127.0.0.1:PORT/ http://user:hunter2@127.0.0.1:PORT/
http://127.0.0.1:PORT\\@example.com/ http://example.com\\@127.0.0.1:PORT/ http:\\\\127.0.0.1:PORT/
http://①②⑦.⓪.⓪.①:PORT/ http://１２７.0.0.1:PORT/ http://127。0。0。1:PORT/ http://127．0．0．1:PORT/
http://lⓞcalhost:PORT/ http://127%2e0%2e0%2e1:PORT/ http://%31%32%37.0.0.1:PORT/ http://inside.test:PORT/
http://twofold.test:PORT/ http://mapped.test:PORT/ http://127.0.0.1:PORT/#@example.com http://127.0.0.1:PORT?@example.com
//127.0.0.1:PORT/ http:127.0.0.1:PORT/ http:/127.0.0.1:PORT/ http:///127.0.0.1:PORT/ HTTP://127.0.0.1:PORT/
""")
"""Aimed at the secret of a server on loopback."""
CONTROLS = [
    "http://127.0.0.1:PORT/\r\nX: y", "http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: y\r\n\r\n", "http://127.0.0.1\t:PORT/",
    "http://127.0.0.1:PORT\n/", "\thttp://127.0.0.1:PORT/", "ht\ntp://127.0.0.1:PORT/", "http://example.com\0.test/",
    "http://127.0.0.1:PORT/\ud800",
]  # fmt: skip
ELSEWHERE = _urls("""
http://169.254.169.254/latest/meta-data/ http://[fd00:ec2::254]/ http://metadata.test/ http://100.100.100.200/
http://192.0.0.192/ http://168.63.129.16/ http://2852039166/ http://0xa9fea9fe/ http://[::ffff:169.254.169.254]/
http://[::1]:PORT/ http://[::]:PORT/ http://[::127.0.0.1]:PORT/ http://[fe80::1]/ http://[fe80::1%25lo]:PORT/
http://[fd12:3456::1]/ http://[fec0::1]/ http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/ http://172.31.0.1/
http://192.168.0.1/ http://100.64.0.1/ http://198.18.0.1/ http://192.0.2.1/ http://203.0.113.1/ http://192.88.99.1/
http://224.0.0.1/ http://240.0.0.1/ http://255.255.255.255/ http://[ff02::1]/ http://[64:ff9b::7f00:1]/
http://[64:ff9b::a9fe:a9fe]/ http://[64:ff9b:1::1]/ http://[2002:7f00:1::]/ http://[2002:a9fe:a9fe::1]/
http://[2001:0:5ef5:79fd::80ff:fffe]/ http://[2606:4700::5efe:7f00:1]/ http://[2001:db8::1]/ http://[3fff::1]/
http://[5f00::1]/ http://local.test/ http://carrier.test/ http://garbage.test/ http://nowhere.test/
http://[v1.127]/ http://[127.0.0.1]/ http://127.0.0.1:0/ http://127.0.0.1:99999/ http://127.0.0.1:x/ http:// http://:80/
http://./ http://-/ http://a..b/ http://example..com/ http://exa_mple-.com/ file:///etc/passwd file://localhost/etc/passwd
FILE:///etc/passwd ftp://127.0.0.1/ gopher://127.0.0.1:PORT/_x dict://127.0.0.1:PORT/ ldap://127.0.0.1/ ws://127.0.0.1/
data:text/html,secret javascript:alert(1) jar:http://127.0.0.1/ view-source:http://127.0.0.1/ unix:/tmp/socket
about:blank blob:http://127.0.0.1/ 127.0.0.1:PORT localhost:PORT /etc/passwd example.com ../..
""")
"""Aimed at other places, or at nothing that can be understood."""


def names() -> Names:
    return Names(
        site_test=[["127.0.0.1"]],
        safe_test=[["127.0.0.1"]],
        inside_test=[["127.0.0.1"]],
        twofold_test=[["93.184.216.34", "127.0.0.1"]],
        mapped_test=[["::ffff:127.0.0.1"]],
        metadata_test=[["169.254.169.254"]],
        local_test=[["fe80::1%1"]],
        carrier_test=[["100.64.1.1"]],
        garbage_test=[["not an address"]],
        nowhere_test=[[]],
    )


@pytest.fixture
def secret() -> Iterator[Site]:
    made = Site()
    made.put("/", SECRET, "text/plain")
    yield made
    made.close()


def fetcher(**settings: Any) -> Fetcher:
    return Fetcher(WebSettings(**{"allow_hosts": ("site.test",), "seconds": 10.0, **settings}), resolve=names())


def fetch(url: str, **settings: Any) -> FetchResult:
    return fetcher(**settings).fetch(url)


def unprotected(url: str) -> bytes:
    """What many programs do: the standard library's opener, after the tolerance that browsers have."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    url = "".join(url.split("\r\n")[0].split(" HTTP")[0].split()).replace("\\", "/")
    url = url.replace("inside.test", "127.0.0.1").replace("twofold.test", "127.0.0.1")
    scheme, _, rest = url.partition("//")
    place, slash, path = rest.partition("/")
    with opener.open(f"{scheme or 'http:'}//{place.rpartition('@')[2]}{slash}{path}", timeout=5) as answer:
        data: bytes = answer.read(1000)
        return data


def reached(act: Callable[[], object]) -> bool:
    try:
        act()
    except (OSError, ValueError, http.client.HTTPException):
        return False
    return True


# ---------------------------------------------------------------- attacks


def test_no_address_leads_inside(secret: Site, record_property: Callable[[str, object], None]) -> None:
    """Typed by the model: nobody is connected to, and one line of ours says why."""
    names = DIRECT + CONTROLS + ELSEWHERE
    attacks = [each.replace("PORT", str(secret.port)) for each in names]
    through = []
    with Wire.watch() as seen:
        for attack in attacks:
            try:
                fetch(attack)
                through.append(attack)
            except CommandError as error:
                assert "\n" not in str(error) and "hunter2" not in str(error) and str(error).isprintable()
    record_property(ATTACKS, counted("addresses", names, max(len(through), len(seen), secret.connections)))
    assert (through, seen, secret.connections) == ([], [], 0)
    aimed = [each.replace("PORT", str(secret.port)) for each in DIRECT + CONTROLS] + ["file:///etc/hosts"]
    fell = sum(reached(lambda each=each: unprotected(each)) for each in aimed)  # type: ignore[misc]
    print(
        f"\nURLs: {len(attacks)} attempted, {len(through)} let through; unprotected {fell} of {len(aimed)} let through"
    )
    assert len(attacks) >= 100 and fell >= 20 and secret.connections >= 20


def test_no_redirect_leads_inside(site: Site, secret: Site, record_property: Callable[[str, object], None]) -> None:
    names = DIRECT + CONTROLS[:2] + ELSEWHERE
    attacks = [each.replace("PORT", str(secret.port)) for each in names]
    for number, attack in enumerate(attacks):
        site.lead(f"/{number}", attack, (301, 302, 303, 307, 308)[number % 5])
    pages = {("127.0.0.1", site.port)}
    with Wire.watch() as seen:
        for number in range(len(attacks)):
            try:
                came = fetch(site.url(f"/{number}"))
                assert urlsplit(came.url).hostname == "site.test"  # a relative address, of the site itself
            except CommandError as error:
                assert "\n" not in str(error)
    through = [each for each in seen if each not in pages]
    record_property(ATTACKS, counted("redirects", names, max(len(through), secret.connections)))
    assert (through, secret.connections) == ([], 0)
    fell = sum(
        reached(lambda path=path: unprotected(site.url(path, "127.0.0.1")))  # type: ignore[misc]
        for path in (f"/{number}" for number in range(len(DIRECT)))
    )
    print(
        f"\nredirects: {len(attacks)} attempted, {len(through)} let through; "
        f"unprotected {fell} of {len(DIRECT)} followed, {secret.connections} reached the secret"
    )
    assert secret.connections >= 10


def test_a_name_that_changes_its_address_gets_nowhere(
    secret: Site, record_property: Callable[[str, object], None]
) -> None:
    """The check and the connection see the same answer; a fetcher that asks twice reads the secret."""
    url = f"http://rebinding.test:{secret.port}/"
    public, inside = ["93.184.216.34"], ["127.0.0.1"]
    attempts = [[public, inside], [public, public, inside], [inside, public], [[*public, *inside], inside]]
    tries = []
    for answers in attempts:
        changing = Names(rebinding_test=answers)
        with Wire.watch() as seen, pytest.raises(CommandError):
            Fetcher(WebSettings(seconds=5.0), resolve=changing).fetch(url)
        tries.append((len(changing.asked), seen))
    record_property(ATTACKS, counted("changing names", map(str, attempts), secret.connections))
    assert secret.connections == 0
    assert tries == [(1, [(*public, secret.port)]), (1, [(*public, secret.port)]), (1, []), (1, [])]

    changing = Names(rebinding_test=[public, inside])
    host = "rebinding.test"
    assert all(is_public(each) for each in changing(host, 80))
    with socket.create_connection((changing(host, 80)[0], secret.port)) as line:
        line.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert SECRET.encode() in b"".join(iter(lambda: line.recv(4096), b""))
    print(f"\nchanging names: {len(attempts)} attempted, {secret.connections - 1} let through; unprotected 1 of 1")


def test_a_redirect_to_a_name_that_changes_its_address(site: Site, secret: Site) -> None:
    site.lead("/", f"http://rebinding.test:{secret.port}/")
    changing = Names(site_test=[["127.0.0.1"]], rebinding_test=[["93.184.216.34"], ["127.0.0.1"]])
    with Wire.watch() as seen, pytest.raises(CommandError, match=r"rebinding.test failed"):
        Fetcher(WebSettings(allow_hosts=("site.test",)), resolve=changing).fetch(site.url())
    assert seen == [("127.0.0.1", site.port), ("93.184.216.34", secret.port)]
    assert secret.connections == 0


@pytest.mark.parametrize(
    "public",
    [
        "8.8.8.8",
        "93.184.216.34",
        "1.1.1.1",
        "2606:4700:4700::1111",
        "2a00:1450::1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ],
)
def test_public_addresses_are_public(public: str) -> None:
    assert is_public(public)


def _inside() -> st.SearchStrategy[ipaddress.IPv4Address]:
    nets = (
        "10.0.0.0/8",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "0.0.0.0/8",
    )
    return (
        st.sampled_from(nets)
        .flatmap(lambda net: st.ip_addresses(network=net))
        .map(lambda ip: ipaddress.IPv4Address(int(ip)))
    )


@given(_inside(), st.integers(0, 2**32 - 1))
def test_nothing_holds_an_inner_address(inner: ipaddress.IPv4Address, other: int) -> None:
    """Neither itself nor any IPv6 address whose packets would end there."""
    v4 = int(inner)
    holders = [
        0xFFFF << 32 | v4,  # mapped
        v4,  # compatible
        0x64FF9B << 96 | v4,  # NAT64
        0x2002 << 112 | v4 << 80 | other,  # 6to4
        0x20010000 << 96 | other << 64 | (v4 ^ 0xFFFFFFFF),  # Teredo, the client
        0x20010000 << 96 | v4 << 64 | other,  # Teredo, the server
        0x2606470000000000 << 64 | 0x5EFE << 32 | v4,  # ISATAP
        0x2606470000000000 << 64 | 0x2005EFE << 32 | v4,
    ]
    assert not is_public(str(inner))
    for each in holders:
        assert not is_public(str(ipaddress.IPv6Address(each)))


@given(st.text(max_size=60) | st.text(alphabet="htps:/@[]#?.%x01279\\ aä。①\r\n", max_size=40).map("http://".__add__))
def test_any_text_is_an_address_or_refused(url: str) -> None:
    try:
        address = read_url(url)
    except CommandError as error:
        assert str(error).startswith("refused: the URL") and str(error).isprintable()
        return
    assert address.url.isascii() and address.url.isprintable() and " " not in address.url
    assert read_url(address.url) == address
    assert "@" not in address.place


def test_only_the_allowed_host_and_port(site: Site, secret: Site) -> None:
    assert fetch(secret.url(), allow_hosts=(f" Site.test:{secret.port}",)).body == SECRET.encode()
    with pytest.raises(CommandError, match="not a public address"):
        fetch(site.url(), allow_hosts=(f"site.test:{secret.port}",))
    assert fetch(f"http://127.0.0.1:{secret.port}", allow_hosts=("127.0.0.1",)).status == 200
    with pytest.raises(CommandError, match=r"allow_hosts in autocraft.toml"):
        fetch(f"http://localhost:{secret.port}", allow_hosts=("127.0.0.1",))


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("http://Example.COM", "http://example.com/"),
        (" https://example.com:443/a b?q=ä b#part ", "https://example.com/a%20b?q=%C3%A4%20b"),
        ("http://example.com:8080?x=1", "http://example.com:8080/?x=1"),
        ("http://bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4"),
        ("http://faß.example", "http://xn--fa-hia.example/"),
        ("http://аррӏе.com/", "http://xn--80ak6aa92e.com/"),
        ("http://example.com./", "http://example.com/"),
        ("http://under_score.example/%7Ea/../b", "http://under_score.example/%7Ea/../b"),
        ("http://[2606:4700:4700:0::1111]:81/", "http://[2606:4700:4700::1111]:81/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://example.com//double?a@b:c", "http://example.com//double?a@b:c"),
        ("http://example.com/?a=[1]&b={2}", "http://example.com/?a=[1]&b={2}"),
    ],
)
def test_what_an_address_means(url: str, read: str) -> None:
    assert read_url(url).url == read
    assert read_url(read).url == read


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "017700000001", "0127.0.0.1", "8.8.2056", "0x"])
def test_numbers_in_unusual_forms_are_not_even_looked_up(host: str) -> None:
    asked = names()
    with pytest.raises(CommandError, match="an IP address in an unusual form"):
        Fetcher(WebSettings(), resolve=asked).fetch(f"http://{host}/")
    assert asked.asked == []


def test_an_address_without_end() -> None:
    for url in ("http://example.com/" + "x" * 5000, "http://" + "ä" * 3000, "http://" + "a." * 1500):
        with pytest.raises(CommandError, match="refused"):
            read_url(url)


def test_the_request_carries_nothing_but_the_question(
    site: Site, secret: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("machine site.test login me password hunter2\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{secret.port}")
    site.put("/end", "there")
    site.put("/", "", status=302, Location="/end", Set_Cookie="a=b; Path=/")
    assert fetch(site.url("/?q=1")).body == b"there"
    assert secret.connections == 0
    assert [path for path, _ in site.requests] == ["/?q=1", "/end"]
    for _, headers in site.requests:
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert headers["host"] == f"site.test:{site.port}"


# ---------------------------------------------------------------- redirects


def test_redirects_up_to_the_cap(site: Site) -> None:
    site.put("/0", "end")
    for number in range(1, 8):
        site.lead(f"/{number}", f"{number - 1}" if number % 2 else site.url(f"/{number - 1}"))
    came = fetch(site.url("/5"))
    assert (came.body, came.url) == (b"end", site.url("/0"))
    with pytest.raises(CommandError, match="redirects more than 5 times"):
        fetch(site.url("/6"))
    assert len(site.requests) == 6 + 6
    with pytest.raises(CommandError, match="more than 0 times"):
        fetch(site.url("/1"), redirects=0)


def test_redirect_loops_end(site: Site) -> None:
    site.lead("/self", "/self")
    site.lead("/a", "/b")
    site.lead("/b", "/a#again")
    for path, requests in (("/self", 1), ("/a", 2)):
        site.requests.clear()
        with pytest.raises(CommandError, match="in a circle"):
            fetch(site.url(path))
        assert len(site.requests) == requests


def test_a_redirect_without_an_address_is_an_answer(site: Site) -> None:
    site.put("/", "nothing", status=302)
    assert fetch(site.url()).status == 302


# ---------------------------------------------------------------- caps


def test_a_page_of_50_mb_is_cut(site: Site) -> None:
    site.pour("/length", b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n", b"x" * 50_000)
    site.pour(
        "/chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"C350\r\n" + b"x" * 50_000 + b"\r\n"
    )
    for path in ("/length", "/chunks"):
        site.sent = 0
        site.left.clear()
        came = fetch(site.url(path), max_bytes=1_000_000)
        assert (len(came.body), came.body_end) == (1_000_000, "cut")
        assert site.left.wait(60)
        assert site.sent < 25_000_000  # what the system's buffers hold, not the page


def test_a_bomb_is_cut_while_it_is_unpacked(site: Site) -> None:
    packed = gzip.compress(b"\0" * 50_000_000, 9)
    assert len(packed) < 60_000
    site.put("/", packed, "text/html", Content_Encoding="gzip")
    came = fetch(site.url(), max_bytes=100_000)
    assert (len(came.body), came.body_end) == (100_000, "cut")


def test_a_bomb_takes_no_memory(site: Site) -> None:
    site.put("/", gzip.compress(b"\0" * 50_000_000, 9), "text/html", Content_Encoding="gzip")
    tracemalloc.start()
    try:
        fetch(site.url(), max_bytes=100_000)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_packing_that_holds_nothing_is_capped_too(site: Site) -> None:
    """Empty blocks without end: nothing comes of them, so only the bytes of the wire count."""
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10]
    site.pour("/", head, b"\0\0\0\xff\xff" * 10_000)
    came = fetch(site.url(), max_bytes=1_000_000, seconds=60)
    assert (came.body, came.body_end) == (b"", "cut")
    assert site.left.wait(60)


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (gzip.compress(b"hello"), (b"hello", "whole")),
        (gzip.compress(b"hello")[:-8], (b"hello", "early")),  # without the sum that says it is whole
        (b"", (b"", "whole")),
    ],
    ids=["whole", "cut", "empty"],  # gzip writes the time into the bytes
)
def test_a_packed_page_is_unpacked(site: Site, body: bytes, read: tuple[bytes, str]) -> None:
    site.put("/", body, Content_Encoding="gzip")
    came = fetch(site.url())
    assert (came.body, came.body_end) == read


@pytest.mark.parametrize(
    ("encoding", "body", "why"),
    [
        ("gzip", b"this is not gzip", "cannot be decompressed"),
        ("br", b"xx", "compressed with br"),
        ("gzip, gzip", b"xx", "compressed with an unknown way"),
        ("x\x1b[31m", b"xx", "compressed with an unknown way"),
    ],
)
def test_what_cannot_be_unpacked(site: Site, encoding: str, body: bytes, why: str) -> None:
    site.put("/", body, Content_Encoding=encoding)
    with pytest.raises(CommandError, match=why):
        fetch(site.url())


@pytest.mark.parametrize(
    "head",
    [b"", b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1", b"HTTP/1.1 100 Continue\r\n\r\n"],
)  # fmt: skip
@pytest.mark.sampled(2)
def test_a_slow_drip_ends_by_the_clock(site: Site, head: bytes) -> None:
    """Each piece comes in time, the whole never would."""
    site.pour("/", head, b"0" if head.endswith(b"1") else b"x", pause=0.02)
    with pytest.raises(CommandError, match=r"did not end within 0\.4 s"):
        fetch(site.url(), seconds=0.4)
    assert site.left.wait(60)


def test_a_server_that_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for scheme in ("http", "https"):
            with pytest.raises(CommandError, match=r"did not end within|does not answer"):
                fetch(f"{scheme}://site.test:{silent.getsockname()[1]}/", seconds=0.3)


def test_a_resolver_that_says_nothing() -> None:
    held = threading.Event()

    def resolve(host: str, port: int) -> list[str]:
        held.wait(60)
        return []

    with pytest.raises(CommandError, match="did not end within"):
        Fetcher(WebSettings(seconds=0.2), resolve=resolve).fetch("http://example.com/")
    held.set()


@pytest.mark.parametrize("path", ["/body", "/head"])
def test_stopped_from_outside(site: Site, path: str) -> None:
    site.pour("/body", b"HTTP/1.1 200 OK\r\n\r\n", b"x", pause=0.02)
    site.pour("/head", b"HTTP/1.1 200 OK\r\nX: ", b"x", pause=0.02)
    stop = FetchStop()
    errors = []

    def run() -> None:
        try:
            fetcher(seconds=60).fetch(site.url(path), stop)
        except CommandError as error:
            errors.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    assert site.pouring.wait(60)
    stop.now("enough")
    thread.join(60)
    assert not thread.is_alive()
    assert errors == ["enough"]
    assert site.left.wait(60)


def test_stopped_before_it_began(site: Site) -> None:
    stop = FetchStop()
    stop.now("enough")
    with pytest.raises(CommandError, match="enough"):
        fetcher().fetch(site.url(), stop)
    assert site.connections == 0


# ---------------------------------------------------------------- bad servers


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "failed"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "not HTTP"),
        (b"HTTP/1.1 abc\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n", "refused|cannot be read|not HTTP"),
        (b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe\x1b[31m\r\n\r\n", "refused"),
    ],
)
def test_what_is_no_http(site: Site, raw: bytes, why: str) -> None:
    site.raw("/", raw)
    with pytest.raises(CommandError, match=why) as caught:
        fetch(site.url())
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "raw",
    [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf"],
)  # fmt: skip
def test_a_page_that_breaks_off_is_kept_and_known_as_such(site: Site, raw: bytes) -> None:
    site.raw("/", raw)
    came = fetch(site.url())
    assert (came.body, came.body_end) == (b"half", "early")


def test_nobody_there(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(CommandError, match=r"nothing answers at site\.test"):
        fetch(f"http://site.test:{port}/")
    with pytest.raises(CommandError, match=r"name no\.invalid is not known"):
        Fetcher(WebSettings(), resolve=_fails).fetch("http://no.invalid/")


def _fails(host: str, port: int) -> list[str]:
    raise socket.gaierror(-2, "Name or service not known")


def test_an_unwanted_kind_is_not_read(site: Site) -> None:
    site.put("/", b"%PDF" * 1000, "Application/PDF; x=y")
    came = fetcher().fetch(site.url(), wanted=lambda kind: kind != "application/pdf")
    assert (came.kind, came.body, came.length) == ("application/pdf", b"", 4000)


# ---------------------------------------------------------------- https


@pytest.fixture
def safe() -> Iterator[Site]:
    made = Site(tls=True)
    made.put("/", "over TLS", "text/plain")
    yield made
    made.close()


def secure(trust: ssl.SSLContext | None) -> Fetcher:
    return Fetcher(WebSettings(allow_hosts=("safe.test", "site.test")), resolve=names(), trust=trust)


def test_https_holds_the_name_to_its_certificate(safe: Site, site: Site) -> None:
    trust = ssl.create_default_context(cafile=str(CERTIFICATE))
    assert secure(trust).fetch(f"https://safe.test:{safe.port}/").body == b"over TLS"
    with pytest.raises(CommandError, match=r"certificate of site\.test is not valid"):
        secure(trust).fetch(f"https://site.test:{safe.port}/")
    with pytest.raises(CommandError, match=r"certificate of safe\.test is not valid"):
        secure(None).fetch(f"https://safe.test:{safe.port}/")
    with pytest.raises(CommandError, match="no encrypted connection"):
        secure(trust).fetch(f"https://site.test:{site.port}/")


def test_leaving_https_is_noted(safe: Site, site: Site) -> None:
    site.put("/", "in the open", "text/plain")
    safe.lead("/down", site.url())
    site.lead("/up", f"https://safe.test:{safe.port}/")
    trust = ssl.create_default_context(cafile=str(CERTIFICATE))
    came = secure(trust).fetch(f"https://safe.test:{safe.port}/down")
    assert (came.body, came.notes) == (
        b"in the open",
        ("safe.test redirected from https to http, which others can read and change",),
    )
    assert secure(trust).fetch(site.url("/up")).notes == ()


def test_a_user_agent_that_cannot_be_in_a_request_is_refused() -> None:
    with pytest.raises(UsageError, match=r"web\.user_agent must be"):
        Fetcher(WebSettings(user_agent="a\r\nX: y"))


def test_connections_are_closed(site: Site) -> None:
    """Whatever the server says about keeping them."""
    site.put("/", "x", "text/plain")
    site.put("/packed", b"no gzip", Content_Encoding="gzip")
    site.lead("/led", "/")
    before = len(list(Path("/dev/fd").iterdir()))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        for _ in range(30):
            fetch(site.url("/led"))
            with pytest.raises(CommandError):
                fetch(site.url("/packed"))
    assert [str(each.message) for each in told] == []
    # the site's own half may close a moment later
    until(lambda: len(list(Path("/dev/fd").iterdir())) <= before + 4, "the end of all connections")
