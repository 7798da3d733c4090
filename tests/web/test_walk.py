# SPDX-License-Identifier: BSD-3-Clause
"""The walk through the page in docs/web.md: each step is taken in a browser as it stands there."""

import json
import re
import shlex
import unittest

from browser import Absent, Browser, program
from real_server import ROOT, Laboratory, Served
from skips import main

# What is pressed, what is shown, in the order of the text; what is code is neither.
MARK = re.compile(r"`[^`]*`|\*\*([^*]+)\*\*|\*([^*]+)\*")
# Presses what has this name: in what is open, else in the view, else anywhere.
PRESS = """(() => {
  const name = %s;
  for (const place of ["dialog[open]", "main", "body"]) {
    const all = [...document.querySelectorAll(place + " a, " + place + " button")];
    const found = all.find((x) => x.innerText.trim() === name && !x.disabled);
    if (found) { found.click(); return true; }
    if (place === "dialog[open]" && document.querySelector(place)) return false;
  }
  return false;
})()"""


def walk():
    """The command of the walk, and its steps: each a list of (is pressed, text)."""
    text = (ROOT / "docs/web.md").read_text(encoding="utf-8")
    part = text.split("## A walk\n")[1].split("\n## ")[0]
    command = re.search(r"^\$ tune-node (.*)$", part, re.M).group(1)
    steps = re.findall(r"^\d+\. (.*(?:\n {3,}.*)*)", part, re.M)
    marks = [[(bool(a), a or b) for a, b in MARK.findall(step) if a or b] for step in steps]
    return shlex.split(command), marks


class Walk(unittest.TestCase):
    def test_each_step_shows_what_is_told(self):
        try:
            program()
        except Absent as why:
            self.skipTest(str(why))
        words, steps = walk()
        self.assertGreater(len(steps), 8)
        laboratory = Laboratory()
        self.addCleanup(laboratory.close)
        for name in ("config", "data"):
            (laboratory.place / name).symlink_to(ROOT / name)
        words[words.index("--http") + 1] = "127.0.0.1:0"
        served = Served(laboratory, words)
        with Browser() as browser:
            browser.size(1280, 860)
            browser.open(served.address + "#token=" + served.token)
            for number, step in enumerate(steps, 1):
                self.assertTrue(any(pressed for pressed, _ in step), step)
                for pressed, text in step:
                    print(number, "press" if pressed else "see", text, flush=True)
                    quoted = json.dumps(text)
                    shows = "document.body.innerText.includes(%s)" % quoted
                    browser.wait(PRESS % quoted if pressed else shows)
            self.assertEqual(served.child.wait(timeout=120), 0)
            faults = [x for x in browser.errors if "/events?" not in x and "ERR_CONNECTION" not in x]
            self.assertEqual(faults, [])


if __name__ == "__main__":
    main()
