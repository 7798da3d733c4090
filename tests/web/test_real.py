# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard of the real program in a browser: a live experiment with 2,000 trials, a finished one
with 100,000, and one of three nodes under PBT.

Pictures of all views, light, dark and narrow, lie in TUNE_PICTURES afterwards. Times are printed;
only what is absurd fails.
"""

import json
import os
import time
import unittest
from pathlib import Path
from urllib.parse import urlencode

from browser import Absent, Browser, program
from npm import Absent as NoPackage
from npm import Package
from page import QUIET
from real_server import Laboratory, Served
from skips import main
from test_accessibility import SHORT

# Many times what it takes on two idle cores. [s]
ABSURD = 30

# Each view with what it is known by.
OF_ONE = {
    "overview": ({}, ".tiles .tile:nth-child(5)"),
    "trials": ({"view": "trials"}, ".grid-row a"),
    "trial": ({"view": "trial", "t": "3"}, ".charts figure"),
    "curves": ({"view": "curves"}, ".plot .tick"),
    "compared": ({"view": "curves", "pick": "3,5,7"}, "td .swatch"),
    "decisions": ({"view": "decisions"}, "tbody tr:nth-child(3)"),
    "rungs": ({"view": "rungs"}, "tbody .bar"),
    "importance": ({"view": "importance"}, ".bars li:nth-child(2)"),
    "parallel": ({"view": "parallel"}, ".brush .overlay"),
    "slice": ({"view": "slice"}, "figure .tick"),
    "contour": ({"view": "contour"}, ".plot .tick"),
    "timeline": ({"view": "timeline"}, ".plot .tick"),
    "nodes": ({"view": "nodes"}, "tbody tr"),
    "checkpoints": ({"view": "checkpoints"}, "tbody tr, .empty"),
    "pareto": ({"view": "pareto"}, "tbody tr, .empty"),
    "lineage": ({"view": "lineage"}, "tbody tr, .empty"),
}
OF_ALL = {
    "experiments": ({}, "tbody tr"),
    "about": ({"view": "about"}, "pre.licence"),
}


class Real(unittest.TestCase):
    """A browser that is logged in at a server which the class names."""

    # Shared by all classes: the experiments take a while to make.
    laboratory = None
    measured = {}

    @classmethod
    def setUpClass(cls):
        try:
            program()
        except Absent as why:
            raise unittest.SkipTest(str(why)) from None
        cls.laboratory = Laboratory()
        cls.addClassCleanup(cls.laboratory.close)
        cls.served = cls.begin(cls.laboratory)
        cls.browser = Browser().__enter__()
        cls.addClassCleanup(cls.browser.__exit__)
        cls.browser.size(1280, 860)
        cls.browser.open(cls.served.address + "#token=" + cls.served.token)
        cls.browser.wait("!!document.querySelector('tbody tr, .tiles')")
        cls.pictures = Path(os.environ.get("TUNE_PICTURES", cls.laboratory.place / "pictures"))
        cls.pictures.mkdir(parents=True, exist_ok=True)

    def setUp(self):
        self.browser.errors.clear()

    def assert_clean(self):
        self.assertEqual(self.browser.errors, [])
        asked = {x for x in self.browser.hosts if x not in ("about", "blob:", "data:")}
        self.assertEqual(asked, {self.served.host})

    def visit(self, route):
        self.browser.open(self.served.address + "?" + urlencode(route))

    def show(self, route, mark):
        self.visit(route)
        self.browser.wait("!!document.querySelector(%s) && %s" % (json.dumps(mark), QUIET))

    def note(self, name, seconds):
        print("%s: %.0f ms" % (name, 1000 * seconds), flush=True)
        self.assertLess(seconds, ABSURD)

    def click_order(self, act):
        """Presses a button of the page and confirms; waits until it is told."""
        self.browser.click("[data-act=%s]" % act)
        self.browser.wait("!!document.querySelector('dialog[open] [type=submit]')")
        self.browser.click("dialog[open] [type=submit]")
        told = self.browser.wait(
            "(() => { const d = document.querySelector('dialog[open] .outcome');"
            " return d && !d.innerText.includes('Sending') && d.innerText; })()"
        )
        self.browser.click("dialog[open] button")
        return told

    def time_first_view(self, route, mark):
        """From an empty page to the view."""
        self.browser.open("about:blank")
        begun = time.monotonic()
        self.show(route, mark)
        return time.monotonic() - begun

    def look_at_all(self, name, views):
        """Draws views in all ways, takes their pictures, and has axe look at each."""
        axe = None
        try:
            with Package("axe-core", "4.10") as package:
                axe = (package.folder / "axe.min.js").read_text(encoding="utf-8")
        except NoPackage as why:
            print("axe is skipped:", why)
        ways = (
            ("light", (1280, 860), "light"),
            ("dark", (1280, 860), "dark"),
            ("narrow", (400, 900), "light"),
        )
        self.addCleanup(self.browser.size, 1280, 860)
        self.addCleanup(self.browser.prefer, "light")
        for way, size, scheme in ways:
            self.browser.size(*size)
            self.browser.prefer(scheme)
            for view, (route, mark) in views.items():
                with self.subTest(view=view, way=way):
                    self.show(route, mark)
                    self.browser.run(
                        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
                    )
                    self.browser.picture(self.pictures / ("%s-%s-%s.png" % (name, view, way)))
                    wide = "document.documentElement.scrollWidth > innerWidth"
                    self.assertFalse(self.browser.run(wide))
                    self.assert_clean()
                    if axe:
                        self.browser.run(axe + ";0")
                        options = {"resultTypes": ["violations"]}
                        found = self.browser.run(
                            "axe.run(document, %s).then(%s)" % (json.dumps(options), SHORT)
                        )
                        self.assertEqual(json.loads(found), [])


def of(experiment, views, more=()):
    made = {name: ({"e": experiment, **route}, mark) for name, (route, mark) in views.items()}
    return {**made, **dict(more)}


class Live(Real):
    """2,000 trials and more, which go on."""

    @classmethod
    def begin(cls, laboratory):
        return laboratory.live()

    def time_updates_elsewhere(self):
        """The same in a browser of its own, at a server beside the experiment's own process."""
        other = Served(self.laboratory, ["serve", "results", "--http", "127.0.0.1:0"])
        try:
            with Browser() as browser:
                browser.open(other.address + "#token=" + other.token)
                browser.wait("!!document.querySelector('tbody tr')")
                browser.open(other.address + "?e=live")
                browser.wait("!!document.querySelector('.tiles .tile:nth-child(5)')")
                self.time_updates(browser, other, "in another process")
                self.assertEqual(browser.errors, [])
                self.assertEqual(
                    {x for x in browser.hosts if x not in ("about", "blob:", "data:")}, {other.host}
                )
        finally:
            other.child.terminate()
            other.child.wait()

    def time_updates(self, browser, at, where, times=15):
        """From the click that adds a trial until the tile with the number of trials shows it, which is
        longer than from its commit on. The experiment stands still meanwhile."""
        script = """new Promise((done, fail) => {
          const all = () => document.querySelector('.tiles').innerText.replace(/\\s/g, '');
          let [sent, answered, seen] = [0, false, 0];
          const look = () => {
            if (!seen && all().includes(%s)) seen = performance.now();
            if (seen && answered) { watch.disconnect(); done(seen - sent); }
          };
          const watch = new MutationObserver(look);
          watch.observe(document.querySelector('main'), {subtree: true, childList: true, characterData: true});
          sent = performance.now();
          fetch('api/v1/experiments/live/trials', {method: 'POST', body: JSON.stringify({config: %s}),
            headers: {'Content-Type': 'application/json', 'X-Tune-Node': '1'}})
            .then((x) => { answered = true; if (!x.ok) fail('status ' + x.status); look(); })
            .catch(fail);
        })"""
        config = at.get("/live/trials/0")["config"]
        total = at.get("/live")["trials"]["total"]
        browser.wait("document.querySelector('.line').dataset.state === 'live'")
        took = []
        for i in range(times):
            new = {**config, "momentum": 0.25 + (total + i) / 1e6}
            wanted = json.dumps("/%d" % (total + i + 1))
            took.append(browser.run(script % (wanted, json.dumps(new))))
        took.sort()
        name = "an update on screen after it was asked for, " + where
        self.note(name + ", the middle of %d" % times, took[times // 2] / 1000)
        self.note(name + ", the longest", took[-1] / 1000)

    def test_1_first_view_and_updates(self):
        took = self.time_first_view({"e": "live"}, ".tiles .tile:nth-child(5)")
        self.note("first view of the live experiment", took)
        self.assert_clean()
        self.click_order("pause")
        self.laboratory.wait(
            lambda: self.served.get("/live")["trials"]["running"] == 0, "the end of what runs"
        )
        self.show({"e": "live"}, ".tiles .tile:nth-child(5)")
        self.time_updates(self.browser, self.served, "in the process that runs it")
        self.time_updates_elsewhere()
        self.click_order("unpause")
        self.assert_clean()

    def test_2_add_pause_and_stop_by_clicks(self):
        self.show({"e": "live"}, ".tiles .tile:nth-child(5)")
        before = self.served.get("/live")["trials"]["total"]
        self.browser.click("[data-act=add]")
        self.browser.wait("!!document.querySelector('dialog[open] [type=submit]')")
        self.browser.click("dialog[open] [type=submit]")
        self.browser.wait(
            "(() => { const d = document.querySelector('dialog[open] .outcome');"
            " return d && d.innerText && !d.innerText.includes('Sending'); })()"
        )
        self.browser.click("dialog[open] button")
        self.laboratory.wait(
            lambda: self.served.get("/live")["trials"]["total"] > before, "the added trial"
        )
        self.assert_clean()

    def test_3_every_view(self):
        # It stands still, so that pictures are the same for those who compare them.
        self.show({"e": "live"}, ".tiles .tile:nth-child(5)")
        self.click_order("pause")
        self.look_at_all("live", of("live", OF_ONE, OF_ALL.items()))

    def test_4_stop_by_click(self):
        self.show({"e": "live"}, ".tiles .tile:nth-child(5)")
        self.click_order("stop")
        self.assertEqual(self.served.child.wait(timeout=120), 0)


class Huge(Real):
    """100,000 trials, finished."""

    @classmethod
    def begin(cls, laboratory):
        return laboratory.huge()

    def test_1_first_view(self):
        self.note(
            "first view of 100,000 trials, which reads the record",
            self.time_first_view({"e": "huge"}, ".tiles .tile:nth-child(5)"),
        )
        again = self.time_first_view({"e": "huge"}, ".tiles .tile:nth-child(5)")
        self.note("first view of 100,000 trials, once it was read", again)
        self.note(
            "the table of 100,000 trials",
            self.time_first_view({"e": "huge", "view": "trials"}, ".grid-row a"),
        )
        self.assert_clean()

    def test_2_brushing(self):
        self.show({"e": "huge", "view": "parallel"}, ".brush .overlay")
        box = self.browser.run(
            "(() => { const r = document.querySelector('.brush .overlay').getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y, r.height]; })()"
        )
        self.browser.run(
            "window.frames_ = 0; (function count() { frames_ += 1; requestAnimationFrame(count); })()"
        )
        x, y, height = box
        begun, before = time.monotonic(), self.browser.run("frames_")
        for way in range(4):
            low, high = (0.1, 0.9) if way % 2 == 0 else (0.2, 0.7)
            self.browser.drag(x, y + low * height, x, y + high * height, steps=40)
        frames = (self.browser.run("frames_") - before) / (time.monotonic() - begun)
        print("brushing: %.0f frames/s" % frames, flush=True)
        self.assertGreater(frames, 2)
        self.assert_clean()

    def test_3_every_view(self):
        views = of("huge", OF_ONE, OF_ALL.items())
        best = str(self.served.get("/huge")["best"]["trial"])
        views["best"] = ({"e": "huge", "view": "trial", "t": best}, ".star")
        views["compare"] = ({"view": "compare", "c": "huge,small"}, "tbody tr:nth-child(2)")
        self.look_at_all("huge", views)


class Population(Real):
    """PBT on three nodes: the head's own, and two workers on this machine."""

    @classmethod
    def begin(cls, laboratory):
        return laboratory.population()

    def test_every_view(self):
        views = of("population", OF_ONE)
        views["node"] = ({"e": "population", "view": "node", "n": "w1"}, "h2")
        for name, mark in (("lineage", "tbody tr:nth-child(2)"), ("nodes", "tbody tr:nth-child(3)")):
            views[name] = (views[name][0], mark)
        # Of a population that has only just begun there may be too few results.
        views["importance"] = (views["importance"][0], ".bars li:nth-child(2), .empty")
        # PBT has no rungs.
        views["rungs"] = (views["rungs"][0], ".empty, tbody .bar")
        self.assertEqual(len(self.served.get("/population/nodes")["nodes"]), 3)
        # It grows without end, and on a slow machine faster than its pages are looked at.
        self.show({"e": "population"}, ".tiles .tile:nth-child(5)")
        self.click_order("pause")
        self.look_at_all("population", views)


if __name__ == "__main__":
    main()
