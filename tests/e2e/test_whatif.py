# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment would have come to under other rules, as asked from the command line."""
import sys

from e2e import ROOT, Case, main

TABLE = ROOT / "config" / "table.ini"
ASHA = "asha grace_period=3 reduction_factor=3 max_t=15"
STEPS = """
import json, os, time
out, into = os.fdopen(3, "w"), os.fdopen(4)
for step in range(3):
    start = time.process_time()
    while time.process_time() - start < 0.02:
        pass
    out.write(json.dumps({"metrics": {"loss": 1 / (step + 1)}}) + "\\n")
    out.flush()
    into.readline()
"""


class WhatIf(Case):
    def ran(self, *words):
        return self.run_node("run", TABLE, *words, "-o", "json").json()

    def ask(self, *words, code=0):
        return self.run_node("whatif", "results/table", *words, code=code)

    def answer(self, *words):
        return self.ask(*words, "-o", "json").json()

    def files(self):
        return sorted((x, x.stat().st_mtime_ns) for x in (self.directory / "results").rglob("*")
                      if x.is_file() and not x.name.endswith(("-shm", "-wal")))

    def test_knows_all_where_nothing_was_stopped(self):
        ran = self.ran("--scheduler.type", "fifo")
        table = ("--scheduler.type", "asha", "--scheduler.grace_period", "3",
                 "--scheduler.reduction_factor", "3", "--scheduler.max_t", "15")
        simulated = self.run_node("simulate", TABLE, *table, "-o", "json").json()

        told = self.answer("--scheduler", ASHA, "--nodes", "1")

        same, asha = told["rules"]
        self.assertEqual(told["cut_short"], 0)
        self.assertTrue(same["known"])
        self.assertTrue(asha["known"])
        self.assertEqual(asha["if_trials_end"], asha["if_they_train_on"])
        self.assertEqual(told["as_it_ran"]["best"], ran["best"]["metrics"]["accuracy"])
        self.assertEqual(same["if_trials_end"]["best"], told["as_it_ran"]["best"])
        self.assertEqual(same["if_trials_end"]["reports"], told["as_it_ran"]["reports"])
        self.assertEqual(same["if_trials_end"]["regret"], 0)
        self.assertLess(asha["if_trials_end"]["reports"], told["as_it_ran"]["reports"])
        # The order of the trials and their curves are those of a simulation.
        self.assertEqual(asha["if_trials_end"]["best"], simulated["best"]["metrics"]["accuracy"])
        self.assertAlmostEqual(asha["if_trials_end"]["regret"],
                               told["as_it_ran"]["best"] - simulated["best"]["metrics"]["accuracy"])

    def test_says_what_nobody_knows(self):
        self.ran()

        told = self.answer("--scheduler", "fifo")

        same, fifo = told["rules"]
        self.assertGreater(told["cut_short"], 0)
        self.assertFalse(fifo["known"])
        self.assertGreater(fifo["unknown_trials"], 0)
        self.assertGreater(fifo["unknown_reports"], fifo["unknown_trials"])
        ends, goes_on = fifo["if_trials_end"], fifo["if_they_train_on"]
        self.assertLessEqual(ends["reports"], told["as_it_ran"]["reports"])
        self.assertEqual(goes_on["reports"], ends["reports"] + fifo["unknown_reports"])
        self.assertEqual(goes_on["best"], told["as_it_ran"]["best"])
        text = self.ask("--scheduler", "fifo").out
        self.assertIn("unknown: ", text)
        self.assertRegex(text, r"fifo .* \d+ trials, up to \d+ reports")

    def test_uses_other_machines(self):
        (self.directory / "steps.py").write_text(STEPS)
        self.run_node("run", self.ini(
            "[experiment]\nname = table\nmetric = loss:min\nnum_samples = 1\n"
            "[space]\nx = grid(1, 2, 3)\n"
            f"[trainable]\ncommand = {sys.executable} {{ini_dir}}/steps.py\n"))

        one = self.answer("--nodes", "1")["rules"][0]["if_trials_end"]
        six = self.answer("--nodes", "6")["rules"][0]["if_trials_end"]

        self.assertAlmostEqual(one["time_s"], one["training_s"], places=3)
        self.assertAlmostEqual(six["training_s"], one["training_s"], places=3)
        self.assertLess(six["time_s"], one["time_s"])

    def by_patterns(self, *words, space="x = grid(5, 4, 3, 2, 1)", code=0):
        """Runs a program that cannot save, one trial at a time."""
        ini = self.ini(
            "[experiment]\nname = table\nmetric = loss:min\nnum_samples = 1\n"
            f"max_concurrent_trials = 1\n[space]\n{space}\n[trainable]\nmetric.loss = "
            "loss={number}\ncommand = sh -c 'for i in 1 2 3 4; do echo loss={x}; done; "
            "exit $(( {x} == 9 ))'\n")
        return self.run_node("run", ini, *words, "-o", "json", code=code).json()

    def test_pauses_no_program_that_could_not_save(self):
        median = ["--scheduler.type", "median_stopping", "--scheduler.grace_period", "1",
                  "--scheduler.min_samples_required", "1"]
        self.by_patterns(*median)

        told = self.answer()

        self.assertEqual(told["rules"][0]["if_trials_end"]["reports"],
                         told["as_it_ran"]["reports"])

    def test_ends_where_the_first_failure_ended_it(self):
        self.by_patterns("--failure.fail_fast", "true", space="x = grid(1, 9, 2, 3)", code=4)

        told = self.answer()

        for how in ("if_trials_end", "if_they_train_on"):
            self.assertEqual(told["rules"][0][how]["reports"], told["as_it_ran"]["reports"], how)
        self.assertTrue(told["rules"][0]["known"])

    def test_knows_the_curves_of_a_conversation(self):
        ini = self.ini("[experiment]\nname = table\nmetric = loss:min\nnum_samples = 2\n"
                       "[space]\nx = uniform(0, 1)\n")
        words = "".join('{"op":"ask"}\n{"op":"report","trial":"0000%d","metrics":{"loss":%d},'
                        '"done":true}\n' % (i, i) for i in range(2))
        with self.ini(words, "words").open() as requests:
            self.run_node("ask-tell", ini, stdin=requests)

        told = self.answer()

        self.assertEqual(told["rules"][0]["if_trials_end"]["reports"], 2)

    def test_compares_several_rules_and_writes_nothing(self):
        self.ran("--scheduler.type", "fifo")
        before = self.files()

        told = self.answer("--scheduler", ASHA, "--scheduler", "median_stopping",
                           "--scheduler", "hyperband max_t=15")

        self.assertEqual([x["rules"] for x in told["rules"]],
                         ["the same rules", ASHA, "median_stopping", "hyperband max_t=15"])
        self.assertEqual(self.files(), before)

    def test_refuses_what_a_record_cannot_tell(self):
        self.ran("--scheduler.type", "fifo")

        for words, why in (
            (["--scheduler", "pbt"], "pbt"),
            (["--scheduler", "tea"], "tea"),
            (["--scheduler", "asha max_t"], "'max_t' is no option"),
            (["--scheduler", "asha tea=3"], "tea"),
        ):
            told = self.ask(*words, code=3)
            self.assertIn(why, told.err, words)
        for words in (["--cpus", "2"], ["-o", "csv"]):
            self.ask(*words, code=2)
        self.run_node("whatif", "nowhere", code=3)

    def test_refuses_another_search(self):
        self.ran("--scheduler.type", "fifo")

        told = self.ask("--search.type", "tpe", code=3)

        self.assertIn("only the configurations that were tried have curves", told.err)


if __name__ == "__main__":
    main()
