# SPDX-License-Identifier: BSD-3-Clause
"""Records that earlier versions wrote are read as they were meant.

Each `records/NAME.tar.xz` was written on 2026-11-25 by the program of that day, killed with -9 on
the way and resumed: 24 trials of a shell script under two rules each.
"""
import pathlib
import tarfile

from e2e import Case, main

RECORDS = pathlib.Path(__file__).with_name("records")

# Name: answers of scheduler and searcher, best trial, its iteration and loss.
KNOWN = {
    "tpe-median": (328, "00008", 12, 0.0836015),
    "asha-promotion": (365, "00023", 27, 0.0379098),
    "pbt": (390, "00011", 16, 0.0739559),
}


class OldRecords(Case):
    def restore(self, name):
        with tarfile.open(RECORDS / (name + ".tar.xz")) as packed:
            packed.extractall(self.directory)
        return self.directory / name

    def test_all_answers_are_computed_again_as_they_were(self):
        for name, (answers, *_) in KNOWN.items():
            with self.subTest(name):
                told = self.run_node("fsck", self.restore(name), "--verify").out
                self.assertIn("24 trials, %d answers computed again, nothing found" % answers, told)

    def test_the_best_trial_is_the_same(self):
        for name, (_, trial, iteration, loss) in KNOWN.items():
            with self.subTest(name):
                told = self.run_node("status", self.restore(name), "-o", "json").json()
                best = told["best"]
                self.assertEqual(told["counts"]["TERMINATED"], 24)
                self.assertEqual((best["trial"], best["iteration"]), (trial, iteration))
                self.assertEqual(best["metrics"]["loss"], loss)


if __name__ == "__main__":
    main()
