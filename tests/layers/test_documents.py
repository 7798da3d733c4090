# SPDX-License-Identifier: BSD-3-Clause
"""Documents refer to existing things: links lead somewhere, scripts can be run."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def documents():
    """All Markdown pages of the repository, without build directories."""
    for folder, folders, files in os.walk(str(ROOT)):
        folders[:] = [x for x in folders if not x.startswith((".", "build", "results"))]
        for name in files:
            if name.endswith(".md"):
                yield Path(folder, name)


def prose(path):
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchors(path):
    """The anchors of a page's headings, in the form that code hosts use."""
    for heading in re.findall(r"^#+ +(.+)$", prose(path), flags=re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        pages = list(documents())
        self.assertGreater(len(pages), 5)
        for page in pages:
            for link in LINK.findall(prose(page)):
                if re.match(r"[a-z]+:", link):
                    continue
                with self.subTest(page=str(page.relative_to(ROOT)), link=link):
                    path, _, anchor = link.partition("#")
                    target = (page.parent / path).resolve() if path else page
                    self.assertTrue(target.exists(), "there is no " + link)
                    if anchor:
                        self.assertIn(anchor, list(anchors(target)))

    def test_code_of_the_page_on_embedding_is_the_examples(self):
        def plain(text):
            return "\n".join(x.strip() for x in text.strip().splitlines())

        page = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```(?:cpp|cmake)\n(.*?)^```", page, flags=re.M | re.S)
        examples = [*(ROOT / "examples/embed").iterdir(), *(ROOT / "examples/plugin").iterdir()]
        sources = [plain(x.read_text()) for x in examples]
        self.assertGreater(len(blocks), 5)
        for block in blocks:
            with self.subTest(block):
                self.assertTrue(any(plain(block) in x for x in sources))

    def test_scripts_can_be_run(self):
        for path in [*ROOT.glob("scripts/*"), ROOT / ".ci" / "run"]:
            if path.is_file():
                with self.subTest(path.name):
                    self.assertTrue(os.access(str(path), os.X_OK), "not executable")
                    self.assertTrue(path.read_text().startswith("#!/usr/bin/env "))

    def test_paths_of_the_pages_for_readers_are_there(self):
        for page in ("architecture.md", "glossary.md", "changing.md"):
            text = (ROOT / "docs" / page).read_text(encoding="utf-8")
            paths = re.findall(r"`((?:src|include|apps|tests|docs|bench|scripts)/[^`\s*<]+)`", text)
            self.assertGreater(len(paths), 10)
            for path in paths:
                with self.subTest(page=page, path=path):
                    self.assertTrue((ROOT / path).exists(), "there is no " + path)

    def test_every_actor_is_in_the_page_on_architecture(self):
        text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        listed = set(re.findall(r"`(tune\.\w+)`", text))
        named = re.compile(r'static inline const char\* name = "(tune\.\w+)";')
        there = set()
        for folder in ("src", "apps", "include"):
            for path in (ROOT / folder).rglob("*.[ch]pp"):
                there.update(named.findall(path.read_text(encoding="utf-8")))
        self.assertGreater(len(there), 20)
        self.assertEqual(listed, there)

    def test_every_decision_is_listed(self):
        listed = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
        for page in (ROOT / "docs/decisions").glob("0*.md"):
            self.assertIn("](%s)" % page.name, listed)

    def test_every_example_configuration_is_listed(self):
        listed = (ROOT / "README.md").read_text(encoding="utf-8")
        for file in (ROOT / "config").glob("*.ini"):
            self.assertIn("](config/%s)" % file.name, listed)
        listed = (ROOT / "docs/schedulers.md").read_text(encoding="utf-8")
        for file in (ROOT / "config/schedulers").glob("*.ini"):
            self.assertIn("](../config/schedulers/%s)" % file.name, listed)


if __name__ == "__main__":
    unittest.main()
