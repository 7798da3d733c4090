# SPDX-License-Identifier: BSD-3-Clause
"""Draws a screen as SVG: a dark window with the text as text, so that it can be read and searched.

The window has its own ground and border, since a page may be light or dark.
"""
import re
from xml.sax.saxutils import escape, quoteattr

from screen import Run, columns_of

GROUND, BAR, BORDER = "#161b22", "#21262d", "#444c56"
PLAIN, FAINT = "#e6edf3", "#9da7b3"
FILLS = {"red": "#ff7b72", "green": "#56d364", "yellow": "#e3b341", "cyan": "#56d4dd"}
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

# Pixels.
FONT_SIZE = 14
CELL_WIDTH, CELL_HEIGHT = 8.4, 19
BAR_HEIGHT, MARGIN = 30, 16
BASELINE = 14  # below the upper edge of a row


def number(x):
    """A length as short text."""
    return "%g" % round(x, 1)


def fill_of(style):
    """The colour of text in `style`."""
    return FILLS[style.color] if style.color else FAINT if style.faint else PLAIN


def text_element(run, row):
    """A run as an element.

    `textLength` keeps columns in line, whichever font the reader's machine has.
    """
    looks = " font-weight='bold'" if run.style.bold else ""
    if fill_of(run.style) != PLAIN:
        looks += " fill='%s'" % fill_of(run.style)
    return "<text x='%s' y='%s' textLength='%s'%s>%s</text>" % (
        number(MARGIN + run.column * CELL_WIDTH),
        number(BAR_HEIGHT + MARGIN + row * CELL_HEIGHT + BASELINE),
        number(run.width * CELL_WIDTH),
        looks,
        escape(run.text),
    )


def pieces(run):
    """The words of a run with single blanks between them, each piece in its column.

    Browsers make one blank of several, whatever the document asks for.
    """
    for found in re.finditer(r"\S+(?: \S+)*", run.text):
        before, width = columns_of(run.text[: found.start()]), columns_of(found[0])
        yield Run(run.column + before, found[0], width, run.style)


def window(width, height, title):
    """The window without its text."""
    dots = "".join(
        "<circle cx='%d' cy='%d' r='5' fill='%s'/>" % (MARGIN + 4 + 18 * i, BAR_HEIGHT / 2, BORDER)
        for i in range(3)
    )
    return [
        "<rect x='.5' y='.5' width='%s' height='%s' rx='8' fill='%s'/>"
        % (number(width - 1), number(height - 1), GROUND),
        "<path d='M.5 %d V8.5 a8 8 0 0 1 8 -8 H%s a8 8 0 0 1 8 8 V%d Z' fill='%s'/>"
        % (BAR_HEIGHT, number(width - 8.5), BAR_HEIGHT, BAR),
        "<rect x='.5' y='.5' width='%s' height='%s' rx='8' fill='none' stroke='%s'/>"
        % (number(width - 1), number(height - 1), BORDER),
        dots,
        "<text x='%s' y='%d' text-anchor='middle' fill='%s'>%s</text>"
        % (number(width / 2), BAR_HEIGHT / 2 + 5, FAINT, escape(title)),
    ]


def draw(screen, title, description):
    """The SVG document of what `screen` shows.

    title: a few words; stands in the window's bar, too
    description: what is to be seen, for those who do not see it
    """
    rows = screen.runs()
    width = 2 * MARGIN + screen.columns * CELL_WIDTH
    height = BAR_HEIGHT + 2 * MARGIN + len(rows) * CELL_HEIGHT
    size = "width='%s' height='%s'" % (number(width), number(height))
    box = "viewBox='0 0 %s %s'" % (number(width), number(height))
    lines = [
        "<svg xmlns='http://www.w3.org/2000/svg' %s %s role='img' aria-labelledby='t d'>"
        % (size, box),
        "<title id='t'>%s</title>" % escape(title),
        "<desc id='d'>%s</desc>" % escape(description),
        "<g font-family=%s font-size='%d' fill='%s'>" % (quoteattr(FONT), FONT_SIZE, PLAIN),
        *window(width, height, title),
    ]
    for row, runs in enumerate(rows):
        lines += [text_element(piece, row) for run in runs for piece in pieces(run)]
    return "\n".join([*lines, "</g>", "</svg>", ""])
