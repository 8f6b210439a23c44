"""Why a call failed: the kind of fault, the line for the person, and whether another try may help.

Each line says what to do next.
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
from autocraft.network import proxy_for
from autocraft.text.phrases import near_names
from autocraft.text.sanitize import clean

Kind = Literal[
    "overflow", "quota", "filter", "key", "rights", "model", "address", "rate", "server", "loading",
    "request", "refused", "lost", "cut", "stall", "timeout", "garbage", "unsafe",
]  # fmt: skip
_AGAIN: Mapping[Kind, str] = {
    "rate": "rate limit",
    "server": "server error",
    "loading": "the model is being loaded",
    "lost": "connection lost",
    "cut": "the answer was cut off",
    "stall": "the answer stopped coming",
}
"""The faults after which another try may help, as a countdown names them."""
_LINES: Mapping[Kind, str] = {
    "overflow": "the prompt is too long for {model} ({said}): {widen}",
    "quota": "the quota of your key at {where} is used up: add credit, then resume",
    "filter": "the content filter of {where} stopped this: reword the goal or your feedback, or take another model",
    "key": "{where} refuses the key: check {key}",
    "rights": "{where} does not allow this key to do that ({said}): check its rights",
    "model": "{where} does not know the model {model!r}",
    "address": "{where} offers no chat at {address}: should OPENAI_BASE_URL end in /v1?",
    "rate": "{where} limits the rate of calls: wait a little, then resume",
    "loading": "{where} is still loading the model: wait a little, then resume",
    "server": "{where} has an error of its own ({said}): resume later",
    "request": "{where} refuses the request ({said}): check the model and its settings",
}
"""The line for the person if the endpoint itself says what is wrong."""
_LONGEST_CODE = 200
_LONGEST_TEXT = 4_000
_STATUS = re.compile(r"[1-9][0-9]{2}")
_SECONDS = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s?")
_SAID_DELAY = re.compile(
    r"(?:try again|retry|wait)\D{0,20}?(?:(?P<minutes>\d{1,3}) ?m(?:in(?:ute)?s?)? ?)?"
    r"(?P<seconds>\d{1,5}(?:\.\d{1,9})?) ?s(?:ec(?:ond)?s?)?\b",
    re.IGNORECASE,
)
_MOST_VALUES = 1_000
_QUOTA = re.compile(r"insufficient[_ ](?:quota|credit|balance|funds)|exceeded your current quota|requires more credits")
_FILTER = re.compile(r"content[_ ](?:filter|policy)|content management policy|moderation|responsibleai", re.IGNORECASE)
_KEY = re.compile(
    r"(?:incorrect|invalid|bad|wrong)[_ ]api[_ ]?key|api[_ ]?key[_ ](?:is )?(?:not valid|invalid|incorrect)"
    r"|no_db_connection|authentication[_ ]error",
    re.IGNORECASE,
)
"""A refused key, where the status is another one than 401: xAI, Gemini and LiteLLM send 400."""
_MODEL = re.compile(
    r"\bmodel\b.{0,160}?(?:not found|does(?:n't| not) exist|not loaded)|(?:unknown|no such|invalid) model"
    r"|not a valid model|no models? loaded|no endpoints found for|deployment for this resource does not exist",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """What an endpoint reported about a call that failed. `status` is 0 if there was none."""

    status: int = 0
    code: str = ""
    param: str = ""
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float | None = None
    """The seconds that the body asks to wait."""

    @property
    def line(self) -> str:
        """Return the text as a part of one line."""
        return " ".join(self.text.split())[:200]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `wait` is how many seconds the endpoint asks to wait, None if it does not say."""

    kind: Kind
    text: str
    report: ErrorReport = field(default_factory=ErrorReport)
    wait: float | None = None

    @property
    def again(self) -> str:
        """Return why another try may help. Return '' if it cannot."""
        return _AGAIN.get(self.kind, "")

    def error(self, note: str = "") -> BrainError:
        """Return the exception to raise. `note` mentions earlier tries."""
        text = f"{self.text}{note}"
        return ContextOverflow(text, limit_in(self.report.text)) if self.kind == "overflow" else BrainError(text)


