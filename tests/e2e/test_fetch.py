# SPDX-License-Identifier: BSD-3-Clause
"""`tune-node fetch`: the same from the directory of an experiment as from a head."""
import contextlib
import errno
import os
import re
import shutil
import signal
import stat
import sqlite3
import subprocess
import sys
from pathlib import Path

from e2e import CertifiedCase, is_stopped, main

# Trials report until a file named after the report exists; save on request, and leave things behind.
TRIAL = """
import json, os, sys, time
home = os.path.dirname(os.path.abspath(sys.argv[0]))
reports = os.fdopen(int(os.environ["TUNE_TRIAL_REPORT_FD"]), "w", buffering=1)
answers = os.fdopen(int(os.environ["TUNE_TRIAL_ANSWER_FD"]))
def say(x):
    reports.write(json.dumps(x) + "\\n")
def wait_for(name):
    while not os.path.exists(os.path.join(home, name)):
        time.sleep(0.02)
say({"tune": 1})
for i in range(1, 4):
    say({"metrics": {"loss": float(sys.argv[1]) / i, "note": "x" * SIZE}})
    answer = json.loads(answers.readline())
    if answer.get("dir"):
        for n in range(FILES):
            with open("%s/part_%05d" % (answer["dir"], n), "w") as out:
                out.write(str(i) * 12000)
        say({"saved": answer["dir"]})
    if answer["decision"] in ("stop", "pause"):
        break
    wait_for("go%d" % i)
os.chdir(os.environ["TUNE_TRIAL_DIR"])
LEAVE
"""
ODD = """
open("tool", "w").write("#!/bin/sh")
os.chmod("tool", 0o4755)
os.symlink("/etc/passwd", "outside")
open(b"\\xff", "w").write("bytes")
open("huge", "w").truncate(1 << 33)
os.mkfifo("fifo")
try:
    os.mknod("null", 0o666 | 0o020000, os.makedev(1, 3))
except PermissionError:
    os.mkfifo("null")
"""


