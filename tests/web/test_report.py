# SPDX-License-Identifier: BSD-3-Clause
"""A report of real experiments in a browser: by file://, light, dark, narrow, printed, and without
JavaScript."""

import base64
import contextlib
import json
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from browser import Absent, Browser, Failed, program
from npm import Absent as NoPackage
from npm import Package
from skips import main
from test_accessibility import SHORT

ROOT = Path(__file__).resolve().parents[2]
TUNE_NODE = os.environ["TUNE_NODE"]
IS_DRAWN = """document.readyState === 'complete' && !!document.querySelector('.plot canvas')
    && !document.querySelector('.state:not([hidden]) .spinner')
    && new Promise(done => setTimeout(() => done(true), 300))"""

# Each chart of the report, and what it is known by once it is drawn.
CHARTS = {
    "history": ".plot .tick",
    "curves": ".plot .tick",
    "rungs": "tbody .bar",
    "importance": ".bars li:nth-child(4)",
    "parallel": ".brush .overlay",
    "slice": "figure:nth-child(3) .tick",
    "pareto": ".plot .tick",
    "timeline": ".plot .tick",
    "compare": ".plot .tick",
}


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            program()
        except Absent as why:
            raise unittest.SkipTest(str(why)) from None
        home = tempfile.TemporaryDirectory(prefix="tune-report-")
        cls.addClassCleanup(home.cleanup)
        cls.home = Path(home.name)
        for name in ("mlp-digits", "moo-digits"):
            cls.node("run", ROOT / "config" / (name + ".ini"), "--experiment.storage", "results",
                     "--experiment.num_samples", "30", "--quiet")
        cls.node("report", "results/mlp-digits", "results/moo-digits", "-o", "page.html")
        cls.browser = Browser().__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    @classmethod
    def node(cls, *words):
        subprocess.run([TUNE_NODE, *map(str, words)], cwd=cls.home, check=True,
                       stdout=subprocess.DEVNULL, timeout=300)

    def open(self, mode="light", width=1200, is_drawn=IS_DRAWN):
        self.browser.prefer(mode)
        self.browser.size(width, 900)
        self.browser.errors.clear()
        self.browser.hosts.clear()
        self.browser.open((self.home / "page.html").as_uri())
        self.browser.wait(is_drawn)

    def assert_clean(self):
        self.assertEqual(self.browser.errors, [])
        self.assertLessEqual(self.browser.hosts, {"", "about", "blob:", "data:"})

    def faults(self):
        try:
            with Package("axe-core", "4.10") as axe:
                self.browser.run((axe.folder / "axe.min.js").read_text(encoding="utf-8") + ";0")
        except NoPackage as why:
            self.skipTest(str(why))
        return json.loads(self.browser.run(
            "axe.run(document, {resultTypes: ['violations']}).then(%s)" % SHORT))

    def test_draws_every_chart_and_asks_nobody(self):
        self.open()
        for name, mark in CHARTS.items():
            with self.subTest(name):
                self.assertTrue(self.browser.run(
                    "!!document.querySelector('[data-chart=%s] %s')" % (name, mark)))
        self.assert_clean()

    def test_choices_draw_again(self):
        self.open()
        choose = """(() => { const x = [...document.querySelectorAll('[data-chart=curves] select')]
            .find(x => [...x.options].some(o => o.value === 'cost'));
            x.value = 'cost'; x.dispatchEvent(new Event('change')); return true; })()"""
        self.browser.run(choose)
        self.browser.wait("[...document.querySelectorAll('[data-chart=curves] .label')]"
                          ".some(x => x.textContent.includes('training time'))")
        self.assert_clean()

    def test_fits_a_narrow_screen(self):
        self.open(width=400)
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
        self.assert_clean()

    def test_axe_finds_nothing(self):
        for mode, width in (("light", 1200), ("dark", 1200), ("light", 400)):
            with self.subTest(mode, width=width):
                self.open(mode, width)
                self.assertEqual(self.faults(), [])

    def test_prints_light_as_wide_as_paper(self):
        self.open("dark")
        widths = "[...document.querySelectorAll('.plot canvas')].map(x => x.clientWidth)"
        self.browser.run("""window.printed = null; addEventListener('beforeprint', () =>
            window.printed = [document.documentElement.dataset.theme, ...%s]); true""" % widths)
        made = self.browser.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        self.assertTrue(base64.b64decode(made["data"]).startswith(b"%PDF"))
        printed = json.loads(self.browser.run("JSON.stringify(window.printed)"))
        self.assertEqual(printed[0], "light")
        self.assertGreater(len(printed), 5)
        self.assertLessEqual(max(printed[1:]), 720)
        self.assert_clean()

    def test_is_readable_without_scripts(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.call, "Emulation.setScriptExecutionDisabled", value=False)
        self.browser.open((self.home / "page.html").as_uri())
        end = time.monotonic() + 60
        shown = ""
        while "</footer>" not in shown and time.monotonic() < end:
            # Nodes go while the page comes.
            with contextlib.suppress(Failed):
                node = self.browser.call("DOM.getDocument")["root"]["nodeId"]
                shown = self.browser.call("DOM.getOuterHTML", nodeId=node)["outerHTML"]
        self.assertIn("Charts need JavaScript", shown)
        self.assertIn("has the best accuracy", shown)
        self.assertNotIn("<canvas", shown)


if __name__ == "__main__":
    main()