class ModelFailed(Exception):
    """Carries a Fault from where it is found to where it is handled. It never leaves this package."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


def report_of(status: int, body: Any, headers: Mapping[str, str] | None = None) -> ErrorReport:
    """Read an error in any of the usual forms: an object with `error`, `detail` or `message`, a string, a web page.

    The texts are sanitised and shortened. Never raises, whatever the body holds.
    """
    delay = _delay_in(body)
    if isinstance(body, list) and body and isinstance(body[0], dict):  # as Gemini sends it
        body = body[0]
    body = body.get("error", body) if isinstance(body, dict) else body
    code = param = ""
    if isinstance(body, dict):
        code = _words(body.get("code") or body.get("type"), _LONGEST_CODE)
        if isinstance(body.get("status"), str) and _STATUS.fullmatch(code):  # Google's word for the code
            body = {**body, "type": body["status"]}
        param = _words(body.get("param"), _LONGEST_CODE)
        text = _words(body.get("message") or body.get("detail") or body)
        metadata = body.get("metadata")  # OpenRouter passes on the error of the provider behind it
        if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
            text = f"{text}: {_words(metadata['raw'])}"
        if _STATUS.fullmatch(code):
            status, code = status or int(code), _words(body.get("type"), _LONGEST_CODE) or code
    else:
        text = _words(body)
    if text.lstrip()[:1] == "<":
        text = ""  # a web page, as a proxy sends it
    if delay is None and (said := _SAID_DELAY.search(text)):
        delay = float(said["minutes"] or 0) * 60 + float(said["seconds"])
    return ErrorReport(status, code, param, text[:_LONGEST_TEXT], headers or {}, delay)


def _delay_in(body: Any) -> float | None:
    """Return the seconds of a ``retryDelay`` or ``retry_after`` anywhere in a body. Return None if there is none."""
    waiting, seen = [body], 0
    while waiting and seen < _MOST_VALUES:
        value, seen = waiting.pop(), seen + 1
        if isinstance(value, dict):
            for name in ("retryDelay", "retry_delay", "retry_after"):
                match = _SECONDS.fullmatch(str(value.get(name, "")))
                if match:
                    return float(match[1])
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return None


def _words(value: Any, most: int = _LONGEST_TEXT) -> str:
    """Return a part of an error as clean text of at most `most` characters.

    Return '' if there is none, or if it is nested too deeply for JSON.
    """
    if not isinstance(value, str):
        try:
            value = json.dumps(value, default=str) if value else ""
        except (ValueError, RecursionError):
            return ""
    return clean(value[:most])[:most]


def fault_of(error: Exception, settings: OpenAISettings, model: str) -> Fault:
    """Return the fault behind an exception of the SDK, of its transport or of reading. Anything unknown is garbage."""
    import httpx2
    import openai

    if isinstance(error, openai.APIStatusError):
        return judge(report_of(error.status_code, error.body, error.response.headers), settings, model)
    if isinstance(error, (openai.APIConnectionError, httpx2.RequestError)):
        return _connection_fault(error, settings)
    if isinstance(error, TimeoutError):
        return timeout_fault(settings, "piece")
    if isinstance(error, UnicodeEncodeError):  # texts are well-formed, so a header of the request is not
        return Fault(
            "key",
            f"nothing was sent to {settings.where}: {_key(settings)} holds a character that no key can hold; check it",
        )
    if isinstance(error, Refusal):
        return Fault("unsafe", f"{settings.where} {error}")
    if isinstance(error, openai.APIError):  # an error reported inside a stream, or a body of the wrong shape
        return judge(report_of(0, error.body or error.message), settings, model)
    return _garbage(settings)


def judge(report: ErrorReport, settings: OpenAISettings, model: str) -> Fault:
    """Return the fault that an endpoint's words and status mean, with its line."""
    kind = _kind(report)
    text = _LINES[kind].format(
        where=settings.where,
        model=model or settings.where,
        address=settings.address,
        key=_key(settings),
        widen=_widen(settings),
        said=report.line or report.status,
    )
    waits = kind in ("rate", "server", "loading")
    return Fault(kind, text, report, _retry_after(report) if waits else None)


