# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the end-to-end tests: the real program, run in a directory of its own."""
import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUNE_NODE = os.environ.get("TUNE_NODE", str(ROOT / "build/dev/apps/tune-node/tune-node"))
FAULTY_NODE = os.environ.get(
    "TUNE_FAULTY_NODE", str(ROOT / "build/dev/tests/support/tune_faulty_node")
)
OTHER_NODE = os.environ.get(
    "TUNE_OTHER_NODE", str(ROOT / "build/dev/tests/support/tune_other_node")
)
FAULTY_TRIAL = Path(__file__).with_name("faulty_trial.py")

# trial.sh VALUE FILE: prints its directory, shows a file, and reports its value three times.
THREE_REPORTS = """#!/bin/sh
echo "out of $TUNE_TRIAL_DIR"
echo "err of $1" >&2
cat "$2" >&2
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
for i in 1 2 3; do
  echo "{\\"metrics\\":{\\"loss\\":$1}}" >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
done
%s
"""

# Far longer than any healthy run takes, even on a busy machine.
DEADLINE = 120

# A trial process has this in its environment, and so do its descendants.
MARK = b"TUNE_TRIAL_ATTEMPT="


def clean_environment(**more):
    """The caller's environment without variables that would change results."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("TUNE_", "TRIALRUNNER_", "NO_COLOR", "FORCE_COLOR", "CLICOLOR"))
        and name != "CUDA_VISIBLE_DEVICES"
    }
    kept["TERM"] = "xterm"
    # Tests offer GPUs that no machine has, which one that has some refuses.
    if Path("/dev/nvidiactl").exists():
        kept["CUDA_VISIBLE_DEVICES"] = ""
    kept.update(more)
    return kept


def processes_of(directory):
    """Pids of all trial processes of the experiment below `directory`, according to /proc."""
    tag = MARK + str(directory).encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            if tag in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def name_of(pid):
    """The name that a process gives itself."""
    return Path("/proc", str(pid), "comm").read_text().strip()


def parent_of(pid):
    """The parent of a process."""
    text = Path("/proc", str(pid), "stat").read_text()
    return int(text.rpartition(") ")[2].split()[1])


def leaders_of(directory):
    """Pids of the trials' own processes of the experiment below `directory`, without
    descendants."""
    found = []
    for pid in processes_of(directory):
        with contextlib.suppress(OSError):
            if name_of(parent_of(pid)) == "tune-guard":
                found.append(pid)
    return sorted(found)


def is_stopped(pid):
    """Whether a signal has stopped all threads of the process."""
    stats = [x.read_text() for x in Path("/proc/%d/task" % pid).glob("*/stat")]
    return all(x.rpartition(")")[2].split()[0] == "T" for x in stats)


def peak_memory(pid):
    """Peak resident memory of a process, in bytes."""
    for line in Path("/proc", str(pid), "status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmHWM of process %d" % pid)


def stamps(lines):
    """The times at the beginning of lines of talk, in seconds."""
    seconds = []
    for line in lines:
        if found := re.match(r"\[(?:(\d+)m)?(\d+(?:\.\d+)?)(ms|s)\]", line):
            minutes, number, unit = found.groups()
            seconds.append(int(minutes or 0) * 60 + float(number) * (1 if unit == "s" else 0.001))
    return seconds


class Finished:
    """How a run ended: exit code and output."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out or "", err or ""

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return "exit %s\n-- stdout\n%s\n-- stderr\n%s" % (self.code, self.out, self.err[-4000:])


