# SPDX-License-Identifier: BSD-3-Clause
"""The terminal and the drawing of scripts/make_pictures.py, on sequences that are known."""
import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "pictures"))
import svg  # noqa: E402
from screen import Screen, Style, UnknownSequence  # noqa: E402


def shown(text, columns=20, height=5):
    """The lines of a screen that was fed `text`."""
    screen = Screen(columns, height)
    screen.feed(text)
    return screen.lines()


class Text(unittest.TestCase):
    def test_lines_begin_where_the_program_says(self):
        self.assertEqual(shown("one\r\ntwo\nthree"), ["one", "two", "   three"])

    def test_a_carriage_return_overwrites(self):
        self.assertEqual(shown("hello\rJ"), ["Jello"])

    def test_blanks_at_the_end_are_not_seen(self):
        self.assertEqual(shown("  a  \r\n\r\n"), ["  a"])

    def test_a_long_line_goes_on_in_the_next_row(self):
        screen = Screen(4, 3)
        screen.feed("abcdef")

        self.assertEqual(screen.lines(), ["abcd", "ef"])
        self.assertFalse(screen.is_whole)

    def test_a_full_row_alone_is_no_long_line(self):
        screen = Screen(4, 3)
        screen.feed("abcd\r\nef")

        self.assertEqual(screen.lines(), ["abcd", "ef"])
        self.assertTrue(screen.is_whole)

    def test_the_first_line_scrolls_out(self):
        screen = Screen(4, 2)
        screen.feed("a\r\nb\r\n")
        self.assertEqual(screen.lines(), ["b"])
        self.assertFalse(screen.is_whole)


class Control(unittest.TestCase):
    def test_the_cursor_goes_up_and_what_is_there_is_overwritten(self):
        self.assertEqual(shown("one\r\ntwo\r\nthree\r\n\x1b[2ATW"), ["one", "TWo", "three"])

    def test_the_cursor_goes_one_row_up_where_no_number_is_given(self):
        self.assertEqual(shown("a\r\nb\r\x1b[AX\x1b[0AY"), ["XY", "b"])

    def test_the_cursor_stays_on_the_screen(self):
        self.assertEqual(shown("a\r\nb\r\x1b[9AX"), ["X", "b"])

    def test_the_rest_of_a_line_is_erased(self):
        self.assertEqual(shown("hello\rJ\x1b[K"), ["J"])

    def test_what_is_below_is_erased(self):
        self.assertEqual(shown("one\r\ntwo\r\nthree\x1b[1A\r12\x1b[J"), ["one", "12"])

    def test_the_last_column_is_erased_by_what_erases_behind_it(self):
        # A cursor behind a full row stands on its last column, as in xterm.
        self.assertEqual(shown("abcd\x1b[K", columns=4), ["abc"])

    def test_a_block_is_redrawn_in_place_and_log_lines_stay_above(self):
        block = "%s done\x1b[K\r\nbest %s\x1b[K\r\n"
        text = block % (1, 0.5) + "\x1b[J"
        text += "\r\x1b[2A" + block % (2, 0.75) + "\x1b[J"
        text += "\r\x1b[2A\x1b[Jtrial 3 failed\r\n" + block % (2, 0.75)

        self.assertEqual(shown(text), ["trial 3 failed", "2 done", "best 0.75"])

    def test_a_sequence_may_come_in_parts(self):
        screen = Screen(20, 5)
        for part in ("one\r\ntwo\r", "\x1b", "[", "1", "AX\x1b[3", "1mY"):
            screen.feed(part)

        self.assertEqual(screen.lines(), ["XYe", "two"])
        self.assertEqual(screen.grid[0][1].style, Style(color="red"))

    def test_an_unknown_sequence_is_named(self):
        for text, name in (
            ("\x1b[2J", r"\x1b[2J"),
            ("\x1b[1K", r"\x1b[1K"),
            ("\x1b[3B", r"\x1b[3B"),
            ("\x1b[1;2A", r"\x1b[1;2A"),
            ("\x1b[38;5;1m", r"\x1b[38;5;1m"),
            ("\x1b[4m", r"\x1b[4m"),
            ("\x1b[?25l", r"\x1b[?25l"),
            ("\x1b[ q", r"\x1b[ q"),
            ("\x1b]0;title\x07", r"\x1b]"),
            ("\x1bc", r"\x1bc"),
            ("\x07", r"\x07"),
            ("\t", r"\t"),
            ("\x9b2J", r"\x9b"),
        ):
            with self.subTest(name):
                with self.assertRaises(UnknownSequence) as problem:
                    shown("before" + text + "after")
                self.assertIn(name, str(problem.exception))


