"""The texts for a model. Each is a `Prompt`: own text, and the text of others as `Data`, in a fence.

Own text is what autocraft's authors wrote, and what the person typed or wrote in their own settings. `Prompt.format`,
`Prompt.join` and `render` put prompts together and refuse any other text, so a text that nobody marked is an error.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

_OPENING = re.compile("[<\uff1c\ufe64\u2039\u2329\u27e8\u3008\u276e\u2770\u29fc\u02c2\u1438\u227a\u300a\u00ab]")
"""Characters that a reader, or a tokenizer that folds them, may take for ``<``."""
_ALIKE = str.maketrans("\u0430\u03b1\u0251\u0501\u13e7\ua4d3\u13a0\u0442\u03c4\u13a2\ua4d4\ua4ee", "aaaddddttTta")
"""Letters of other scripts that look like those of ``data``."""
_OTHER_TAG = re.compile("/?[a-ce-zA-CE-Z0-9]")
_LOOKED_AT = 400
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
"""Invisible characters (Default_Ignorable_Code_Point), and characters that some tokenizers drop first."""
_TURN = re.compile(
    rf"[<\uff1c\ufe64\[\uff3b](?=[{_UNSEEN}]*[|\uff5c]\S)"  # <|im_start|>, [|user|], also with blanks inside
    r"|[<\uff1c\ufe64\u25c1](?=(?P<angle>[^\s<>\uff1c\uff1e\ufe64\ufe65\u25c1\u25b7]{1,60})[>\uff1e\ufe65\u25b7])"
    r"|[\[\uff3b](?=(?P<square>[^\s\[\]\uff3b\uff3d]{1,60})[\]\uff3d])"
    r"|[\]\uff3d](?=[\w!~\uff5e]{0,20}[~\uff5e][\w!~\uff5e]{0,20}[\[\]\uff3b\uff3d])"  # ]~b]
    r"|[\[\uff3b](?=[\w!~\uff5e]{0,20}[~\uff5e][\w!~\uff5e]{0,20}[\[\uff3b])"  # [e~[
    r"|>(?=>[A-Z_]{3,30}<<)"
)
"""Every bracketed run without blanks that may be a single token of some model."""
_IN_ANGLES = re.compile(r"/?(?=[\W\d_]*[^\W\d_])[\w\u2581:=|-]+/?")  # <s>, </think>, <seed:bos>, <SPECIAL_10>, <_user>
_IN_SQUARES = re.compile(r"/?(?:[a-z]?(?=(?:[\d_]*[A-Z]){3})[A-Z\d_]+|(?i:inst)|(?i:unused)\d+)")  # [gMASK], [/THINK]
_HTML = re.compile(
    "/?(?:a|abbr|article|aside|b|blockquote|body|br|button|canvas|caption|cite|code|col|colgroup|dd|del|details|dfn|div|dl"
    "|dt|em|embed|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|ins|kbd|label|legend|li"
    "|link|main|map|mark|menu|meta|nav|noscript|ol|optgroup|option|p|pre|q|samp|script|section|select|small|span|strong"
    "|style|sub|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|u|ul|var)/?"
)
"""Elements of HTML that stay readable, because no known model takes one for the mark of a turn."""


class Prompt(str):
    """Text that a model may be sent. Call it only with own text; a test lists all places that do.

    It is a `str`, but the result of any method of `str` that is not defined here is plain text again, so it has to be
    marked again.
    """

    own = True
    """Whether all of it is own text. Only such a prompt may be a system message."""

    def format(self, *parts: object, **named: object) -> Prompt:
        """Return this text with prompts and numbers in its fields. Raises TypeError for another text."""
        every = [*map(part, parts), *map(part, named.values())]
        return _put_together(super().format(*parts, **named), every)

    def join(self, parts: Iterable[str]) -> Prompt:
        """Return the prompts with this text between them. Raises TypeError for another text."""
        every = [part(each) for each in parts]
        return _put_together(super().join(each if isinstance(each, str) else str(each) for each in every), every)


class Data(Prompt):
    """The text of somebody else, in a fence that nothing inside it can close or repeat. `source` is own text."""

    own = False

    def __new__(cls, source: str, text: str) -> Data:
        return super().__new__(cls, f'<data source="{_NO_NAME.sub("_", source)}">\n{harmless(text)}\n</data>')


_NO_NAME = re.compile(r"[^A-Za-z0-9_. -]")
_FENCED = re.compile(r'<data source="[^"]*">\n(.*?)\n</data>', re.DOTALL)


class Content(Protocol):
    """A message, as far as its text counts."""

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


def data_of(messages: Iterable[Content]) -> list[str]:
    """Return the texts that the messages show as data, as they were before they were fenced."""
    shown = (message.content for message in messages if message.role != "assistant")
    return [as_it_was(text) for content in shown for text in _FENCED.findall(content)]


Ask = Callable[[Prompt, str], Awaitable[str]]
"""Takes prompt and role (smart, fast or another), returns the text of the answer. Raises BrainError or LimitReached."""


def part(value: object) -> Prompt | int | float:
    """Return what may be a part of a prompt. Raises TypeError for anything but a prompt or a number."""
    if isinstance(value, (Prompt, int, float)):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be a part of a prompt: make it Data, or mark own text as Prompt")


def _put_together(text: str, parts: Iterable[object]) -> Prompt:
    prompt = Prompt(text)
    prompt.own = all(each.own for each in parts if isinstance(each, Prompt))
    return prompt


def shorten(text: str, limit: int) -> str:
    """Return `text` within so many characters, without its middle if it is longer."""
    if len(text) <= limit:
        return text
    limit = max(limit, 0)
    head = limit * 2 // 3
    return f"{text[:head]}\n[{len(text) - limit} characters left out]\n{text[len(text) - limit + head :]}"


def harmless(text: str) -> str:
    """Return `text` without anything that reads as a fence, or as a token that separates turns in chat templates.

    A local server obeys such tokens anywhere in a prompt. The tokens of a model are unknown, so each short run in
    brackets that looks like one is broken.
    """
    text = _TURN.sub(_broken, text)
    return _OPENING.sub(lambda match: _unless_fence(text, match.start()), text)


def as_it_was(text: str) -> str:
    """Return `text`, which a model may have copied out of data, with its brackets restored."""
    return re.sub(
        "&(?:#(60|62|91|93)|(lt|gt));", lambda match: chr(int(match[1] or {"lt": 60, "gt": 62}[match[2]])), text
    )


def _broken(match: re.Match[str]) -> str:
    """Return the bracket as an escape, or unchanged if the text after it cannot be a token."""
    angle, square = match["angle"], match["square"]
    rule = _IN_ANGLES if angle else _IN_SQUARES
    if angle or square:
        inside = unicodedata.normalize("NFKC", re.sub(f"[{_UNSEEN}]", "", angle or square))
        if not rule.fullmatch(inside) or (angle and _HTML.fullmatch(angle)):
            return match[0]
    bracket = unicodedata.normalize("NFKC", match[0])
    return "&lt;" if bracket == "<" else f"&#{ord(bracket)};"


def _unless_fence(text: str, at: int) -> str:
    """Return the bracket at this place, or its escape if the text after it reads like ``data`` without disguises."""
    if _OTHER_TAG.match(text, at + 1):
        return text[at]
    follows = unicodedata.normalize("NFKD", text[at + 1 : at + 1 + _LOOKED_AT]).casefold().translate(_ALIKE)
    letters = "".join(char for char in follows if char.isalnum())
    return "&lt;" if letters.startswith("data") else text[at]


def prompt_folder() -> Path:
    """Return `autocraft/prompts` in a wheel, or the top-level `prompts/` in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "prompts"
    return inside if inside.is_dir() else package.parent / "prompts"


def render(template: str, block: str = "", **values: Any) -> Prompt:
    """Render a template of `prompts/`, or one block of it, from prompts, numbers and lists of them.

    Raises UndefinedError for a missing variable, and TypeError for a text that is no `Prompt`.
    """
    found, parts = _environment().get_template(template), list[object]()
    values |= {_PARTS: parts}
    text = "".join(found.blocks[block](found.new_context(values))) if block else found.render(values)
    return _put_together(text.strip(), parts)


_PARTS = "_parts"
"""The variable with the list of all that a rendering has shown."""


@cache
def _environment() -> Any:
    import jinja2

    @jinja2.pass_context
    def show(context: jinja2.runtime.Context, value: object) -> object:
        if not isinstance(value, jinja2.Undefined):  # else an error will name the variable
            context[_PARTS].append(part(value))
        return value

    loader = jinja2.FileSystemLoader(prompt_folder())
    return jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - prompts are not HTML
        finalize=show,
    )
