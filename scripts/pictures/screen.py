# SPDX-License-Identifier: BSD-3-Clause
"""What a terminal shows: the few control sequences that tune-node writes, and no others.

An unknown sequence is an error. A picture must never show what a real terminal would not.
"""
import re
import unicodedata
from dataclasses import dataclass, replace

COLORS = {31: "red", 32: "green", 33: "yellow", 36: "cyan"}
ESCAPE = "\x1b"
# ECMA-48: parameters, intermediate characters, and the final character that names the function.
CONTROL = re.compile(r"\x1b\[([0-?]*)([ -/]*)([@-~])")
UNFINISHED = re.compile(r"\x1b(\[[0-?]*[ -/]*)?\Z")


class UnknownSequence(ValueError):
    """The program wrote a control sequence that this terminal does not interpret."""


@dataclass(frozen=True)
class Style:
    """How a character looks. `color` is one of COLORS' names, or empty for the default."""

    color: str = ""
    bold: bool = False
    faint: bool = False


@dataclass(frozen=True)
class Cell:
    """One column of one row. `text` is empty in the right half of a wide character."""

    text: str = " "
    style: Style = Style()


@dataclass(frozen=True)
class Run:
    """Neighbouring characters of one style: the first column, their text, and columns taken."""

    column: int
    text: str
    width: int
    style: Style


def width_of(char):
    """Columns that a character takes: 0 (combining), 1 or 2."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def columns_of(text):
    """Columns that a text takes."""
    return sum(map(width_of, text))


class Screen:
    """A grid of cells, a cursor and the current style.

    columns: width of the terminal [>= 2]
    height: rows of the terminal [>= 1]; lines above have scrolled out and are gone
    """

    def __init__(self, columns=100, height=30):
        self.columns, self.height = columns, height
        self.grid = [self._blank() for _ in range(height)]
        self.row = self.column = 0
        self.style = Style()
        # Whether no line was broken at the right margin, and none has scrolled out.
        self.is_whole = True
        self._rest = ""

    def feed(self, text):
        """Shows `text`; the beginning of a sequence waits for its end in a later call.

        Raises UnknownSequence, which names the sequence.
        """
        text = self._rest + text
        self._rest = ""
        at = 0
        while at < len(text):
            if text[at] != ESCAPE:
                self._show(text[at])
                at += 1
            elif found := CONTROL.match(text, at):
                self._control(found)
                at = found.end()
            elif UNFINISHED.match(text, at):
                self._rest = text[at:]
                return
            else:
                raise UnknownSequence("escape sequence %r" % text[at : at + 2])

    def lines(self):
        """The rows as text without blanks at their ends, down to the last that is not empty."""
        lines = ["".join(x.text for x in row).rstrip() for row in self.grid]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def runs(self):
        """Per row of lines() its text in runs of one style, without blanks at the end."""
        return [self._runs_of(row, line) for row, line in zip(self.grid, self.lines())]

    def _blank(self):
        return [Cell()] * self.columns

    def _runs_of(self, row, line):
        result, left = [], len(line)
        for column, cell in enumerate(row):
            if left <= 0:
                break
            left -= len(cell.text)
            last = result[-1] if result else None
            if last and (last.style == cell.style or not cell.text):
                result[-1] = replace(last, text=last.text + cell.text, width=last.width + 1)
            else:
                result.append(Run(column, cell.text, 1, cell.style))
        return result

    def _show(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self._leave_margin()
            self._down()
        elif unicodedata.category(char) == "Cc":
            raise UnknownSequence("control character %r" % char)
        else:
            self._put(char, width_of(char))

    def _down(self):
        if self.row + 1 < self.height:
            self.row += 1
        else:
            self.grid = [*self.grid[1:], self._blank()]
            self.is_whole = False

    def _leave_margin(self):
        """A cursor that waits behind the last column for a further character stands on it again."""
        self.column = min(self.column, self.columns - 1)

    def _put(self, char, width):
        if width == 0:
            self._combine(char)
            return
        if self.column + width > self.columns:
            self.column = 0
            self._down()
            self.is_whole = False
        for column in range(self.column, self.column + width):
            self._split_wide(column)
        row = self.grid[self.row]
        row[self.column] = Cell(char, self.style)
        if width == 2:
            row[self.column + 1] = Cell("", self.style)
        self.column += width

    def _combine(self, char):
        row, column = self.grid[self.row], self.column - 1
        if column > 0 and not row[column].text:
            column -= 1
        if column >= 0:
            row[column] = replace(row[column], text=row[column].text + char)

    def _split_wide(self, column):
        """Blanks the other half of a wide character of which one half is overwritten."""
        row = self.grid[self.row]
        if not row[column].text:
            row[column - 1] = Cell()
        elif column + 1 < self.columns and not row[column + 1].text:
            row[column + 1] = Cell()

    def _control(self, found):
        parameters, between, name = found.groups()
        known = {"A": self._up, "J": self._erase_below, "K": self._erase_line, "m": self._paint}
        if between or name not in known or not re.fullmatch(r"[0-9;]*", parameters):
            raise UnknownSequence("control sequence %r" % found[0])
        if not known[name]([int(x or 0) for x in parameters.split(";")]):
            raise UnknownSequence("parameters of the control sequence %r" % found[0])

    def _up(self, numbers):
        self._leave_margin()
        self.row = max(0, self.row - max(1, numbers[0]))
        return len(numbers) == 1

    def _erase_line(self, numbers):
        self._leave_margin()
        self._split_wide(self.column)
        row = self.grid[self.row]
        row[self.column :] = [Cell()] * (self.columns - self.column)
        return numbers == [0]

    def _erase_below(self, numbers):
        self._erase_line([0])
        for row in range(self.row + 1, self.height):
            self.grid[row] = self._blank()
        return numbers == [0]

    def _paint(self, numbers):
        for number in numbers:
            if number == 0:
                self.style = Style()
            elif number == 1:
                self.style = replace(self.style, bold=True)
            elif number == 2:
                self.style = replace(self.style, faint=True)
            elif number in COLORS:
                self.style = replace(self.style, color=COLORS[number])
            else:
                return False
        return True
