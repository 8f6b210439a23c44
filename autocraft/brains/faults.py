"""What went wrong with a call: which fault it is, what the person is told, whether another try may help.

Each fault has one line that says what to do next.
"""

from __future__ import annotations

import email.utils
import json
import re
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from autocraft.brains.bounds import Wait
from autocraft.brains.endpoint import CONNECT_SECONDS, OpenAISettings
from autocraft.brains.overflow import is_overflow, limit_in
from autocraft.errors import BrainError, ContextOverflow
from autocraft.http_client import Refusal
from autocraft.text.phrases import near_names
from autocraft.text.sanitize import clean

Kind = Literal[
    "overflow", "quota", "filter", "key", "rights", "model", "address", "rate", "server", "loading",
    "request", "refused", "lost", "cut", "timeout", "garbage", "unsafe",
]  # fmt: skip
_AGAIN: Mapping[Kind, str] = {
    "rate": "rate limit",
    "server": "server error",
    "loading": "the model is being loaded",
    "lost": "connection lost",
    "cut": "the answer was cut off",
}
"""The faults that another try may mend, as a countdown names them."""
_LINES: Mapping[Kind, str] = {
    "overflow": "the prompt is too long for {model} ({said}): lower SMART_TOKEN_LIMIT",
    "quota": "the quota of your key at {where} is used up: add credit, then resume",
    "filter": "the content filter of {where} stopped this: reword the goal or your feedback, or take another model",
    "key": "{where} refuses the key: check {key}",
    "rights": "{where} does not allow this key to do that ({said}): check its rights",
    "model": "{where} does not know the model {model!r}",
    "address": "{where} takes no chat at {address}: should OPENAI_BASE_URL end in /v1?",
    "rate": "{where} limits the rate of calls: wait a little, then resume",
    "loading": "{where} is still loading the model: wait a little, then resume",
    "server": "{where} has an error of its own ({said}): resume later",
    "request": "{where} refuses the request ({said}): check the model and its settings",
}
"""What the person is told when the endpoint itself says what is wrong."""
_LONGEST_CODE = 200
_LONGEST_TEXT = 4_000
_STATUS = re.compile(r"[1-9][0-9]{2}")
_QUOTA = re.compile(r"insufficient[_ ](?:quota|credit|balance|funds)|exceeded your current quota|requires more credits")
_FILTER = re.compile(r"content[_ ](?:filter|policy)|content management policy|moderation|responsibleai", re.IGNORECASE)
_MODEL = re.compile(
    r"\bmodel\b.{0,160}?(?:not found|does(?:n't| not) exist|not loaded)|(?:unknown|no such|invalid) model"
    r"|not a valid model|no models? loaded|no endpoints found for|deployment for this resource does not exist",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """What an endpoint said about a call that failed; `status` is 0 where there was none."""

    status: int = 0
    code: str = ""
    param: str = ""
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The text as a part of one line."""
        return " ".join(self.text.split())[:200]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `wait` is how many seconds the endpoint asks for, None where it does not say."""

    kind: Kind
    text: str
    said: Said = field(default_factory=Said)
    wait: float | None = None

    @property
    def again(self) -> str:
        """Why it may be tried again, empty where that cannot help."""
        return _AGAIN.get(self.kind, "")

    def error(self, note: str = "") -> BrainError:
        """The exception to raise; `note` tells of tries that were made."""
        text = f"{self.text}{note}"
        return ContextOverflow(text, limit_in(self.said.text)) if self.kind == "overflow" else BrainError(text)


class Failed(Exception):
    """Carries a Fault from where it is seen to where it is decided what to do; never leaves the room."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


def said_by(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Said:
    """Read an error in any of the forms in use: an object with `error`, `detail` or `message`, a string, a page.

    The texts are cleaned and cut. Never raises, whatever the body holds.
    """
    body = body.get("error", body) if isinstance(body, dict) else body
    code = param = ""
    if isinstance(body, dict):
        code = _words(body.get("code") or body.get("type"), _LONGEST_CODE)
        param = _words(body.get("param"), _LONGEST_CODE)
        text = _words(body.get("message") or body.get("detail") or body)
        metadata = body.get("metadata")  # OpenRouter hands on what the provider behind it said
        if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
            text = f"{text}: {_words(metadata['raw'])}"
        if _STATUS.fullmatch(code):
            status, code = status or int(code), _words(body.get("type"), _LONGEST_CODE) or code
    else:
        text = _words(body)
    if text.lstrip()[:1] == "<":
        text = ""  # a web page, as a proxy sends it
    return Said(status, code, param, text[:_LONGEST_TEXT], headers or {})


def _words(value: Any, most: int = _LONGEST_TEXT) -> str:
    """A part of an error as clean text of at most `most` characters.

    Empty where there is none, or it nests too deep to be written.
    """
    if not isinstance(value, str):
        try:
            value = json.dumps(value, default=str) if value else ""
        except (ValueError, RecursionError):
            return ""
    return clean(value[:most])[:most]


def fault_of(error: Exception, settings: OpenAISettings, model: str) -> Fault:
    """The fault behind an exception of the SDK, of its transport or of reading. Anything unknown is garbage."""
    import httpx2
    import openai

    if isinstance(error, openai.APIStatusError):
        return judged(said_by(error.status_code, error.body, error.response.headers), settings, model)
    if isinstance(error, (openai.APIConnectionError, httpx2.RequestError)):
        return _not_reached(error, settings)
    if isinstance(error, TimeoutError):
        return too_late(settings, "piece")
    if isinstance(error, UnicodeEncodeError):  # texts are well-formed, so it is the head of the request
        return Fault(
            "key",
            f"nothing was sent to {settings.where}: {_key(settings)} holds a character that no key has; check it",
        )
    if isinstance(error, Refusal):
        return Fault("unsafe", f"{settings.where} {error}")
    if isinstance(error, openai.APIError):  # told of inside a stream, or a body that does not fit
        return judged(said_by(0, error.body or error.message), settings, model)
    return _garbage(settings)


def judged(said: Said, settings: OpenAISettings, model: str) -> Fault:
    """Which fault an endpoint's words and status mean, and the line for it."""
    kind = _kind(said)
    text = _LINES[kind].format(
        where=settings.where,
        model=model or settings.where,
        address=settings.address,
        key=_key(settings),
        said=said.line or said.status,
    )
    waits = kind in ("rate", "server", "loading")
    return Fault(kind, text, said, _retry_after(said) if waits else None)


def _kind(said: Said) -> Kind:
    """The words go first: servers disagree about the status."""
    status, text = said.status, f"{said.code} {said.text}"
    rules: Sequence[tuple[Kind, bool]] = (
        ("overflow", status == 413 or is_overflow(said.text, said.code)),
        ("quota", status == 402 or bool(_QUOTA.search(text))),
        ("filter", bool(_FILTER.search(said.code)) or (400 <= status < 500 and bool(_FILTER.search(text)))),
        ("key", status == 401),
        ("rights", status == 403),
        ("model", "model_not_found" in said.code or (status in (0, 400, 404, 422) and bool(_MODEL.search(text)))),
        ("address", status in (404, 405)),
        ("rate", status == 429 or "rate_limit" in said.code),
        ("loading", status == 503 and "loading" in text.lower()),
        ("server", status in (0, 408, 409) or status >= 500),
    )
    return next((kind for kind, fits in rules if fits), "request")


def cut_off(where: str, came: bool) -> Fault:
    """A stream without its end; `came` tells whether anything of an answer did."""
    if came:
        return Fault("cut", f"{where} cut its answer off in the middle: resume to ask again")
    return Fault("cut", f"{where} closed the connection without an answer: look at its log, then resume")


def wrong_type(settings: OpenAISettings, kind: str) -> Fault:
    text = f"{settings.where} sent {kind or 'something without a type'} instead of an answer"
    return Fault("garbage", f"{text}: should OPENAI_BASE_URL ({settings.address}) end in /v1?")


def name_models(fault: Fault, settings: OpenAISettings, model: str, role: str, ids: Sequence[str]) -> Fault:
    """The unknown-model fault with the names near it, or the first ones on offer."""
    variable = "FAST_LLM_MODEL" if role == "fast" else "SMART_LLM_MODEL"
    by_case = {each.lower(): each for each in ids}
    near = [by_case[each] for each in near_names(model.lower(), by_case)]
    near += [each for each in ids if model and model.lower() in each.lower() and each not in near]
    if near:
        tail = f"did you mean {', '.join(near[:4])}? Set {variable}"
    elif ids:
        tail = f"it has {', '.join(ids[:6])}{', …' if len(ids) > 6 else ''}; set {variable}"
    else:
        tail = f"set {variable}"
    profile = settings.profile
    if profile is not None and profile.get and model:
        tail += f", or get it with: {profile.get.format(model=model)}"
    return Fault("model", f"{settings.where} does not know the model {model!r}: {tail}", fault.said)


def _not_reached(error: Exception, settings: OpenAISettings) -> Fault:
    import httpx2

    where, causes = settings.where, _causes(error)
    if any(isinstance(each, httpx2.TimeoutException) for each in causes):
        connecting = any(isinstance(each, httpx2.ConnectTimeout) for each in causes)
        return _unreachable(settings) if connecting else too_late(settings, "piece")
    if any(isinstance(each, httpx2.DecodingError) for each in causes):
        return _garbage(settings)
    if any(isinstance(each, ssl.SSLError) for each in causes):
        text = f"no safe connection to {where}: is it http instead of https, or its certificate not trusted?"
        return Fault("address", text)
    if any(isinstance(each, socket.gaierror) for each in causes):
        return Fault("refused", f"the address of {where} is not known here: check OPENAI_BASE_URL and the network")
    if any(isinstance(each, httpx2.ConnectError) for each in causes):
        profile = settings.profile
        if settings.local:
            start = f" with: {profile.start}" if profile is not None and profile.start else ""
            return Fault("refused", f"nothing answers at {settings.address}: start the server{start}")
        return Fault("refused", f"cannot reach {where}: check OPENAI_BASE_URL and the network")
    if any(isinstance(each, (httpx2.UnsupportedProtocol, httpx2.InvalidURL)) for each in causes):
        return Fault("address", f"the address {settings.address!r} cannot be used: check OPENAI_BASE_URL")
    return Fault("lost", f"the connection to {where} was lost: resume to try again")


def _key(settings: OpenAISettings) -> str:
    """The name under which the person gave the key."""
    profile = settings.profile
    return profile.key if profile is not None and profile.key else "OPENAI_API_KEY"


def _garbage(settings: OpenAISettings) -> Fault:
    text = f"{settings.where} sent something that is not an answer: is OPENAI_BASE_URL a chat endpoint?"
    return Fault("garbage", text)


def _unreachable(settings: OpenAISettings) -> Fault:
    seconds = min(CONNECT_SECONDS, settings.timeout)
    text = f"{settings.where} cannot be reached within {seconds:g} s: check OPENAI_BASE_URL and the network"
    return Fault("timeout", text)


def too_late(settings: OpenAISettings, missing: Wait) -> Fault:
    """The fault of an answer that was waited for too long."""
    what, variable = {
        "piece": (f"sent no piece of an answer for {settings.timeout:g} s", "OPENAI_TIMEOUT"),
        "text": (f"sent pieces without text for {settings.stall_seconds:g} s", "OPENAI_STALL_SECONDS"),
        "end": (f"did not end its answer within {settings.answer_seconds:g} s", "OPENAI_ANSWER_SECONDS"),
    }[missing]
    return Fault("timeout", f"{settings.where} {what}: give it more with {variable}, then resume")


def _retry_after(said: Said) -> float | None:
    """Seconds that the headers ask for: a number of milliseconds or seconds, or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = said.headers.get(name, "")
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return float(value) * unit
        try:
            date = email.utils.parsedate_tz(value) if value else None
            if date is not None:
                return max(0.0, email.utils.mktime_tz(date) - time.time())
        except (ValueError, OverflowError):
            continue
    return None


def _causes(error: BaseException) -> list[BaseException]:
    """An exception and all that led to it, members of groups too."""
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or each in seen:
            continue
        seen.append(each)
        waiting += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
    return seen
