# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of a failing disk: a scripted experiment, a head that is disturbed on its
way, and what must hold in any case.

TUNE_LONG=1 runs campaigns over every point instead of a few samples. Each campaign prints one line
of JSON about what it did.
"""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from e2e import DEADLINE, FAULTY_NODE, TUNE_NODE, Case, clean_environment

LONG = os.environ.get("TUNE_LONG") == "1"
# Another seed tries other points where these are drawn.
SEED = int(os.environ.get("TUNE_SEED", "1"))

# Six trials on the head's own threads: no other process writes, syncs, renames or removes. Every
# step is saved and one checkpoint is kept; two trials fail once, and two fail until they are given
# up.
SCRIPT = """[experiment]
metric = loss
mode = min
num_samples = 2
[trainable]
name = stumbles
isolation = thread
[space]
falls = grid(never, once, always)
[checkpoint]
frequency = 1
keep = 1
[failure]
max_failures = 1
backoff = 0
[cluster]
cpus = 2
"""
ENDS = {"PENDING": 0, "RUNNING": 0, "PAUSED": 0, "TERMINATED": 4, "ERRORED": 2}


def why_no_strace():
    """The reason why faults cannot be injected into system calls; None if they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    with tempfile.TemporaryDirectory() as place:
        tried = subprocess.run(
            ["strace", "-f", "-qq", "-o", Path(place, "log"), "-e", "trace=none", "true"],
            capture_output=True, text=True,
        )
    return "" if tried.returncode == 0 else "strace may not trace here: " + tried.stderr.strip()


