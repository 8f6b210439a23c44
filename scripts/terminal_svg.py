"""Draws a terminal: rich turns rows with ANSI colours into SVG, still or moving, with text that can be selected.

The same rows give the same bytes. `tmux_pane.py` captures the rows, `scenes.py` says which programs run, and
`make_screens.py` writes the files.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

SCALE, MARGIN = 0.66, 16
"""How large a unit of the drawing is shown, in pixels, and the border in units."""
CELL = 12.2
"""How wide rich draws a column."""
_PIECE = re.compile(r'(<text [^>]*?) textLength="[^"]*" clip-path="[^"]*">([^<]*)</text>')
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK JP',monospace"


@dataclass(frozen=True)
class Theme:
    """The colours of a terminal. `colours` are the sixteen that programs ask for by number."""

    name: str
    ink: str
    paper: str
    colours: tuple[str, ...]

    @property
    def of_rich(self) -> TerminalTheme:
        ink, paper, *colours = [_rgb(each) for each in (self.ink, self.paper, *self.colours)]
        return TerminalTheme(paper, ink, colours[:8], colours[8:])


# The palettes of a widespread editor's terminal. They are real, so text that is hard to read there is hard here too.
DARK = Theme(
    "dark", "#cccccc", "#181818",
    ("#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
     "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#e5e5e5"),
)  # fmt: skip
LIGHT = Theme(
    "light", "#333333", "#ffffff",
    ("#000000", "#cd3131", "#107c10", "#949800", "#0451a5", "#bc05bc", "#0598bc", "#555555",
     "#666666", "#cd3131", "#14ce14", "#b5ba00", "#0451a5", "#bc05bc", "#0598bc", "#a5a5a5"),
)  # fmt: skip
THEMES = (LIGHT, DARK)


@dataclass(frozen=True)
class Shot:
    """The content of a terminal of so many columns, with a caption. `rows` hold ANSI colours."""

    caption: str
    columns: int
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Frame:
    """One moment of a recording: the rows of the terminal, and for how many seconds they are seen."""

    rows: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Drawing:
    """A piece of SVG with the style rules that it needs."""

    css: str
    body: str
    width: float
    height: float


def still(shots: Sequence[Shot], theme: Theme, title: str) -> str:
    """Draw all shots in one picture, one below the other, each between two lines under its caption."""
    parts: list[RenderableType] = []
    for shot in shots:
        caption = Text(shot.caption, style="italic")
        parts += [caption, Rule(style="dim"), _text(shot.rows), Rule(style="dim"), ""]
    drawing = _draw(Group(*parts[:-1]), max(shot.columns for shot in shots), theme, "s")
    return _picture(drawing, theme, title)


def moving(frames: Sequence[Frame], columns: int, theme: Theme, title: str) -> str:
    """Draw a recording that repeats for ever. A viewer without animation shows its last frame."""
    body, css, height, width = "", "", 0.0, 0.0
    total, at = sum(frame.seconds for frame in frames), 0.0
    for number, frame in enumerate(frames):
        drawing = _draw(_text(frame.rows), columns, theme, f"f{number}")
        last = number == len(frames) - 1
        begin, at = at / total * 100, at + frame.seconds
        ends = "" if last else f"{at / total * 100:.2f}%{{visibility:hidden}}"
        hidden = "0%{visibility:hidden}" if number else ""
        css += drawing.css + f"@keyframes k{number}{{{hidden}{begin:.2f}%{{visibility:visible}}{ends}}}"
        shown = "visible" if last else "hidden"
        css += f"#f{number}{{animation:k{number} {total:g}s step-end infinite;visibility:{shown}}}"
        body += f'<g id="f{number}">\n{drawing.body}</g>\n'
        height, width = max(height, drawing.height), drawing.width
    css += "@media (prefers-reduced-motion:reduce){g{animation:none!important}}"
    return _picture(Drawing(css, body, width, height), theme, title)


def _text(rows: Sequence[str]) -> Text:
    """Return the rows as a text of rich. Colours last past the end of a row, as tmux writes them.

    Wide characters, such as Japanese ones, become separate pieces, because a font gives them another width.
    """
    text = Text.from_ansi("\n".join(rows), no_wrap=True, overflow="ignore")
    text.highlight_regex("[^\0-\u2e7f]+", Style(meta={"wide": True}))
    return text


def _draw(content: RenderableType, columns: int, theme: Theme, name: str) -> Drawing:
    """Draw with rich, without its frame and its fonts from the network. The style rules begin with `name`."""
    console = Console(
        file=io.StringIO(), record=True, width=columns, color_system="truecolor", force_terminal=True, _environ={}
    )
    console.print(content)
    svg = console.export_svg(
        theme=theme.of_rich,
        unique_id=name,
        code_format="{styles}\0{backgrounds}{matrix}\0{terminal_width}\0{terminal_height}",
    )
    css, body, width, height = svg.split("\0")
    return Drawing(css, _PIECE.sub(_piece, body), float(width), float(height))


def _piece(match: re.Match[str]) -> str:
    """Return a piece of a row in the width of its columns, since rich counts a wide character as one.

    The clip path belongs to the frame that is left out. The ends of the rows are left out too.
    """
    begin, text = match.groups()
    return f'{begin} textLength="{CELL * cell_len(unescape(text)):g}">{text}</text>' if text.strip() else ""


def _picture(drawing: Drawing, theme: Theme, title: str) -> str:
    width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * SCALE:.0f}" height="{height * SCALE:.0f}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img"><title>{escape(title)}</title>\n'
        f"<style>text{{font-family:{FONTS};font-size:20px;white-space:pre}}{drawing.css}</style>\n"
        f'<rect width="100%" height="100%" rx="9" fill="{theme.paper}"/>\n'
        f'<svg x="{MARGIN}" y="{MARGIN}">\n{drawing.body}</svg></svg>\n'
    )


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue
