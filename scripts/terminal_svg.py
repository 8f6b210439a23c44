"""Pictures of a terminal: rows with ANSI colours become SVG, still or moving, whose text can be selected.

Every character gets its own place, so that columns stand straight whatever font the reader has, and a wide
character takes two cells. Nothing is drawn that the terminal did not say, and the same rows give the same bytes.
Neighbours: `tmux_pane.py` captures the rows, `scenes.py` says what was run, `make_screens.py` writes the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from textwrap import wrap
from xml.sax.saxutils import escape

CELL, ROW, FONT, MARGIN = 8, 17, 13.3, 12
"""Pixels: a cell's width and height, the size of the letters (a cell is six tenths of it), and the border."""


@dataclass(frozen=True)
class Style:
    """How one cell is drawn; a colour is a number of the palette of 256, "#rrggbb", or None for the terminal's own."""

    ink: int | str | None = None
    paper: int | str | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class Cell:
    """One character and how many columns it takes: 1 or 2."""

    text: str
    style: Style
    width: int


@dataclass(frozen=True)
class Theme:
    """The colours of a terminal; `colours` are the sixteen that programs ask for by number."""

    name: str
    ink: str
    paper: str
    frame: str
    colours: tuple[str, ...]


# The palettes of a widespread editor's terminal: real ones, so that what is hard to read there is so here.
DARK = Theme(
    "dark", "#cccccc", "#181818", "#3a3a3a",
    ("#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
     "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#e5e5e5"),
)  # fmt: skip
LIGHT = Theme(
    "light", "#333333", "#ffffff", "#d0d0d0",
    ("#000000", "#cd3131", "#107c10", "#949800", "#0451a5", "#bc05bc", "#0598bc", "#555555",
     "#666666", "#cd3131", "#14ce14", "#b5ba00", "#0451a5", "#bc05bc", "#0598bc", "#a5a5a5"),
)  # fmt: skip
THEMES = (LIGHT, DARK)


@dataclass(frozen=True)
class Shot:
    """What a terminal of so many columns showed, under a caption; `rows` hold ANSI colours."""

    caption: str
    columns: int
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Frame:
    """One moment of a recording: what was shown, and for how many seconds."""

    rows: tuple[str, ...]
    seconds: float


# ---------------------------------------------------------------- reading


def read_rows(rows: Sequence[str]) -> list[list[Cell]]:
    """The cells of each row. Colours last past the end of a row, as tmux writes them. Raises ValueError."""
    style, read = Style(), []
    for row in rows:
        cells: list[Cell] = []
        for at, part in enumerate(re.split(r"\x1b\[([0-9;:]*)m", row)):
            if at % 2:
                style = _styled(style, re.split("[;:]", part))
            else:
                for char in part:
                    _put(cells, char, style)
        read.append(cells)
    return read


def _put(cells: list[Cell], char: str, style: Style) -> None:
    from rich.cells import cell_len

    if not char.isprintable():
        raise ValueError(f"the capture holds {char!r}, which is neither text nor a colour")
    width = cell_len(char)
    if width or not cells:
        cells.append(Cell(char, style, max(1, width)))
    else:  # an accent belongs to the letter before it
        cells[-1] = replace(cells[-1], text=cells[-1].text + char)


_ON: dict[int, dict[str, bool]] = {
    1: {"bold": True}, 2: {"dim": True}, 3: {"italic": True}, 4: {"underline": True}, 7: {"reverse": True},
    22: {"bold": False, "dim": False}, 23: {"italic": False}, 24: {"underline": False}, 27: {"reverse": False},
}  # fmt: skip


