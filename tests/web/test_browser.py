# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard in a browser: all views, what is clicked, and what is hostile.

With TUNE_SCREENSHOTS=DIRECTORY it leaves pictures of all views, light, dark and narrow.
"""

import json
import os
from pathlib import Path

from fake_gateway import TOKEN
from page import QUIET, VIEWS, PageTest
from skips import main


class Views(PageTest):
    def test_every_view_is_drawn_and_asks_nobody_else(self):
        for name in VIEWS:
            with self.subTest(name):
                self.show(name)
                self.assert_clean()

    def test_every_view_fits_a_narrow_screen_and_the_dark(self):
        self.browser.size(400, 900)
        self.browser.prefer("dark")
        self.addCleanup(self.browser.size, 1280, 860)
        self.addCleanup(self.browser.prefer, "light")
        wide = "document.documentElement.scrollWidth > innerWidth || page.scrollWidth > page.clientWidth"
        for name in VIEWS:
            with self.subTest(name):
                self.show(name)
                self.assertFalse(self.browser.run(wide))
                self.assertEqual(
                    self.browser.run("getComputedStyle(document.body.parentNode).colorScheme"),
                    "dark",
                )
        self.assert_clean()

    def test_pictures(self):
        place = os.environ.get("TUNE_SCREENSHOTS")
        if not place:
            self.skipTest("TUNE_SCREENSHOTS names no directory")
        Path(place).mkdir(parents=True, exist_ok=True)
        self.addCleanup(self.browser.size, 1280, 860)
        self.addCleanup(self.browser.prefer, "light")
        for way, size, scheme in (
            ("light", (1280, 860), "light"),
            ("dark", (1280, 860), "dark"),
            ("narrow", (400, 900), "light"),
        ):
            self.browser.size(*size)
            self.browser.prefer(scheme)
            for name in VIEWS:
                self.show(name)
                self.browser.run(
                    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
                )
                self.browser.picture(Path(place) / ("%s-%s.png" % (name, way)))

    def test_empty_and_absent_things_say_so(self):
        for view in (
            "",
            "trials",
            "curves",
            "rungs",
            "parallel",
            "slice",
            "contour",
            "pareto",
            "lineage",
            "timeline",
            "decisions",
            "checkpoints",
        ):
            with self.subTest(view):
                self.visit({"e": "empty", "view": view})
                self.browser.wait("!!document.querySelector('.empty') && " + QUIET)
        self.assert_clean()
        self.visit({"e": "nobody"})
        self.browser.wait(
            "document.querySelector('.fault').innerText.includes('no experiment of this name')"
        )

    def test_hostile_names_are_texts(self):
        name = '<b onmouseover="hacked=1">'
        self.visit({"e": name})
        self.browser.wait(
            "document.querySelector('.trail').innerText.includes(%s)" % json.dumps(name)
        )
        self.visit({"e": name, "view": "trial", "t": "0"})
        self.browser.wait(
            "document.querySelector('.why').innerText.includes('<script>') && document.querySelector('.log').innerText.includes('<img')"
        )
        self.assertEqual(
            self.browser.run("document.querySelectorAll('main img, main script, main b').length"), 0
        )
        self.assertNotIn("\x1b", self.browser.run("document.body.innerText"))
        # Of an error in several lines each is one.
        self.visit({"e": name, "view": "trial", "t": "7"})
        self.browser.wait(
            "document.querySelector('pre.error').innerText.startsWith('Traceback:\\n')"
        )
        self.assert_clean()


class Steps(PageTest):
    def test_links_go_on_and_the_back_button_back(self):
        self.show("experiments")
        self.browser.click("tbody tr:first-child a")
        self.browser.wait("!!document.querySelector('.tiles')")
        self.browser.click("#rail a[href*='view=curves']")
        self.browser.wait("document.title.startsWith('Curves')")
        self.browser.run("history.back()")
        self.browser.wait("document.title.startsWith('Overview')")
        self.browser.run("history.back()")
        self.browser.wait("document.title.startsWith('Experiments')")
        self.assert_clean()

    def test_sort_filter_and_choice_are_in_the_address(self):
        self.show("trials")
        first = "document.querySelector('.grid-row a').innerText"
        self.browser.click("[role=columnheader] button[title='best loss']")
        best = "%05d" % self.gateway.all["live"].best()["trial"]
        self.browser.wait(first + " === %r" % best)
        self.browser.click("[data-filter]")
        self.browser.type("param:lr < 0.0001")
        self.browser.run("document.activeElement.blur()")
        self.browser.wait("!document.querySelector('h2').innerText.includes('2\u202f000')")
        self.assertIn("sort=best", self.browser.run("location.search"))
        self.assertIn("filter=param", self.browser.run("location.search"))
        before = self.browser.wait(first + " !== %r && %s" % (best, first))
        self.browser.run("location.reload()")
        self.browser.wait(
            "document.readyState === 'complete' && !!document.querySelector('.grid-row a')"
        )
        self.browser.wait(first + " === %r" % before)
        self.assert_clean()

    def test_a_bad_filter_is_explained(self):
        self.visit({"e": "live", "view": "trials", "filter": "nonsense"})
        self.browser.wait("document.querySelector('.fault').innerText.includes('the filter ends')")
        self.assertIsNone(self.browser.run("window.hacked"))

    def test_keys(self):
        self.show("trials")
        self.browser.run("document.querySelector('.grid').focus()")
        for key in "jjj":
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self.browser.wait("document.querySelector('.grid-row.at').dataset.place === '2'")
        self.browser.call(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key="Enter",
            code="Enter",
            windowsVirtualKeyCode=13,
        )
        self.browser.wait("location.search.includes('view=trial&t=2')")
        self.browser.run("document.activeElement.blur()")
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="?", text="?")
        self.browser.wait("!!document.querySelector('dialog[open]')")
        self.assert_clean()

    def test_a_brush_keeps_what_lies_within(self):
        self.show("parallel")
        self.browser.wait("document.body.innerText.includes('trials; the best 20')")
        x, y, height = self.browser.run(
            "(() => { const r = document.querySelectorAll('.brush .overlay')[0].getBoundingClientRect(); return [r.x + r.width / 2, r.y, r.height]; })()"
        )
        self.browser.drag(x, y + 0.4 * height, x, y + 0.6 * height)
        self.browser.wait("location.search.includes('brush=lr')")
        kept = self.browser.wait(
            "(document.body.innerText.match(/\\n(\\d+) of [\\d\u202f]+ trials/) || [])[1]"
        )
        self.assertLess(int(kept), 900)
        self.browser.run("location.reload()")
        self.browser.wait(
            "document.readyState === 'complete' && document.body.innerText.includes('%s of ')"
            % kept
        )
        self.assert_clean()

    def test_the_theme_can_be_chosen(self):
        self.show("experiments")
        scheme = "getComputedStyle(document.documentElement).colorScheme"
        self.browser.run("localStorage.setItem('tune-node-theme', 'dark')")
        self.browser.run("location.reload()")
        self.browser.wait("document.readyState === 'complete' && %s === 'dark'" % scheme)
        self.browser.run("localStorage.removeItem('tune-node-theme')")


class Actions(PageTest):
    def confirm(self, told):
        self.browser.wait("!!document.querySelector('dialog[open]')")
        self.browser.click("dialog button[type=submit]")
        self.browser.wait(
            "document.querySelector('dialog .outcome').innerText.includes(%s)" % json.dumps(told)
        )
        self.browser.click("dialog button[type=button]")
        self.browser.wait("!document.querySelector('dialog')")

    def test_pause_add_and_stop(self):
        self.show("overview")
        self.browser.click("[data-act=pause]")
        self.confirm("<script>")
        self.browser.click("[data-act=unpause]")
        self.confirm("goes on")
        total = "document.querySelector('.tiles').innerText.replace(/\\s/g, '').includes('/%d')"
        there = self.gateway.all["live"].total
        self.browser.click("[data-act=add]")
        self.confirm("added with lr")
        self.browser.wait(total % (there + 1))
        trial = next(
            t for t in range(1988, 2000) if self.gateway.all["live"].status(t) == "RUNNING"
        )
        self.visit({"e": "live", "view": "trial", "t": str(trial)})
        self.browser.click("[data-act=stop]")
        self.confirm("will stop")
        self.browser.wait("document.querySelector('.chip[data-status=TERMINATED]')!==null")
        self.assert_clean()

    def test_where_it_stands_among_others_is_told(self):
        self.show("overview")
        self.browser.wait(
            "document.querySelector('.facts').innerText.includes('priority −3, share 2.5 of ada;"
            " 3 trials hold 8 CPU, 0 GPU; 12 wait; place 2 in the queue; 7 made room for a higher"
            " priority, the last for <b>high</b> of bob, priority 5')"
        )
        self.assert_clean()

    def test_a_record_that_took_the_place_of_another_is_shown(self):
        self.show("overview")
        self.browser.wait("document.querySelector('.line').dataset.state === 'live'")
        live = self.gateway.all["live"]
        old = (live.created, live.total)
        live.created, live.total = live.created + 5000, 30
        live.step()
        tiles = "document.querySelector('.tiles').innerText.replace(/\\s/g, '').includes('/%d')"
        self.browser.wait(tiles % 31)
        live.created, live.total = old
        live.touch()
        self.browser.wait(tiles % old[1])
        # A trial that was asked for just as its record went is not there any more.
        self.browser.errors = [x for x in self.browser.errors if "404 (Not Found)" not in x]
        self.assert_clean()

    def test_a_finished_experiment_offers_none(self):
        self.visit({"e": "huge"})
        self.browser.wait("document.body.innerText.includes('nothing can be changed')")
        self.assertEqual(self.browser.run("document.querySelectorAll('[data-act]').length"), 0)

    def test_without_a_token_nothing_is_shown(self):
        self.show("experiments")
        self.browser.run(
            "fetch('api/v1/session', {method: 'DELETE', headers: {'X-Tune-Node': '1'}, body: '{}'})"
        )
        self.visit({"e": "live"})
        self.browser.wait("!!document.querySelector('.login')")
        self.browser.click("#token")
        self.browser.type("wrong")
        self.browser.click(".login button")
        self.browser.wait("document.querySelector('.login').innerText.includes('not the token')")
        self.browser.run("document.getElementById('token').value = ''")
        self.browser.click("#token")
        self.browser.type(TOKEN)
        self.browser.click(".login button")
        self.browser.wait("!!document.querySelector('.tiles')")
        self.browser.open(self.gateway.address + "?e=live#token=" + TOKEN)
        self.browser.wait("!!document.querySelector('.tiles') && location.hash === ''")
        self.assertFalse([x for x in self.gateway.asked if TOKEN in x])


if __name__ == "__main__":
    main()
