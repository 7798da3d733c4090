# SPDX-License-Identifier: BSD-3-Clause
"""Power cuts at any moment, after which the disk has everything synced, and any part of the rest
(needs strace). Nothing acknowledged is lost, and the checker raises no false alarm."""
import json
import random
import re
import shutil
import subprocess
import unittest

from disk import ENDS, LONG, SEED, SCRIPT, DiskCase, Record, why_no_strace
from e2e import DEADLINE, FAULTY_NODE, TUNE_NODE, clean_environment, main
from power import LOSSES, record

# States that are tried of each recording.
SHORT_FORM, LONG_FORM = 28, 500

TALK = """[experiment]
metric = loss
mode = min
[space]
x = grid(0, 1, 2, 3)
[checkpoint]
keep = 1
"""


@unittest.skipIf(why_no_strace(), why_no_strace())
class PowerCuts(DiskCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random("%d %s" % (SEED, self.id()))
        self.kinds = {}

    def record(self, *words, program=FAULTY_NODE, **how):
        done, result = record(
            [program, *words], self.directory / "results", self.directory,
            self.directory / "strace.log", timeout=DEADLINE, env=clean_environment(), **how
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return result

    def cuts(self, recording):
        """Moments, losses and sectors: each kind of loss occurs, and no moment is favoured."""
        first = min(at for at, *_ in recording.top.changes)
        for i in range(LONG_FORM if LONG else SHORT_FORM):
            loss = list(LOSSES)[i % len(LOSSES)]
            yield self.random.randint(first, recording.count), loss, self.random.choice((512, 4096))

    def lay_out(self, recording, cut, loss, sector):
        """@returns the experiment's directory, as it may be after the cut."""
        results = self.directory / "results"
        shutil.rmtree(results, ignore_errors=True)
        recording.lay_out(results, cut, self.random, loss, sector)
        where = results / self.name
        mark = where / "trials" / ".trial_files"
        if mark.exists():  # the machine was started again
            text = mark.read_bytes().decode(errors="replace")
            mark.write_text(re.sub(r'"boot":"[^"]*"', '"boot":"the one before"', text))
        self.note(cuts=1)
        return where

    def check(self, where):
        """Checks that the checker reports no fault."""
        done = subprocess.run(
            [TUNE_NODE, "fsck", where, "--output", "json"], capture_output=True, text=True,
            timeout=DEADLINE, env=clean_environment(),
        )
        told = done.stdout + done.stderr
        if not Record(where).events:
            self.assertIn(done.returncode, (0, 3), told)
            return
        self.assertEqual(done.returncode, 0, told)
        said = json.loads(done.stdout)
        self.assertEqual(said["findings"], [], told)
        for x in said["mended_at_start"]:
            self.kinds[x["kind"]] = self.kinds.get(x["kind"], 0) + 1
        self.note(to_be_mended=bool(said["mended_at_start"]))

    def assert_all_mended(self, where):
        """Checks that nothing is left to mend after a head has run."""
        done = subprocess.run(
            [TUNE_NODE, "fsck", where, "--output", "json"], capture_output=True, text=True,
            timeout=DEADLINE, env=clean_environment(),
        )
        self.assertEqual(json.loads(done.stdout)["mended_at_start"], [], done.stdout)

    def test_a_run_goes_on_and_nothing_is_found(self):
        where = self.fresh()
        recording = self.record(*self.words())
        lines = self.lines_of_results(recording)
        self.assertEqual(len(lines), len(Record(where).results))

        for cut, loss, sector in self.cuts(recording):
            with self.subTest(cut=cut, loss=loss, sector=sector, seed=SEED):
                where = self.lay_out(recording, cut, loss, sector)
                self.check(where)
                before = Record(where)
                self.assertTrue(before.readable)
                told = {x for at, x in lines if at < cut}
                self.assertLessEqual(told, before.results)
                self.note(acknowledged=len(told))
                self.resume(where, before)
                self.assert_all_mended(where)
                self.assert_parameters(where)
        self.tell("power_cut_of_a_run", calls=recording.count, kinds=self.kinds)
        self.assertGreater(self.figures["acknowledged"], 0)

    def lines_of_results(self, recording):
        """Each line of a result file, which shows that a result is recorded, with its call."""
        result = []
        for node in recording.nodes:
            for name, file in node.entries.items():
                if name != "result.jsonl":
                    continue
                for at, _, text in file.changes:
                    for line in (text or b"").splitlines():
                        x = json.loads(line)
                        result.append(
                            (at, (int(x["trial_id"]), x["attempt"], x["training_iteration"]))
                        )
        return result

    def assert_parameters(self, where):
        """Checks that the configuration of each trial can be read."""
        for path in where.glob("trials/*/params.json"):
            self.assertIn("falls", json.loads(path.read_text()), path)

    def test_a_conversation_goes_on_and_every_answer_counts(self):
        script = self.ini(TALK, "talk.ini")
        self.name = "x"
        words = ["ask-tell", script, "--experiment.name", self.name, "--quiet"]
        said = [{"op": "ask"}, {"op": "add", "config": {"x": 2}, "key": "mine"}]
        for trial in range(4):
            for iteration in (1, 2, 3):
                said.append({
                    "op": "report", "trial": "%05d" % trial, "checkpoint": "c%d" % iteration,
                    "metrics": {"training_iteration": iteration, "loss": trial + 1 / iteration},
                })
            said += [{"op": "complete", "trial": "%05d" % trial}, {"op": "ask"}]
        lines = "".join(json.dumps(x) + "\n" for x in said)
        recording = self.record(*words, program=TUNE_NODE, input=lines)

        for cut, loss, sector in self.cuts(recording):
            with self.subTest(cut=cut, loss=loss, sector=sector, seed=SEED):
                answers = [json.loads(x) for x in recording.told(cut).decode().splitlines()]
                where = self.lay_out(recording, cut, loss, sector)
                self.check(where)
                self.assert_answers(where, list(zip(said, answers)))
                again = subprocess.run(
                    [TUNE_NODE, *map(str, words), "--resume"], input='{"op":"status"}\n',
                    capture_output=True, text=True, cwd=self.directory, timeout=DEADLINE,
                    env=clean_environment(),
                )
                self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
                self.assert_answers(where, list(zip(said, answers)))
                self.fsck(where)
                self.assert_all_mended(where)
        self.tell("power_cut_of_a_conversation", calls=recording.count, kinds=self.kinds)
        self.assertGreater(self.figures["acknowledged"], 0)

    def assert_answers(self, where, told):
        """Checks that every answered request is in the record."""
        there = Record(where)
        results = {(trial, iteration) for trial, _, iteration in there.results}
        for wish, answer in told:
            self.assertNotEqual(answer["op"], "fault", (wish, answer))
            if wish["op"] == "report":
                at = (int(wish["trial"]), wish["metrics"]["training_iteration"])
                self.assertIn(at, results)
            elif answer["op"] == "trial":
                self.assertIn(answer["trial"], there.trials)
            elif wish["op"] == "complete":
                self.assertEqual(there.trials[wish["trial"]], "TERMINATED")
        self.note(acknowledged=len(told))


if __name__ == "__main__":
    main()