class Record:
    """A reader's view of an experiment's database. It reads a copy, since reading may change
    files."""

    def __init__(self, directory):
        self.events, self.trials, self.results, self.checkpoints = [], {}, set(), []
        self.readable = True
        with tempfile.TemporaryDirectory(prefix="tune-record-") as place:
            for name in ("experiment.db", "experiment.db-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copy(Path(directory, name), place)
            if not Path(place, "experiment.db").exists():
                return
            with contextlib.closing(sqlite3.connect(Path(place, "experiment.db"))) as db:
                try:
                    rows = self.read(db)
                except sqlite3.DatabaseError:
                    self.readable, rows = False, []
        self.results = set(rows)
        self.doubled = len(rows) - len(self.results)

    def read(self, db):
        self.events = db.execute("SELECT * FROM events ORDER BY seq").fetchall()
        self.trials = dict(db.execute("SELECT trial_id, status FROM trials"))
        self.checkpoints = db.execute("SELECT location, state FROM checkpoints").fetchall()
        return db.execute("SELECT trial, attempt, training_iteration FROM results").fetchall()

    def placed(self, since=0):
        """Trials that were placed in a new attempt after an event."""
        bodies = [json.loads(x[3]) for x in self.events[since:] if x[2] == "placed"]
        return {"%05d" % x["trial"] for x in bodies}


def told_results(directory):
    """Results in the files beside the database, which show what was recorded: (trial, attempt,
    iteration)."""
    found = set()
    for path in Path(directory).glob("trials/*/result.jsonl"):
        for line in path.read_text().splitlines():
            # The last line may be torn.
            with contextlib.suppress(ValueError):
                x = json.loads(line)
                found.add((int(x["trial_id"]), x["attempt"], x["training_iteration"]))
    return found


class DiskCase(Case):
    """Runs the script again and again, each time in a new directory."""

    def setUp(self):
        super().setUp()
        self.script = self.ini(SCRIPT, "script.ini")
        self.count = 0
        self.figures = {}

    # -- One experiment.

    def fresh(self):
        """The directory of the next experiment; removes the one before."""
        shutil.rmtree(self.directory / "results", ignore_errors=True)
        self.count += 1
        self.name = "x%d" % self.count
        return self.directory / "results" / self.name

    def words(self, *more):
        return ["run", self.script, "--experiment.name", self.name, "--output", "json", "--quiet", *more]

    def spoilt(self, inject, *more, calls=None, only=()):
        """Runs a head in which `inject`, in strace's syntax, applies to system calls, if `only` is
        given to those on these files alone. Its exit status is the negative signal if it was
        killed; strace's log is kept in `self.calls`."""
        log = self.directory / "strace.log"
        words = ["strace", "-f", "-y", "-qq", "-s", "0", "-o", log]
        words += ["-e", "trace=" + (calls or inject.split(":")[0]), "-e", "inject=" + inject]
        for path in only:
            words += ["-P", path]
        done = subprocess.run(
            [*map(str, words), FAULTY_NODE, *map(str, self.words(*more))],
            capture_output=True, text=True, timeout=DEADLINE, cwd=self.directory,
            env=clean_environment(), stdin=subprocess.DEVNULL,
        )
        self.calls = log.read_text().splitlines()
        return done

    def note(self, **more):
        for name, count in more.items():
            self.figures[name] = self.figures.get(name, 0) + count

    def tell(self, campaign, **more):
        print(json.dumps({"campaign": campaign, **self.figures, **more}), flush=True)

    # -- What must hold.

    def fsck(self, directory):
        """Checks that fsck finds nothing in the record of an experiment."""
        done = subprocess.run(
            [TUNE_NODE, "fsck", directory], capture_output=True, text=True, timeout=DEADLINE,
            env=clean_environment(),
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def assert_acknowledged(self, directory, record):
        """Checks that everything that was shown as recorded is in the record."""
        told = told_results(directory)
        self.assertLessEqual(told, record.results)
        self.note(acknowledged=len(told))

    def resume(self, directory, before, counts=ENDS):
        """Resumes the run to its end. The events in `before` must be a prefix of the present
        ones."""
        done = subprocess.run(
            [FAULTY_NODE, *map(str, self.words("--resume"))], capture_output=True, text=True,
            timeout=DEADLINE, cwd=self.directory, env=clean_environment(),
            stdin=subprocess.DEVNULL,
        )
        self.note(restarts=1)
        self.assertIn(done.returncode, (0,) if counts else (0, 5), done.stdout + done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual((told["status"], told["counts"]), ("done", counts or told["counts"]), told)
        after = Record(directory)
        self.assertEqual(after.events[: len(before.events)], before.events)
        over = {x for x, status in before.trials.items() if status in ("TERMINATED", "ERRORED")}
        self.assertFalse(over & after.placed(len(before.events)), "run again after their end")
        self.assertEqual(after.doubled, 0)
        self.fsck(directory)
        self.assert_files(directory, after)
        return done

    def assert_files(self, directory, record, cut_back=False):
        """Checks that the files are those of the record, and no others."""
        self.assert_places(directory, record, ("bad",) if cut_back else ())
        self.assertEqual(told_results(directory), record.results)

    def assert_places(self, directory, record, may_stay=()):
        """Checks that the checkpoints are those of the record, and no others.

        @param may_stay States of checkpoints that may exist all the same: "doomed" if they could
        not be removed; "bad" if the record has lost its end, when a checkpoint that was just being
        removed may exist in part."""
        there = {
            str(x.relative_to(directory))
            for x in directory.glob("trials/*/attempt_*/checkpoint_*")
        }
        good = {location for location, state in record.checkpoints if state == "good"}
        self.assertLessEqual(good, there)
        others = {location for location, state in record.checkpoints if state in may_stay}
        self.assertLessEqual(there - good, others, record.checkpoints)


def copy_experiment(where, to):
    """Copies all files of an experiment, except the control socket of a killed head."""
    shutil.copytree(where, to, ignore=shutil.ignore_patterns(".control"))


def readable(text):
    """Whether a text is readable: short lines without control characters."""
    return all(re.fullmatch(r"[^\x00-\x1f\x7f]{1,500}", line) for line in text.splitlines())
