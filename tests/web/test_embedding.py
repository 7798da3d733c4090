# SPDX-License-Identifier: BSD-3-Clause
"""What is embedded is what lies in web/, and its addresses change with it."""
import os
import re
import unittest
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "web"
SITE = Path(os.environ["TUNE_SITE"])


class Embedding(unittest.TestCase):
    def setUp(self):
        (self.assets,) = (SITE / "assets").iterdir()

    def test_every_module_is_listed(self):
        listed = set(re.findall(r"^  ([\w/.]+\.(?:js|css|svg|txt|html))\)?$", (WEB / "CMakeLists.txt").read_text(), flags=re.M))
        there = {str(x.relative_to(WEB)) for x in WEB.rglob("*") if x.suffix in (".js", ".css", ".svg", ".txt", ".html")}
        self.assertEqual(listed, there - {"CMakeLists.txt"})

    def test_files_are_the_same(self):
        for path in self.assets.rglob("*.js"):
            name = path.relative_to(self.assets)
            if str(name) != "d3.js":
                self.assertEqual(path.read_bytes(), (WEB / name).read_bytes(), name)

    def test_the_index_refers_to_what_is_there_only(self):
        index = (SITE / "index.html").read_text()
        names = re.findall(r'(?:src|href)="([^"#]+)"', index)
        self.assertGreater(len(names), 4)
        for name in names:
            self.assertTrue(name.startswith("assets/"), name)
            self.assertTrue((SITE / name).is_file(), name)

    def test_nothing_is_inline_or_elsewhere(self):
        index = (SITE / "index.html").read_text()
        self.assertNotRegex(index, r"<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)")
        for path in WEB.rglob("*.js"):
            text = path.read_text(encoding="utf-8")
            with self.subTest(path.name):
                self.assertNotRegex(text, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.html\(")
                self.assertNotRegex(text, r"https?://(?!\w*\.?\w*\.org/\d)")
        for path in WEB.rglob("*.css"):
            self.assertNotRegex(path.read_text(), r"@import|url\(")

    def test_modules_import_what_is_there(self):
        for path in WEB.rglob("*.js"):
            for name in re.findall(r'^import .* from "([^"]+)";$', path.read_text(encoding="utf-8"), flags=re.M):
                with self.subTest(path=path.name, name=name):
                    self.assertTrue(name.startswith("."))
                    self.assertTrue((path.parent / name).is_file())

    def test_licences_are_told(self):
        text = (self.assets / "licences.txt").read_text()
        self.assertIn("Mike Bostock", text)
        self.assertIn("tune-node", text)


if __name__ == "__main__":
    unittest.main()
