# SPDX-License-Identifier: BSD-3-Clause
"""No view has a fault that axe finds."""

import json
import unittest

from npm import Absent, Package
from page import VIEWS, PageTest
from skips import main

# Of each fault its name, and the first elements that have it, with the reason.
SHORT = """(x) => JSON.stringify(x.violations.map((v) => [v.id, ...v.nodes.slice(0, 3).map(
  (n) => n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {}).message)]))"""


class Accessibility(PageTest):
    @classmethod
    def setUpClass(cls):
        try:
            with Package("axe-core", "4.10") as axe:
                cls.axe = (axe.folder / "axe.min.js").read_text(encoding="utf-8")
        except Absent as why:
            raise unittest.SkipTest(str(why)) from None
        super().setUpClass()

    def faults(self, rules=None):
        """What axe finds on the page by some rules, or by all."""
        self.browser.run(self.axe + ";0")
        options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
        found = self.browser.run("axe.run(document, %s).then(%s)" % (json.dumps(options), SHORT))
        return json.loads(found)

    def test_every_view(self):
        for name in VIEWS:
            with self.subTest(name):
                self.show(name)
                self.assertEqual(self.faults(), [])

    def test_contrast_in_the_dark(self):
        self.browser.prefer("dark")
        self.addCleanup(self.browser.prefer, "light")
        for name in VIEWS:
            with self.subTest(name):
                self.show(name)
                self.assertEqual(self.faults(["color-contrast"]), [])

    def test_every_view_on_a_narrow_screen(self):
        self.browser.size(400, 900)
        self.addCleanup(self.browser.size, 1280, 860)
        for name in VIEWS:
            with self.subTest(name):
                self.show(name)
                self.assertEqual(self.faults(), [])

    def in_each_way(self, what, open_it):
        """Opens something in light, dark and narrow pages, and has axe look at it."""
        self.addCleanup(self.browser.size, 1280, 860)
        self.addCleanup(self.browser.prefer, "light")
        for way, width, scheme in (
            ("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 400, "light")
        ):
            with self.subTest(what, way=way):
                self.browser.size(width, 860)
                self.browser.prefer(scheme)
                open_it()
                self.assertEqual(self.faults(), [])

    def test_what_asks_before_it_acts(self):
        def confirming(view, button):
            self.show(view)
            self.browser.click("[data-act=%s]" % button)
            self.browser.wait("!!document.querySelector('dialog[open]')")

        for view, button in (
            ("overview", "add"), ("overview", "pause"), ("overview", "stop"), ("trial", "stop")
        ):
            if view == "trial":
                self.set_running_trial()
            self.in_each_way(view + " " + button, lambda v=view, b=button: confirming(v, b))

    def set_running_trial(self):
        live = self.gateway.all["live"]
        runs = next(t for t in range(live.total) if live.status(t) == "RUNNING")
        route = {"e": "live", "view": "trial", "t": str(runs)}
        self.addCleanup(VIEWS.update, trial=VIEWS["trial"])
        VIEWS["trial"] = (route, VIEWS["trial"][1])

    def test_keys_and_an_explanation(self):
        def keys():
            self.show("overview")
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="?", text="?")
            self.browser.wait("!!document.querySelector('dialog[open]')")

        def explanation():
            self.show("trial")
            self.browser.click("[data-act=explain]")
            self.browser.wait("document.body.innerText.includes('Expected improvement')")

        self.in_each_way("keys", keys)
        self.in_each_way("explanation", explanation)

    def test_login(self):
        self.addCleanup(self.enter)
        self.show("overview")
        self.browser.run(
            "fetch('api/v1/session', {method: 'DELETE', headers: {'X-Tune-Node': '1'}, body: '{}'})"
        )
        self.visit({})
        self.browser.wait("!!document.querySelector('.login')")
        self.assertEqual(self.faults(), [])


if __name__ == "__main__":
    main()