class Colors(unittest.TestCase):
    def styles(self, text):
        screen = Screen(20, 2)
        screen.feed(text)
        return [(x.column, x.text, x.style) for x in screen.runs()[0]]

    def test_each_colour_until_it_is_reset(self):
        for code, name in ((31, "red"), (32, "green"), (33, "yellow"), (36, "cyan")):
            runs = self.styles("a\x1b[%dmbc\x1b[0md" % code)

            self.assertEqual(runs, [(0, "a", Style()), (1, "bc", Style(name)), (3, "d", Style())])

    def test_strength(self):
        runs = self.styles("\x1b[1ma\x1b[0;2mb\x1b[mc")

        self.assertEqual([x[2] for x in runs], [Style(bold=True), Style(faint=True), Style()])

    def test_a_colour_is_added_to_strength(self):
        self.assertEqual(self.styles("\x1b[1;31ma")[0][2], Style("red", bold=True))

    def test_what_is_overwritten_loses_its_colour(self):
        self.assertEqual(self.styles("\x1b[31mab\x1b[0m\rc")[0], (0, "c", Style()))


class Wide(unittest.TestCase):
    def runs(self, text, columns=8):
        screen = Screen(columns, 2)
        screen.feed(text)
        return [[(x.column, x.text, x.width) for x in row] for row in screen.runs()]

    def test_a_wide_character_takes_two_columns(self):
        self.assertEqual(self.runs("日本\x1b[31mx"), [[(0, "日本", 4), (4, "x", 1)]])

    def test_one_that_does_not_fit_goes_into_the_next_row(self):
        self.assertEqual(shown("abc日", columns=4), ["abc", "日"])

    def test_of_one_that_is_overwritten_in_part_nothing_is_left(self):
        self.assertEqual(shown("日x\ra"), ["a x"])
        self.assertEqual(shown("a日x\rbc"), ["bc x"])
        self.assertEqual(shown("a日x\r日"), ["日 x"])

    def test_one_that_is_erased_in_part_is_gone(self):
        self.assertEqual(shown("日y\r\nx\x1b[A\x1b[K"), ["", "x"])

    def test_a_combining_mark_takes_no_column(self):
        self.assertEqual(self.runs("e\u0301x"), [[(0, "e\u0301x", 2)]])


def luminance(color):
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


class Drawing(unittest.TestCase):
    def drawn(self, text):
        screen = Screen(40, 5)
        screen.feed(text)
        return svg.draw(screen, "a <title>", "a & b")

    def texts(self, text):
        document = ElementTree.fromstring(self.drawn(text))
        return [x for x in document.iter("{http://www.w3.org/2000/svg}text")][1:]

    def test_text_is_text(self):
        found = self.texts('a b="<x> & y"')

        self.assertEqual([x.text for x in found], ['a b="<x> & y"'])

    def test_runs_stand_in_their_columns(self):
        one, two = self.texts("ab  \x1b[32mcd\x1b[0m\r\n")

        self.assertEqual((one.text, two.text), ("ab", "cd"))
        self.assertAlmostEqual(float(two.get("x")) - float(one.get("x")), 4 * svg.CELL_WIDTH, 1)
        self.assertAlmostEqual(float(two.get("textLength")), 2 * svg.CELL_WIDTH, 1)
        self.assertEqual((one.get("fill"), two.get("fill")), (None, svg.FILLS["green"]))

    def test_no_picture_rests_on_several_blanks_in_a_row(self):
        found = self.texts("  日  b c   d\x1b[31m  e")

        columns = [(float(x.get("x")) - svg.MARGIN) / svg.CELL_WIDTH for x in found]
        self.assertEqual([x.text for x in found], ["日", "b c", "d", "e"])
        for column, expected in zip(columns, (2, 6, 12, 15)):
            self.assertAlmostEqual(column, expected, 1)
        self.assertAlmostEqual(float(found[0].get("textLength")), 2 * svg.CELL_WIDTH, 1)

    def test_title_and_description_are_there_for_those_who_do_not_see(self):
        document = ElementTree.fromstring(self.drawn("x"))
        named = {x.get("id"): x.text for x in document if x.get("id")}

        self.assertEqual(named, {"t": "a <title>", "d": "a & b"})
        self.assertEqual(document.get("aria-labelledby"), "t d")

    def test_nothing_else_is_in_the_document(self):
        document = ElementTree.fromstring(self.drawn("\x1b[1;31mx"))
        names = {x.tag.rpartition("}")[2] for x in document.iter()}

        self.assertEqual(names, {"svg", "title", "desc", "g", "rect", "path", "circle", "text"})

    def test_colours_can_be_read(self):
        for color in (svg.PLAIN, svg.FAINT, *svg.FILLS.values()):
            with self.subTest(color):
                contrast = (luminance(color) + 0.05) / (luminance(svg.GROUND) + 0.05)
                self.assertGreaterEqual(contrast, 5)


if __name__ == "__main__":
    unittest.main()