def _kind(report: ErrorReport) -> Kind:
    """Return the kind of a fault. The words are checked first: servers disagree about the status."""
    status, text = report.status, f"{report.code} {report.text}"
    rules: Sequence[tuple[Kind, bool]] = (
        ("overflow", status == 413 or is_overflow(report.text, report.code)),
        ("quota", status == 402 or bool(_QUOTA.search(report.code))),
        ("rate", status == 429 and _retry_after(report) is not None),
        ("quota", bool(_QUOTA.search(text))),
        ("filter", bool(_FILTER.search(report.code)) or (400 <= status < 500 and bool(_FILTER.search(text)))),
        ("key", status == 401 or (status == 400 and bool(_KEY.search(text)))),
        ("rights", status == 403),
        ("model", "model_not_found" in report.code or (status in (0, 400, 404, 422) and bool(_MODEL.search(text)))),
        ("address", status in (404, 405)),
        ("rate", status == 429 or "rate_limit" in report.code),
        ("loading", status == 503 and "loading" in text.lower()),
        ("server", status in (0, 408, 409) or status >= 500),
    )
    return next((kind for kind, fits in rules if fits), "request")


def _widen(settings: OpenAISettings) -> str:
    """Return what gives a prompt more room."""
    profile = settings.profile
    if profile is not None and profile.widen:
        return f"start the server with a larger window ({profile.widen}), or lower SMART_TOKEN_LIMIT"
    return "lower SMART_TOKEN_LIMIT"


def cut_off_fault(where: str, has_text: bool) -> Fault:
    """Return the fault of a stream without an end. `has_text` says whether any part of an answer was received."""
    if has_text:
        return Fault("cut", f"{where} cut its answer off in the middle: resume to ask again")
    return Fault("cut", f"{where} closed the connection without an answer: look at its log, then resume")


def garbled_fault(where: str, *, begun: bool) -> Fault:
    """Return the fault of a stream with a piece that is no JSON. `begun` says whether others came before it."""
    if begun:
        return Fault("cut", f"{where} sent a piece of its answer that cannot be read: resume to ask again")
    return Fault("cut", f"{where} sent something that is not an answer: is OPENAI_BASE_URL a chat endpoint?")


def wrong_type_fault(settings: OpenAISettings, kind: str) -> Fault:
    text = f"{settings.where} sent {kind} instead of an answer"
    return Fault("garbage", f"{text}: should OPENAI_BASE_URL ({settings.address}) end in /v1?")


def name_models(fault: Fault, settings: OpenAISettings, model: str, setting: str, ids: Sequence[str]) -> Fault:
    """Return the unknown-model fault with similar names, or the first ones on offer. `setting` says the model."""
    by_case = {id.lower(): id for id in ids}
    near = [by_case[id] for id in near_names(model.lower(), by_case)]
    near += [id for id in ids if model and model.lower() in id.lower() and id not in near]
    if near:
        tail = f"did you mean {', '.join(near[:4])}? Set {setting}"
    elif ids:
        tail = f"it has {', '.join(ids[:6])}{', …' if len(ids) > 6 else ''}; set {setting}"
    else:
        tail = f"set {setting}"
    profile = settings.profile
    if profile is not None and profile.get and model:
        tail += f", or get it with: {profile.get.format(model=model)}"
    return Fault("model", f"{settings.where} does not know the model {model!r}: {tail}", fault.report)