def _styled(style: Style, codes: Sequence[str]) -> Style:
    """`style` after the codes of one escape sequence."""
    left = [int(code) if code else 0 for code in codes]
    while left:
        code, *left = left
        if code in (38, 48):
            colour: int | str | None
            colour, left = _named(left)
            style = _coloured(style, code == 38, colour)
        elif code == 0:
            style = Style()
        elif code in _ON:
            style = replace(style, **_ON[code])
        elif code in (39, 49):
            style = _coloured(style, code == 39, None)
        elif code // 10 in (3, 4, 9, 10) and code % 10 < 8:
            style = _coloured(style, code // 10 in (3, 9), code % 10 + (8 if code >= 90 else 0))
        else:
            raise ValueError(f"the capture holds the style {code}, which no picture knows")
    return style


def _named(codes: Sequence[int]) -> tuple[int | str, list[int]]:
    """The colour that follows 38 or 48, and the codes after it."""
    match codes:
        case [5, number, *left] if number < 256:
            return number, left
        case [2, red, green, blue, *left] if max(red, green, blue) < 256:
            return f"#{red:02x}{green:02x}{blue:02x}", left
    raise ValueError("the capture holds a colour that no picture knows")


def _coloured(style: Style, ink: bool, colour: int | str | None) -> Style:
    return replace(style, ink=colour) if ink else replace(style, paper=colour)


# ---------------------------------------------------------------- drawing


class _Drawing:
    """Collects the classes that the styles of one picture need."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._classes: dict[str, str] = {}

    def rows(self, rows: Sequence[str], x: int, y: int) -> str:
        """All rows, the first one's cell reaching from `y` down."""
        return "".join(self._row(cells, x, y + ROW * at) for at, cells in enumerate(read_rows(rows)))

    def css(self) -> str:
        return "".join(f".{name}{{{rules}}}" for rules, name in self._classes.items())

    def _row(self, cells: Sequence[Cell], x: int, y: int) -> str:
        papers, texts = "", ""
        for style, run in _runs(cells):
            width = sum(cell.width for cell in run) * CELL
            ink, paper = self._colours(style)
            if paper != self._theme.paper:
                papers += f'<rect x="{x}" y="{y}" width="{width}" height="{ROW}" fill="{paper}"/>'
            texts += self._text(run, x, self._class(style, ink))
            x += width
        return papers + (f'<text y="{y + ROW - 4}">{texts}</text>\n' if texts else "")

    @staticmethod
    def _text(run: Sequence[Cell], x: int, style: str) -> str:
        words = "".join(cell.text for cell in run)
        if not words.strip():
            return ""
        places = []
        for cell in run:
            places.append(str(x))
            x += cell.width * CELL
        return f'<tspan{style} x="{" ".join(places)}">{escape(words)}</tspan>'

    def _class(self, style: Style, ink: str) -> str:
        rules = "" if ink == self._theme.ink else f"fill:{ink};"
        rules += "font-weight:bold;" * style.bold + "font-style:italic;" * style.italic
        rules += "text-decoration:underline;" * style.underline + "fill-opacity:.6;" * style.dim
        return f' class="{self._classes.setdefault(rules, f"s{len(self._classes)}")}"' if rules else ""

    def _colours(self, style: Style) -> tuple[str, str]:
        ink = self._theme.ink if style.ink is None else self._colour(style.ink)
        paper = self._theme.paper if style.paper is None else self._colour(style.paper)
        return (paper, ink) if style.reverse else (ink, paper)

    def _colour(self, colour: int | str) -> str:
        if isinstance(colour, str):
            return colour
        if colour < 16:
            return self._theme.colours[colour]
        if colour >= 232:
            return f"#{colour * 10 - 2312:02x}" + f"{colour * 10 - 2312:02x}" * 2
        levels = (0, 95, 135, 175, 215, 255)
        at = colour - 16
        return f"#{levels[at // 36]:02x}{levels[at // 6 % 6]:02x}{levels[at % 6]:02x}"


def _runs(cells: Sequence[Cell]) -> Iterator[tuple[Style, list[Cell]]]:
    """Neighbours of one style. Of more than one UTF-16 unit, a cell stands alone: renderers count its places apart."""

    def kind(numbered: tuple[int, Cell]) -> tuple[Style, int]:
        at, cell = numbered
        return cell.style, at if len(cell.text.encode("utf-16-le")) > 2 else -1

    for (style, _), run in groupby(enumerate(cells), kind):
        yield style, [cell for _, cell in run]


def still(shots: Sequence[Shot], theme: Theme, title: str) -> str:
    """One picture of all shots, one below the other."""
    drawing, body, y = _Drawing(theme), "", MARGIN
    for shot in shots:
        for line in wrap(shot.caption, shot.columns - 2):
            body += f'<text class="caption" x="{MARGIN}" y="{y + ROW - 4}">{escape(line)}</text>\n'
            y += ROW
        y += 4
        width, height = shot.columns * CELL + 2 * MARGIN, len(shot.rows) * ROW + MARGIN
        body += f'<rect class="frame" x="{MARGIN // 2}.5" y="{y}.5" width="{width - MARGIN - 1}" height="{height}"/>\n'
        body += drawing.rows(shot.rows, MARGIN, y + MARGIN // 2)
        y += height + MARGIN
    columns = max(shot.columns for shot in shots)
    return _picture(columns, y, theme, title, drawing.css(), body)


def moving(frames: Sequence[Frame], columns: int, theme: Theme, title: str) -> str:
    """A recording that begins anew for ever. Where nothing moves, its last frame is seen."""
    drawing, body, css = _Drawing(theme), "", ""
    total, at = sum(frame.seconds for frame in frames), 0.0
    for number, frame in enumerate(frames):
        last = number == len(frames) - 1
        begin, at = at / total * 100, at + frame.seconds
        ends = "" if last else f"{at / total * 100:.2f}%{{visibility:hidden}}"
        hidden = "0%{visibility:hidden}" if number else ""
        css += f"@keyframes k{number}{{{hidden}{begin:.2f}%{{visibility:visible}}{ends}}}"
        css += f"#f{number}{{animation:k{number} {total:g}s step-end infinite;visibility:{_shown(last)}}}"
        body += f'<g id="f{number}">\n{drawing.rows(frame.rows, MARGIN, MARGIN)}</g>\n'
    still_ones = "@media (prefers-reduced-motion:reduce){g{animation:none!important}}"
    height = max(len(frame.rows) for frame in frames) * ROW + 2 * MARGIN
    return _picture(columns, height, theme, title, drawing.css() + css + still_ones, body)


def _shown(last: bool) -> str:
    return "visible" if last else "hidden"


def _picture(columns: int, height: int, theme: Theme, title: str, css: str, body: str) -> str:
    width = columns * CELL + 2 * MARGIN
    fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK JP',monospace"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" xml:space="preserve"><title>{escape(title)}</title>\n'
        f"<style>text{{font-family:{fonts};font-size:{FONT}px;fill:{theme.ink};white-space:pre}}"
        f".caption{{fill-opacity:.7}}.frame{{fill:none;stroke:{theme.frame}}}{css}</style>\n"
        f'<rect width="100%" height="100%" rx="6" fill="{theme.paper}"/>\n{body}</svg>\n'
    )
