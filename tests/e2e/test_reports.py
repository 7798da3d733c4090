# SPDX-License-Identifier: BSD-3-Clause
"""Reports and charts of real experiments, and what becomes of texts that mean harm."""
import html
import json
import re
import signal
import subprocess

from e2e import TUNE_NODE, Case, clean_environment, main

# Reports the distance from 3 of its parameter, five times better and better; big ones fail.
BOWL = """#!/bin/sh
[ "$1" -lt 9 ] || { printf 'boom \\033[31m<script>alert(1)</script>\\n' >&2; exit 4; }
for i in 1 2 3 4 5; do echo "loss=$(( ($1 - 3) * ($1 - 3) + 5 - i )) size=$1"; done
"""


class Reports(Case):
    def run_bowl(self, name="x", more="", words=()):
        path = self.directory / "bowl.sh"
        path.write_text(BOWL)
        path.chmod(0o755)
        ini = self.ini(
            "[experiment]\nname = %s\nmetric = loss\nmode = min\nnum_samples = 24\nseed = 5\n"
            "max_concurrent_trials = 1\n"
            "[trainable]\ncommand = ./bowl.sh {x} --api-key=hunter2\n"
            "metric.loss = loss=([0-9.]+)\nmetric.size = size=([0-9]+)\n"
            "env.SOME_TOKEN = hunter2\n[space]\nx = randint(0, 12)\nact = choice(relu, tanh)\n"
            "[failure]\nbackoff = 0\nmax_consecutive_failures = 0\n%s\n" % (name, more)
        )
        self.run_node("run", ini, "--quiet", *words, code=None)

    def text(self, page):
        """What of a page is read, without markup and data."""
        body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.S)
        return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body)))


class Report(Reports):
    def page(self, *words):
        done = self.run_node("report", *words, "-o", "page.html")
        self.assertEqual(done.out, "page.html\n")
        return (self.directory / "page.html").read_text()

    def test_says_what_other_commands_say(self):
        self.run_bowl()

        page = self.page("results/x")

        text = self.text(page)
        best = json.loads(self.run_node("status", "results/x", "-o", "json").out)["best"]
        self.assertIn("Trial %s has the best loss" % best["trial"], text)
        for row in json.loads(self.run_node("importance", "results/x", "-o", "json").out):
            self.assertIn("%s (%s" % (row["parameter"], "%g %%" % round(100 * row["importance"], 1)),
                          text)
        failed = json.loads(self.run_node("trials", "results/x", "--failed", "-o", "json").out)
        self.assertIn("%d trial" % sum(x["count"] for x in failed), text)
        self.assertIn("boom", text)
        self.assertIn("Trials fail where x", text)

    def test_tells_what_was_interrupted_from_what_has_not_begun(self):
        ini = self.ini("[experiment]\nname = x\nmetric = loss\nnum_samples = 3\n[trainable]\n"
                       "command = sh -c 'echo loss=1; exec sleep 600' {a}\n"
                       "metric.loss = loss={number}\n[space]\na = uniform(0, 1)\n"
                       "[cluster]\ncpus = 1\n")
        child = self.start("run", ini)
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), child, "a report")
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=120)

        text = self.text(self.page("results/x"))

        self.assertIn("interrupted, to go on 1 1 100 %", text)
        self.assertNotRegex(text, "not begun [0-9]+ [1-9]")

    def test_holds_no_secret_and_no_markup_of_trials(self):
        self.run_bowl()

        page = self.page("results/x")

        self.assertNotIn("hunter2", page)
        self.assertIn("--api-key=(redacted)", page)
        self.assertNotIn("<script>alert", page)
        self.assertNotIn("\x1b", page)
        self.assertNotRegex(page, r"""(?:src|href)\s*=\s*["'](?!#)""")

    def test_has_a_configuration_that_runs_again(self):
        self.run_bowl()
        page = self.page("results/x")
        ini = html.unescape(re.search(r"<pre[^>]*>(.*?)</pre>", page, flags=re.S)[1])
        again = self.ini(ini.replace("name = x", "name = again"), "again.ini")

        self.run_node("run", again, "--quiet")

        of = [json.loads(self.run_node("trials", "results/" + x, "-o", "json").out)
              for x in ("x", "again")]
        self.assertEqual([t["config"] for t in of[0]], [t["config"] for t in of[1]])

    def test_sets_several_side_by_side(self):
        self.run_bowl()
        self.run_bowl("y", words=("--experiment.seed", "6"))

        text = self.text(self.page("results/x", "results/y"))

        self.assertIn("Side by side", text)
        self.assertIn("experiment.seed 5 6", text)

    def test_of_a_running_or_empty_experiment_is_no_fault(self):
        self.run_bowl(words=("--space.x", "11"))

        text = self.text(self.page("results/x"))

        self.assertIn("No trial has a value of loss", text)

    def test_leaves_what_was_there_if_it_cannot_write(self):
        self.run_bowl()
        (self.directory / "dir.html").mkdir()

        self.assertIn("dir.html", self.run_node("report", "results/x", "-o", "dir.html",
                                                code=7).err)
        self.assertIn("nowhere", self.run_node("report", "nowhere", code=3).err)
        self.assertIn("x.html", self.run_node("report", "results/x").out)
        self.assertTrue(self.run_node("report", "results/x", "-o", "-").out.startswith("<!doctype"))


