# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/pictures/: harmless, shown by pages, and of commands that there are."""
import re
import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "scripts" / "pictures"))
import svg  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
ALLOWED = {"svg", "title", "desc", "g", "rect", "path", "circle", "text"}
MOST_BYTES = 60000


def pictures():
    return sorted(PICTURES.glob("*.svg"))


def pages():
    """Pictures of the page in a browser, which scripts/make_page_pictures.py makes."""
    return sorted(PICTURES.glob("page-*.png"))


def screen_of(picture):
    """The lines of the screen in a picture, each element's text in its column."""
    lines = {}
    for x in ElementTree.parse(picture).iter(SVG + "text"):
        if x.get("textLength"):
            column = round((float(x.get("x")) - svg.MARGIN) / svg.CELL_WIDTH)
            line = lines.get(float(x.get("y")), "")
            lines[float(x.get("y"))] = line.ljust(column) + x.text
    return [lines[y] for y in sorted(lines)]


def commands_of(picture):
    """The command lines of tune-node in a picture, each a list of words without its comment."""
    for line in screen_of(picture):
        if found := re.match(r"(?:\$|  ?) *tune-node ([^#]*)", line):
            yield found[1].split()


def known_commands():
    """What docs/cli.md says of each command, by its name. Tests prove that page complete."""
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    return {name: rest for name, rest in re.findall(r"^\| `tune-node ([\w-]+)(.*)", page, re.M)}


def known_keys():
    """Every key of the INI file, with its section before it."""
    source = (ROOT / "docs/ini.md").read_text(encoding="utf-8")
    section, keys = "", set()
    for line in source.splitlines():
        if found := re.match(r"#+ .*`?\[(\w+)\]", line):
            section = found[1]
        elif found := re.match(r"\| `(\w+)`", line):
            keys.add("%s.%s" % (section, found[1]))
    return keys


class Pictures(unittest.TestCase):
    def test_each_is_there(self):
        self.assertEqual([x.name for x in pictures()], ["run.svg", "summary.svg", "why.svg"])

    def test_they_hold_text_and_shapes_and_nothing_else(self):
        for path in pictures():
            with self.subTest(path.name):
                text = path.read_text(encoding="utf-8")
                document = ElementTree.fromstring(text)
                names = {x.tag.replace(SVG, "") for x in document.iter()}

                self.assertLess(len(text.encode()), MOST_BYTES)
                self.assertLessEqual(names, ALLOWED)
                self.assertEqual(document.get("role"), "img")
                self.assertTrue(document.findtext(SVG + "title"))
                self.assertGreater(len(document.findtext(SVG + "desc")), 100)
                self.assertNotRegex(text, r"href|url\(|@import|\son\w+=")
                self.assertEqual(text.count("://"), 1, "the name space alone")

    def test_they_show_no_place_but_that_of_the_run(self):
        for path in pictures():
            for line in screen_of(path):
                for place in re.findall(r"(?<![\w./])/[\w./-]+", line):
                    with self.subTest(path.name, place=place):
                        self.assertTrue(place.startswith("/tmp/digits/"))

    def test_commands_in_them_are_commands_of_the_program(self):
        commands, keys = known_commands(), known_keys()
        self.assertIn("cluster.cpus", keys)
        common = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
        common = common.partition("## Options of all commands")[2].partition("\n## ")[0]
        for path in pictures():
            found = list(commands_of(path))
            self.assertTrue(found, path.name)
            for name, *words in found:
                with self.subTest(path.name, command=name):
                    self.assertIn(name, commands)
                    for option in (x for x in words if x.startswith("--")):
                        self.assertTrue(
                            option[2:] in keys or option in commands[name] or option in common,
                            "there is no " + option,
                        )

    def test_files_in_the_command_are_there(self):
        for path in pictures():
            for _, *words in commands_of(path):
                for file in (x for x in words if x.endswith(".ini")):
                    self.assertTrue((ROOT / file).is_file(), "%s: no %s" % (path.name, file))

    def test_they_show_what_the_pages_say(self):
        run, summary, why = ("\n".join(screen_of(x)) for x in pictures())

        killed = re.search(r"^trial (\d+) failed: ended by SIGKILL \(will be tried ag", run, re.M)
        self.assertIsNotNone(killed)
        self.assertRegex(run, r"(?m)^%s  RUNNING +[1-9]" % killed[1])
        self.assertRegex(run, r"(?m)^best accuracy 0\.9\d* ")
        self.assertRegex(summary, r"(?m)^python-digits: done after ")
        self.assertRegex(summary, r"(?m)^next:$")
        self.assertRegex(why, r"(?m)^  reason: [\d.]+ at iteration \d+ is below the cutoff ")


class Pages(unittest.TestCase):
    def images(self):
        for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
            for alt, path in IMAGE.findall(page.read_text(encoding="utf-8")):
                yield page, " ".join(alt.split()), path

    def test_images_of_the_pages_are_there_and_are_told_in_words(self):
        for page, alt, path in self.images():
            with self.subTest(page.name, image=path):
                self.assertTrue((page.parent / path).is_file(), "there is no " + path)
                self.assertGreater(len(alt), 60)

    def test_every_picture_is_shown_and_readme_begins_with_the_run(self):
        images = list(self.images())
        shown = {(page.parent / path).resolve() for page, _, path in images}

        self.assertEqual(shown, set(pictures() + pages()))
        self.assertEqual(len(pages()), 2)
        self.assertEqual(images[0][0].name, "README.md")
        self.assertEqual(images[0][2], "docs/pictures/run.svg")


if __name__ == "__main__":
    unittest.main()
