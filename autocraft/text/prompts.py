"""The texts that are sent to a model, and the fence around what nobody of ours wrote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

Ask = Callable[[str, str], Awaitable[str]]
"""Prompt and role (smart or fast) to the text of the answer. Raises BrainError or LimitReached."""


_OPENING = "<\uff1c\ufe64\u2039\u2329\u27e8\u3008\u276e\u2770\u29fc\u02c2\u1438\u227a\u300a\u00ab"
"""The characters that a reader, or a tokenizer that folds them, may take for ``<``."""
_ALIKE = str.maketrans("\u0430\u03b1\u0251\u0501\u13e7\ua4d3\u13a0\u0442\u03c4\u13a2\ua4d4\ua4ee", "aaaddddttTta")
"""Letters of other scripts that look like those of ``data``."""
_OTHER_TAG = re.compile("/?[a-ce-zA-CE-Z0-9]")
_LOOKED_AT = 400
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
"""What shows nothing (Default_Ignorable_Code_Point), and what some tokenizers drop before they look."""
_TURN = re.compile(
    rf"[<\uff1c\ufe64\[\uff3b](?=[{_UNSEEN}]*[|\uff5c]\S)"  # <|im_start|>, [|user|]; there may be blanks inside
    r"|[<\uff1c\ufe64\u25c1](?=(?P<angle>[^\s<>\uff1c\uff1e\ufe64\ufe65\u25c1\u25b7]{1,60})[>\uff1e\ufe65\u25b7])"
    r"|[\[\uff3b](?=(?P<square>[^\s\[\]\uff3b\uff3d]{1,60})[\]\uff3d])"
    r"|[\]\uff3d](?=[\w!~\uff5e]{0,20}[~\uff5e][\w!~\uff5e]{0,20}[\[\]\uff3b\uff3d])"  # ]~b]
    r"|[\[\uff3b](?=[\w!~\uff5e]{0,20}[~\uff5e][\w!~\uff5e]{0,20}[\[\uff3b])"  # [e~[
    r"|>(?=>[A-Z_]{3,30}<<)"
)
"""Every bracketed run without blanks that may be a token of its own to some model."""
_IN_ANGLES = re.compile(r"/?(?=[\W\d_]*[^\W\d_])[\w\u2581:=|-]+/?")  # <s>, </think>, <seed:bos>, <SPECIAL_10>, <_user>
_IN_SQUARES = re.compile(r"/?(?:[a-z]?(?=(?:[\d_]*[A-Z]){3})[A-Z\d_]+|(?i:inst)|(?i:unused)\d+)")  # [gMASK], [/THINK]
_HTML = re.compile(
    "/?(?:a|abbr|article|aside|b|blockquote|body|br|button|canvas|caption|cite|code|col|colgroup|dd|del|details|dfn|div|dl"
    "|dt|em|embed|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|ins|kbd|label|legend|li"
    "|link|main|map|mark|menu|meta|nav|noscript|ol|optgroup|option|p|pre|q|samp|script|section|select|small|span|strong"
    "|style|sub|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|u|ul|var)/?"
)
"""Elements of HTML that stay readable: no model is known to take one for the mark of a turn."""


def as_data(source: str, text: str) -> str:
    """`text` fenced, so that nothing inside it can close the fence or open another."""
    return f'<data source="{source}">\n{harmless(text)}\n</data>'


def harmless(text: str) -> str:
    """`text` in which nothing reads as a fence of ours, or as a token by which chat templates part the turns: a local
    server takes those for real wherever they stand.

    Which tokens a model has cannot be known, so each short run in brackets that looks like one is broken.
    """
    text = _TURN.sub(_broken, text)
    if not any(char in text for char in _OPENING):
        return text
    return re.sub(f"[{_OPENING}]", lambda found: _unless_fence(text, found.start()), text)


def as_it_was(text: str) -> str:
    """`text` as a model may have copied it out of data, with its brackets whole again."""
    return re.sub(
        "&(?:#(60|62|91|93)|(lt|gt));", lambda found: chr(int(found[1] or {"lt": 60, "gt": 62}[found[2]])), text
    )


def _broken(found: re.Match[str]) -> str:
    """The bracket as an escape, or itself where what follows cannot be a token."""
    angle, square = found["angle"], found["square"]
    rule = _IN_ANGLES if angle else _IN_SQUARES
    if angle or square:
        inside = unicodedata.normalize("NFKC", re.sub(f"[{_UNSEEN}]", "", angle or square))
        if not rule.fullmatch(inside) or (angle and _HTML.fullmatch(angle)):
            return found[0]
    bracket = unicodedata.normalize("NFKC", found[0])
    return "&lt;" if bracket == "<" else f"&#{ord(bracket)};"


def _unless_fence(text: str, at: int) -> str:
    """The bracket at this place, or its escape where what follows reads like ``data`` with its disguises off."""
    if _OTHER_TAG.match(text, at + 1):
        return text[at]
    follows = unicodedata.normalize("NFKD", text[at + 1 : at + 1 + _LOOKED_AT]).casefold().translate(_ALIKE)
    letters = "".join(char for char in follows if char.isalnum())
    return "&lt;" if letters.startswith("data") else text[at]


def prompt_folder() -> Path:
    """`autocraft/prompts` in a wheel, the top-level `prompts/` in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "prompts"
    return inside if inside.is_dir() else package.parent / "prompts"


def render(template: str, **values: Any) -> str:
    """A prompt from `prompts/`; a variable that the template wants and nobody gives is an error at once."""
    return str(_environment().get_template(template).render(**values)).strip()


@cache
def _environment() -> Any:
    import jinja2

    loader = jinja2.FileSystemLoader(prompt_folder())
    return jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - prompts are not HTML
    )
