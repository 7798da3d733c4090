# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard with made-up experiments in a browser: what its tests share."""

import os
import threading
import unittest
from urllib.parse import urlencode

from browser import Absent, Browser, program
from fake_gateway import TOKEN, Gateway

# Each view with an experiment that has something to show there, and with what it is known by.
VIEWS = {
    "experiments": ({}, "tbody tr:nth-child(6)"),
    "compare": ({"view": "compare", "c": "live,huge,two-goals"}, "tbody tr:nth-child(3)"),
    "about": ({"view": "about"}, "pre.licence"),
    "overview": ({"e": "live"}, ".tiles .tile:nth-child(5)"),
    "trials": ({"e": "live", "view": "trials"}, ".grid-row a"),
    "trial": ({"e": "live", "view": "trial", "t": "3"}, ".charts figure"),
    "curves": ({"e": "live", "view": "curves"}, ".plot .tick"),
    "compared": ({"e": "live", "view": "curves", "pick": "3,5,12"}, "td .swatch"),
    "decisions": ({"e": "live", "view": "decisions"}, "tbody tr:nth-child(30)"),
    "rungs": ({"e": "live", "view": "rungs"}, "tbody .bar"),
    "importance": ({"e": "live", "view": "importance"}, ".bars li:nth-child(5)"),
    "parallel": ({"e": "live", "view": "parallel"}, ".brush .overlay"),
    "slice": ({"e": "live", "view": "slice"}, "figure:nth-child(5) .tick"),
    "contour": ({"e": "live", "view": "contour"}, ".plot .tick"),
    "pareto": ({"e": "two-goals", "view": "pareto"}, "tbody tr:nth-child(2)"),
    "lineage": ({"e": "population", "view": "lineage"}, "tbody tr:nth-child(2)"),
    "timeline": ({"e": "live", "view": "timeline"}, ".plot .tick"),
    "nodes": ({"e": "live", "view": "nodes"}, "tbody tr:nth-child(3)"),
    "node": ({"e": "live", "view": "node", "n": "node-b"}, "tbody tr:nth-child(2)"),
    "checkpoints": ({"e": "live", "view": "checkpoints"}, "tbody tr:nth-child(2)"),
}

QUIET = "!document.querySelector('.state:not([hidden]) .spinner')"


class PageTest(unittest.TestCase):
    """A browser that is logged in. A test that needs another size sets it."""

    @classmethod
    def setUpClass(cls):
        try:
            program()
        except Absent as why:
            raise unittest.SkipTest(str(why)) from None
        cls.gateway = Gateway(os.environ["TUNE_SITE"])
        threading.Thread(target=cls.gateway.serve_forever, daemon=True).start()
        cls.browser = Browser().__enter__()
        cls.addClassCleanup(cls.close)
        cls.browser.size(1280, 860)
        cls.enter()

    @classmethod
    def enter(cls):
        """Logs in by the link, as `tune-node serve` prints it."""
        cls.browser.open("about:blank")
        cls.browser.open(cls.gateway.address + "#token=" + TOKEN)
        cls.browser.wait("!!document.querySelector('tbody tr')")

    @classmethod
    def close(cls):
        cls.browser.__exit__()
        cls.gateway.ended.set()
        cls.gateway.shutdown()

    def setUp(self):
        self.browser.errors.clear()

    def show(self, name):
        """Goes to a view and waits until it is drawn."""
        route, mark = VIEWS[name]
        self.visit(route)
        self.browser.wait("!!document.querySelector(%r) && %s" % (mark, QUIET))

    def visit(self, route):
        self.browser.open(self.gateway.address + "?" + urlencode(route))

    def assert_clean(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(
            {x for x in self.browser.hosts if x not in ("about", "blob:", "data:")},
            {"127.0.0.1:%d" % self.gateway.server_port},
        )
        self.assertIsNone(self.browser.run("window.hacked"))