class Case(unittest.TestCase):
    """A test with a temporary directory, in which programs run and are cleaned up."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tune-e2e-")
        self.addCleanup(holder.cleanup)
        self.directory = Path(holder.name).resolve()
        # Experiments whose record the test damages on purpose.
        self.damaged = set()
        self.addCleanup(self.check_records)

    def check_records(self):
        """Checks every record at the end of a test, whatever the test did."""
        for found in sorted(self.directory.rglob("experiment.db")):
            where = found.parent
            if where.name in self.damaged or where.is_symlink():
                continue
            checked = subprocess.run(
                [TUNE_NODE, "fsck", where],
                capture_output=True,
                text=True,
                timeout=DEADLINE,
                env=clean_environment(),
            )
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
            # Only a loss of power causes this.
            self.assertNotIn("is recorded as removed", checked.stdout)

    # -- Configurations.

    def ini(self, text, name="x.ini"):
        path = self.directory / name
        path.write_text(text)
        return path

    def experiment(self, program, space="x = 1", report=None, more="", samples=1):
        """An INI file whose trials run faulty_trial.py with the words of `program`."""
        lines = [
            "[experiment]",
            "metric = loss",
            "mode = min",
            "num_samples = %d" % samples,
            "[trainable]",
            "command = %s %s %s" % (sys.executable, FAULTY_TRIAL, program),
        ]
        if report:
            lines += ["metric.loss = loss=(\\S+)", "report = " + report]
        lines += ["[space]", space, "[failure]", "backoff = 0", "[cluster]", "memory = 4GiB", more]
        return self.ini("\n".join(lines) + "\n")

    def cpp_experiment(self, name, space="x = 1", more="", samples=1, isolation="process"):
        """An INI file whose trials run one of tune_faulty_node's trainables."""
        return self.ini(
            "\n".join(
                [
                    "[experiment]",
                    "metric = loss",
                    "mode = min",
                    "num_samples = %d" % samples,
                    "[trainable]",
                    "name = " + name,
                    "isolation = " + isolation,
                    "[space]",
                    space,
                    "[failure]",
                    "backoff = 0",
                    more,
                ]
            )
            + "\n"
        )

    # -- Programs.

    def start(self, *words, program=TUNE_NODE, **how):
        """Starts a program in the background; it is killed at the end of the test if it still
        runs."""
        how.setdefault("env", clean_environment())
        how.setdefault("cwd", self.directory)
        how.setdefault("stdin", subprocess.DEVNULL)
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        # As if called by its bare name, which is also what it calls itself.
        called = "tune-node" if program in (TUNE_NODE, FAULTY_NODE) else program
        child = subprocess.Popen(
            [called, *map(str, words)], executable=program if called != program else None, text=True,
            errors="replace", **how
        )

        def put_away():
            if child.poll() is None:
                child.kill()
            # Its descendants may hold its pipes, and live until another clean-up.
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.communicate(timeout=10)
            for pipe in (child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()

        self.addCleanup(put_away)
        return child

    def finish(self, child, code=0):
        """Waits for the end of a program, whose exit status must be `code`."""
        out, err = child.communicate(timeout=DEADLINE)
        how = Finished(child.returncode, out, err)
        if code is not None:
            self.assertEqual(how.code, code, how)
        return how

    def run_node(self, *words, code=0, **how):
        return self.finish(self.start(*words, **how), code)

    def wait_until(self, ready, child=None, what="the awaited state"):
        """Polls a condition; fails after the deadline, or if `child` ends before."""
        end = time.monotonic() + DEADLINE
        while not ready():
            if child is not None and child.poll() is not None and not ready():
                self.fail("%s never came: %s" % (what, self.finish(child, None)))
            if time.monotonic() > end:
                self.fail("%s did not come in time" % what)
            time.sleep(0.02)

    def memory_of_a_small_run(self, program=TUNE_NODE):
        """Peak memory of a run of one trial with one report, in bytes: the base for measuring
        growth."""
        text = self.experiment("tune report 1").read_text()
        child = subprocess.Popen(
            [program, "run", self.ini(text, "small.ini"), "--quiet"],
            env=clean_environment(), cwd=self.directory,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage.ru_maxrss * 1024

    # -- What a run leaves behind.

    def rows(self, query, experiment="x"):
        """Rows of a query on an experiment's database, as a list of dicts."""
        path = self.directory / "results" / experiment / "experiment.db"
        with contextlib.closing(
            sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=30)
        ) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(query)]

    def rows_if_any(self, query, experiment="x"):
        """Like `rows`, for a run that may not have a database yet."""
        try:
            return self.rows(query, experiment)
        except sqlite3.OperationalError:
            return []

    def trial_file(self, trial, name, experiment="x"):
        return self.directory / "results" / experiment / "trials" / ("%05d" % trial) / name

    def why(self, trial, experiment="x", program=TUNE_NODE):
        """The output of `trials --why`, as JSON and as text."""
        where = "results/" + experiment
        told = self.run_node("trials", where, "--why", trial, "--output", "json", program=program)
        text = self.run_node("trials", where, "--why", trial, program=program)
        return told.json(), text.out

    def assert_no_trial_processes(self):
        self.wait_until(
            lambda: not processes_of(self.directory), what="the end of all trial processes"
        )


class CertifiedCase(Case):
    """A test with the certificates of a cluster of its own."""

    def setUp(self):
        super().setUp()
        self.certs = self.directory / "certs"
        self.run_node("certs", "init", "--cluster", "test", "--certs", self.certs)

    def three_reports(self, place, words, rest):
        """Fills a directory with a script that reports three times and then does the `rest`, and
        with a file of these words that the script needs. Returns the keys of [trainable] for
        them."""
        (place / "data").mkdir(parents=True, exist_ok=True)
        (place / "data" / "words.txt").write_text(words + "\n")
        trial = place / "trial.sh"
        trial.write_text(THREE_REPORTS % rest)
        trial.chmod(0o755)
        return "command = ./trial.sh {x} {ini_dir}/data/words.txt\nfiles = data\n"


def main():
    # Ctrl-C must reach the programs under test only through the tests themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(verbosity=2)