class Fetch(CertifiedCase):
    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            self.head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", 2),
                *("--storage", self.storage, "--work", self.directory / "work"), stderr=err
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), self.head, "a port")
        self.where = re.search(r"--head (\S+)", log.read_text()).group(1)

    def tearDown(self):
        self.head.send_signal(signal.SIGTERM)
        self.finish(self.head)
        self.assert_no_trial_processes()

    def submit(self, name, files=3, size=0, leave="", samples=1, go=3, rest=""):
        """Submits an experiment; its trials end after report `go` of 3 unless told on."""
        place = self.directory / ("files of " + name)
        place.mkdir()
        text = TRIAL.replace("FILES", str(files)).replace("SIZE", str(size))
        text = text.replace("os.path.dirname(os.path.abspath(sys.argv[0]))", repr(str(place)))
        (place / "trial.py").write_text(text.replace("LEAVE", leave))
        (place / "x.ini").write_text(
            "[experiment]\nname = %s\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 1\n"
            "[trainable]\ncommand = %s ./trial.py {x}\n[space]\nx = uniform(1, 2)\n"
            "[failure]\nbackoff = 0\n%s" % (name, samples, sys.executable, rest)
        )
        for i in range(1, go + 1):
            self.go_on(name, i)
        self.at_head("run", place / "x.ini", "--detach")
        return place

    def go_on(self, name, report):
        (self.directory / ("files of " + name) / ("go%d" % report)).touch()

    def at_head(self, command, *words, **how):
        return self.run_node(command, *words, "--head", self.where, "--certs", self.certs, **how)

    def both(self, name):
        """The words that name the experiment: at the head, and by its directory."""
        yield "remote", (name, "--head", self.where, "--certs", self.certs)
        yield "local", (self.storage / name,)

    def fetching(self, words, *more):
        """A `fetch` on its way: itself, its draft, and the process that packs, which is stopped.
        That is a process of the head where the words name one: a client that is stopped loses its
        connection."""
        to = self.directory / more[more.index("--to") + 1]
        draft = to.with_name(to.name + ".part")
        for _ in range(50):
            child = self.start("fetch", *words, *more)
            packer = None if "--head" in words else child.pid
            while child.poll() is None and not (draft.is_dir() and os.listdir(draft)):
                packer = packer or self.sender()
            with contextlib.suppress(OSError, TypeError):
                os.kill(packer, signal.SIGSTOP)
                self.wait_until(lambda: child.poll() is not None or is_stopped(packer))
                if child.poll() is None and draft.is_dir():
                    return child, draft, packer
                os.kill(packer, signal.SIGCONT)
            # It was too fast.
            self.finish(child)
            shutil.rmtree(to)
        self.fail("it always ends before it can be stopped")

    def sender(self):
        """The process of the head that packs something; None: there is none."""
        for children in Path("/proc/%d/task" % self.head.pid).glob("*/children"):
            with contextlib.suppress(OSError):
                for pid in children.read_text().split():
                    if b"\0fetch\0" in Path("/proc", pid, "cmdline").read_bytes():
                        return int(pid)
        return None

    def content_of(self, directory):
        """Names below a directory, with what they are."""
        found = {}
        for parent, directories, files in os.walk(os.fsencode(directory)):
            for name in directories + files:
                path = os.path.join(parent, name)
                about = os.lstat(path)
                what = stat.S_IFMT(about.st_mode)
                if stat.S_ISLNK(about.st_mode):
                    what = os.readlink(path)
                elif stat.S_ISREG(about.st_mode):
                    what = about.st_size
                found[os.path.relpath(path, os.fsencode(directory))] = what
        return found

    def test_exports_are_fetched_under_a_name_of_their_own(self):
        self.submit("x", leave='open(os.environ["TUNE_TRIAL_EXPORT_DIR"] + "/model", "w").write("m")',
                    rest="[trainable]\nexport = model\n")
        self.at_head("wait", "x")
        for how, words in self.both("x"):
            with self.subTest(how):
                told = self.run_node("fetch", *words, "--what", "exports", "-o", "json").json()
                self.assertEqual((told["name"], told["what"], told["trial"]),
                                 ("x-00000-exports", "exports", "00000"))
                made = self.directory / told["name"]
                self.assertEqual((made / "model").read_text(), "m")
                shutil.rmtree(made)

    def test_trials_with_odd_things_are_fetched_alike(self):
        self.submit("x", leave=ODD, rest="[checkpoint]\nfrequency = 1\n")
        self.at_head("wait", "x")
        there = self.content_of(self.storage / "x" / "trials" / "00000")
        for odd in (b"fifo", b"null"):
            del there[odd]
        for how, words in self.both("x"):
            told = self.run_node("fetch", *words, "--what", "trial", "--to", how)
            self.assertIn("left out 2 things that are no files", told.err)
            self.assertIn("such as fifo", told.err)
            self.assertEqual(self.content_of(self.directory / how), there)
            tool = (self.directory / how / "tool").stat()
            self.assertEqual(stat.S_IMODE(tool.st_mode) & 0o7700, 0o700)
            self.assertLess((self.directory / how / "huge").stat().st_blocks, 4096)
            whole = "whole " + how
            told = self.run_node("fetch", *words, "--what", "experiment", "--to", whole)
            self.assertIn("such as trials/00000/fifo", told.err)
            self.run_node("fsck", self.directory / whole, "--verify")
            self.assertFalse((self.directory / whole / "lock").exists())

    def test_a_checkpoint_that_is_removed_meanwhile_gives_way_to_the_better_one(self):
        for report, (how, words) in enumerate(self.both("x"), 1):
            if report == 1:
                self.submit("x", files=1000, go=0, rest="[checkpoint]\nfrequency=1\nkeep = 1\n")
            saved = lambda: len(self.rows_if_any("SELECT * FROM checkpoints"))
            self.wait_until(lambda: saved() >= report, what="a checkpoint")
            child, _, packer = self.fetching(words, "--to", how)
            self.go_on("x", report)
            old = "checkpoint_%06d" % report
            below = self.storage / "x" / "trials" / "00000"
            self.wait_until(lambda: not list(below.glob("*/" + old)), what="its removal")
            os.kill(packer, signal.SIGCONT)
            self.finish(child)
            got = sorted((self.directory / how).glob("part_*"))
            self.assertEqual(len(got), 1000)
            self.assertEqual({x.read_text()[0] for x in got}, {str(report + 1)})
            self.assertTrue((self.directory / how / ".tune_checkpoint.json").exists())
        self.go_on("x", 3)
        self.at_head("wait", "x")

    def test_a_checkpoint_that_is_not_whole_is_not_fetched(self):
        self.submit("x", rest="[checkpoint]\nfrequency = 3\n")
        self.at_head("wait", "x")
        found = next((self.storage / "x" / "trials" / "00000").glob("*/checkpoint_*"))
        self.damaged.add("x")
        (found / "part_00001").write_text("x" * 12000)
        for how, words in self.both("x"):
            told = self.run_node("fetch", *words, "--to", how, code=7).err
            self.assertRegex(told, "not whole: .*part_00001 is not as it was saved: its checksum")
            self.assertEqual(list(self.directory.glob(how + "*")), [])

    def test_an_experiment_that_is_gone_on_with_meanwhile_is_not_torn(self):
        fill = "for n in range(500):\n    open('f%d' % n, 'w').write('x' * 4000)\n"
        place = self.submit("x", size=200_000, samples=4, leave=fill)
        self.at_head("wait", "x")
        for samples, (how, words) in enumerate(self.both("x"), 5):
            child, _, packer = self.fetching(words, "--what", "experiment", "--to", how)
            self.at_head(
                "run", place / "x.ini", "--resume", "--detach",
                "--experiment.num_samples", samples,
            )
            self.at_head("wait", "x")
            os.kill(packer, signal.SIGCONT)
            self.finish(child)
            copy = self.directory / how
            self.run_node("fsck", copy, "--verify")
            with contextlib.closing(sqlite3.connect(copy / "experiment.db")) as db:
                self.assertEqual(
                    db.execute("SELECT count(*) FROM trials").fetchone()[0], samples
                )
        # One that runs now is refused, also if it did not when it was asked for.
        child, _, packer = self.fetching(words, "--what", "experiment", "--to", "again")
        (place / "go3").unlink()
        self.at_head(
            "run", place / "x.ini", "--resume", "--detach", "--experiment.num_samples", 7
        )
        os.kill(packer, signal.SIGCONT)
        told = self.finish(child, code=8)
        self.assertIn("it runs, and its record changes: wait for its end", told.err)
        (place / "go3").touch()
        self.at_head("wait", "x")
        self.assertEqual(list(self.directory.glob("again*")), [])

    def test_signals_leave_nothing_behind_and_nothing_in_the_way(self):
        self.submit("x", files=1000, rest="[checkpoint]\nfrequency = 3\n")
        self.at_head("wait", "x")
        codes = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
        for how, words in self.both("x"):
            for number, code in codes.items():
                with self.subTest(how=how, signal=number):
                    to = "%s-%d" % (how, number)
                    child, draft, packer = self.fetching(words, "--to", to)
                    busy = self.run_node("fetch", *words, "--to", to, code=8).err
                    self.assertIn("it is being fetched by another process now", busy)
                    child.send_signal(number)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(packer, signal.SIGCONT)
                    self.finish(child, code)
                    self.assertEqual(draft.exists(), number == signal.SIGKILL)
                    self.run_node("fetch", *words, "--to", to)
                    self.assertEqual(len(list((self.directory / to).glob("part_*"))), 1000)
                    self.assertFalse(draft.exists())
        (self.directory / "mine.part").mkdir()
        (self.directory / "mine.part" / "thesis").touch()
        told = self.run_node("fetch", *words, "--to", "mine", code=8).err
        self.assertIn("is in the way, and is no unfinished copy", told)
        self.assertTrue((self.directory / "mine.part" / "thesis").exists())

    def test_a_full_disk_ends_it_at_once(self):
        fill = 'open("big", "wb").write(b"x" * 50_000_000)\n'
        self.submit("x", leave=fill + ODD)
        self.at_head("wait", "x")
        small = self.directory / "small"
        small.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m", "small", small], capture_output=True
        )
        if mounted.returncode != 0:
            self.skipTest("no file system may be mounted: needs root")
        self.addCleanup(subprocess.run, ["umount", "-l", small])
        for how, words in self.both("x"):
            told = self.run_node("fetch", *words, "--what", "trial", "--to", small / how, code=7)
            self.assertIn(os.strerror(errno.ENOSPC), told.err)
            self.assertEqual(list(small.iterdir()), [])
        self.wait_until(lambda: not self.sender(), what="the end of the head's process")


if __name__ == "__main__":
    main()
