# SPDX-License-Identifier: BSD-3-Clause
"""Files that trials write on workers: they come to where a local run would have left them."""
import shutil
import signal

from cluster import Cluster
from e2e import main

# w.sh VALUE STATUS: writes typical files, and files that must not be brought to the head.
WRITING = """#!/bin/sh
mkdir -p plots/deep .cache
echo "notes of $1" > notes.txt
echo curve > plots/deep/a.png
head -c 5000 /dev/zero > model.bin
echo hidden > .cache/x
echo spoilt > result.jsonl
mkfifo pipe
ln -s /etc/hostname link
ln -s /etc elsewhere
echo "loss=$1"
%s
"""


class Artifacts(Cluster):
    def writing(self, more="", end="exit 0", rest=""):
        """An experiment of one trial that writes files, for a worker."""
        (self.directory / "w.sh").write_text(WRITING % end)
        (self.directory / "w.sh").chmod(0o755)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            "[trainable]\ncommand = ./w.sh {x}\nmetric.loss = loss=(\\S+)\n%s\n"
            "[space]\nx = 1\n[cluster]\nlocal = false\nkill_grace = 1s\n%s\n" % (more, rest)
        )

    def run_on(self, ini, *words, code=0):
        """Runs it on one worker. Returns the head's output."""
        head, where = self.head(ini)
        worker = self.worker(where, "w", "--once", *words)
        self.finish(head, code)
        self.finish(worker)
        return (self.directory / "x.head.log").read_text()

    def found(self):
        """Files in the trial's directory that are not the runtime's."""
        root = self.directory / "results/x/trials/00000"
        own = ("params.json", "result.jsonl", "progress.csv", "error.txt", "stdout", "stderr")
        names = (str(x.relative_to(root)) for x in root.rglob("*") if not x.is_dir())
        return sorted(x for x in names if x not in own and not x.startswith("attempt_"))

    def notes(self):
        return (self.directory / "results/x/trials/00000/notes.txt").read_text()

    def fsck(self):
        return self.run_node("fsck", self.directory / "results/x").out

    def detail(self):
        return self.rows("SELECT detail FROM attempts ORDER BY started")[-1]["detail"]

    def test_files_come_to_where_a_local_run_leaves_them(self):
        for words in (("--own-storage",), ()):
            with self.subTest(words):
                said = self.run_on(self.writing(), *words)

                self.assertEqual(self.found(), ["model.bin", "notes.txt", "plots/deep/a.png"])
                self.assertEqual(self.notes(), "notes of 1\n")
                result = self.directory / "results/x/trials/00000/result.jsonl"
                self.assertNotIn("spoilt", result.read_text())
                self.assertNotIn("artifacts", said)
                self.assertNotIn("leftover", self.fsck())
                self.assertFalse(self.detail())
                self.remove_results()

    def remove_results(self):
        shutil.rmtree(self.directory / "results")

    def test_patterns_choose_and_none_brings_nothing(self):
        for rule, wanted in (
            ("*.txt, plots", ["notes.txt", "plots/deep/a.png"]),
            (".cache", [".cache/x"]),
            ("none", []),
        ):
            with self.subTest(rule):
                self.run_on(self.writing("artifacts = " + rule), "--own-storage")

                self.assertEqual(self.found(), wanted)
                self.remove_results()

    def test_what_is_too_much_stays_behind_and_is_told(self):
        said = self.run_on(self.writing("artifacts_max_size = 1KiB"), "--own-storage")

        self.assertEqual(self.found(), ["notes.txt", "plots/deep/a.png"])
        for text in (said, self.detail()):
            self.assertRegex(
                text,
                "what it wrote on node w is not all here: 1 file of 3 that it wrote stays behind,"
                " the largest model.bin with 5kB: .trainable. artifacts_max_size is 1KiB",
            )
        self.assertRegex(said, "trial 00000: what it wrote")

    def test_more_files_than_may_come_are_told(self):
        said = self.run_on(self.writing("artifacts_max_files = 1"), "--own-storage")

        self.assertEqual(self.found(), ["plots/deep/a.png"])
        self.assertIn("[trainable] artifacts_max_files is 1", said)

    def test_what_a_failing_attempt_wrote_comes_too(self):
        self.run_on(self.writing(end="exit 3"), "--own-storage", code=5)

        self.assertEqual(self.notes(), "notes of 1\n")

    def test_what_one_wrote_that_had_to_be_killed_comes_too(self):
        ini = self.writing(
            end="trap '' TERM\nwhile :; do sleep 0.1; done", rest="[stop]\ntraining_iteration = 1"
        )
        self.run_on(ini, "--own-storage")

        self.assertEqual(self.notes(), "notes of 1\n")

    def test_of_a_lost_worker_nothing_comes_and_the_next_one_brings_its_own(self):
        end = 'mkdir "%s/first" && exec sleep 1000\nexit 0' % self.directory
        ini = self.writing(end=end, rest="lost_after = 2s\n[failure]\nbackoff = 0")
        head, where = self.head(ini)
        first = self.worker(where, "first", "--own-storage")
        self.wait_until((self.directory / "first").exists, head, "the first attempt")
        first.send_signal(signal.SIGKILL)
        self.finish(first, None)
        second = self.worker(where, "second", "--own-storage", "--once")
        self.finish(head)
        self.finish(second)

        self.assertEqual(self.notes(), "notes of 1\n")
        self.assertNotIn("leftover", self.fsck())

    def test_nothing_is_opened_that_took_the_place_of_a_file_at_the_head(self):
        victim = self.directory / "victim"
        victim.write_text("untouched")
        root = self.directory / "results/x/trials/00000"
        end = (
            'rm -f "%s/notes.txt"; ln -s "%s" "%s/notes.txt"; exit 0'
            % (root, victim, root)
        )
        self.run_on(self.writing(end=end), "--own-storage")

        self.assertEqual(victim.read_text(), "untouched")
        self.assertFalse((root / "notes.txt").is_symlink())
        self.assertEqual(self.notes(), "notes of 1\n")

    def test_wrong_words_are_refused_by_name(self):
        for line, why in (
            ("artifacts = ../x", "leads out of the trial's directory"),
            ("artifacts = /tmp", "not be absolute"),
            ("artifacts = all *.txt", "all stands alone"),
            ("artifacts_max_files = 0", "artifacts_max_files"),
            ("artifacts_max_size = much", "artifacts_max_size"),
        ):
            with self.subTest(line):
                told = self.run_node("config", "check", self.writing(line), code=3)

                self.assertIn(why, told.err)
                self.assertIn("x.ini:", told.err)


if __name__ == "__main__":
    main()