class Plot(Reports):
    KINDS = ("history", "curves", "importance", "parallel", "slice", "rungs", "timeline")

    def test_every_kind_draws_or_says_why_not(self):
        self.run_bowl(more="[scheduler]\ntype = asha\nmax_t = 5\ngrace_period = 1\n")

        for kind in self.KINDS:
            with self.subTest(kind):
                out = self.run_node("plot", "results/x", kind, "--ascii", "--width", "60").out
                self.assertGreater(len(out.splitlines()), 5)
                self.assertTrue(out.isascii())
                self.assertLessEqual(max(map(len, out.splitlines())), 60)
        self.assertIn("one objective", self.run_node("plot", "results/x", "pareto", code=3).err)

    def test_heeds_locale_and_colours(self):
        self.run_bowl()

        def drawn(*words, **more):
            return subprocess.run([TUNE_NODE, "plot", "results/x", *words], cwd=self.directory,
                                  env=clean_environment(**more), stdout=subprocess.PIPE,
                                  check=True).stdout

        self.assertTrue(drawn(LC_ALL="C").isascii())
        self.assertIn("⠁".encode()[:1], drawn(LC_ALL="C.UTF-8"))
        self.assertNotIn(b"\x1b", drawn(LC_ALL="C.UTF-8"))
        self.assertIn(b"\x1b[", drawn("--color", "always", LC_ALL="C.UTF-8"))

    def test_writes_an_svg(self):
        self.run_bowl()

        self.run_node("plot", "results/x", "curves", "--x", "cost", "--log=xy", "-o", "c.svg")

        svg = (self.directory / "c.svg").read_text()
        self.assertTrue(svg.startswith("<svg "))
        self.assertNotIn("nan", svg)

    def test_refuses_what_makes_no_sense(self):
        self.run_bowl()

        self.assertIn("no --x cost", self.run_node("plot", "results/x", "history", "--x", "cost",
                                                   code=2).err)
        self.assertIn("from 20 to 10000", self.run_node("plot", "results/x", "--width", "3",
                                                        code=2).err)
        self.assertIn("no trial has a value of nothing",
                      self.run_node("plot", "results/x", "--metric", "nothing", code=3).err)
        self.assertIn("there are: x, act", self.run_node("plot", "results/x", "slice",
                                                         "--parameter", "y", code=3).err)


if __name__ == "__main__":
    main()