def _connection_fault(error: Exception, settings: OpenAISettings) -> Fault:
    import httpx2

    where, causes = settings.where, _causes(error)
    if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
        if not any(isinstance(cause, httpx2.ConnectTimeout) for cause in causes):
            return timeout_fault(settings, "piece")
        seconds = min(CONNECT_SECONDS, settings.timeout)
        text = f"{where} cannot be reached within {seconds:g} s: check OPENAI_BASE_URL and the network"
        return Fault("refused", text)
    if any(isinstance(cause, httpx2.DecodingError) for cause in causes):
        return _garbage(settings)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        text = f"no safe connection to {where}: is it http instead of https, or is its certificate not trusted? "
        text += "A company's own certificates are read from the system, or from the file that SSL_CERT_FILE names"
        return Fault("address", text)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Fault("refused", f"the address of {where} is not known here: check OPENAI_BASE_URL and the network")
    proxy = proxy_for(settings.url)
    if proxy is not None and any(isinstance(cause, httpx2.ConnectError | httpx2.ProxyError) for cause in causes):
        text = f"the proxy that {proxy.variable} names does not let {where} be reached: correct the variable"
        return Fault("refused", f"{text}, or name the host in NO_PROXY")
    if any(isinstance(cause, httpx2.ConnectError) for cause in causes):
        profile = settings.profile
        if settings.local:
            start = f" with: {profile.start}" if profile is not None and profile.start else ""
            return Fault("refused", f"nothing answers at {settings.address}: start the server{start}")
        return Fault("refused", f"cannot reach {where}: check OPENAI_BASE_URL and the network")
    if any(isinstance(cause, (httpx2.UnsupportedProtocol, httpx2.InvalidURL)) for cause in causes):
        return Fault("address", f"the address {settings.address!r} cannot be used: check OPENAI_BASE_URL")
    return Fault("lost", f"the connection to {where} was lost: resume to try again")


def _key(settings: OpenAISettings) -> str:
    """Return the name of the environment variable of the key."""
    profile = settings.profile
    return profile.key if profile is not None and profile.key else "OPENAI_API_KEY"


def _garbage(settings: OpenAISettings) -> Fault:
    text = f"{settings.where} sent something that is not an answer: is OPENAI_BASE_URL a chat endpoint?"
    return Fault("garbage", text)


def timeout_fault(settings: OpenAISettings, missing: Wait) -> Fault:
    """Return the fault of an answer that exceeded its time limit."""
    what, variable = {
        "first": (f"sent no text of an answer for {settings.stall_seconds:g} s", "OPENAI_STALL_SECONDS"),
        "piece": (f"sent no piece of an answer for {settings.timeout:g} s", "OPENAI_TIMEOUT"),
        "text": (f"sent pieces without text for {settings.stall_seconds:g} s", "OPENAI_STALL_SECONDS"),
        "end": (f"did not end its answer within {settings.answer_seconds:g} s", "OPENAI_ANSWER_SECONDS"),
    }[missing]
    kind: Kind = "stall" if missing in ("first", "piece") else "timeout"
    return Fault(kind, f"{settings.where} {what}: give it more with {variable}, then resume")


def _retry_after(report: ErrorReport) -> float | None:
    """Return the seconds that the headers ask to wait (a number or a date), else the body. None if neither says."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = report.headers.get(name, "")
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return float(value) * unit
        try:
            date = email.utils.parsedate_tz(value) if value else None
            if date is not None:
                return max(0.0, email.utils.mktime_tz(date) - time.time())
        except (ValueError, OverflowError):
            continue
    return report.delay


def _causes(error: BaseException) -> list[BaseException]:
    """Return an exception and all that led to it, with the members of groups."""
    causes: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or cause in causes:
            continue
        causes.append(cause)
        waiting += [cause.__cause__, cause.__context__, *getattr(cause, "exceptions", ())]
    return causes
