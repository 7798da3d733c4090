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

    def test_dialogs_and_login(self):
        self.addCleanup(self.enter)
        self.show("overview")
        self.browser.click("[data-act=add]")
        self.browser.wait("!!document.querySelector('dialog[open]')")
        self.assertEqual(self.faults(), [])
        self.browser.run(
            "fetch('api/v1/session', {method: 'DELETE', headers: {'X-Tune-Node': '1'}, body: '{}'})"
        )
        self.visit({})
        self.browser.wait("!!document.querySelector('.login')")
        self.assertEqual(self.faults(), [])


if __name__ == "__main__":
    main()
