# SPDX-License-Identifier: BSD-3-Clause
"""A start must take only real leftovers of an earlier one for leftovers. Nodes in containers, here
PID and mount namespaces, may have the same paths and the same numbers as others. Needs root, and a
kernel that allows namespaces; otherwise says so and exits 77."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from e2e import TUNE_NODE, Case, is_stopped, main, name_of, parent_of, processes_of

TRIAL = Path(__file__).with_name("family_trial.sh")


class Refused(Exception):
    """The kernel refuses a command."""


class Space:
    """PID and mount namespaces of their own, with a matching /proc. Everything in them vanishes
    with this program, however that ends: their first process reads the end of its input."""

    def __init__(self):
        self.holder = subprocess.Popen(
            ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
             "echo; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if self.holder.stdout.readline() != "\n":
            raise Refused(self.holder.communicate()[1].strip())
        children = Path("/proc/%d/task/%d/children" % (self.holder.pid, self.holder.pid))
        self.first = int(children.read_text().split()[0])

    def command(self, where, *words):
        """Words that run a command inside, in a directory."""
        enter = ["nsenter", "--target", str(self.first), "--pid", "--mount", "--"]
        return [*enter, "sh", "-c", 'cd "$0" && exec "$@"', str(where), *map(str, words)]

    def run(self, *words):
        done = subprocess.run(
            self.command("/", *words), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Refused("%s: %s" % (" ".join(map(str, words)), done.stderr.strip()))

    def close(self):
        with contextlib.suppress(OSError):
            self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()
        self.holder.stderr.close()


class Sweeps(Case):
    def setUp(self):
        super().setUp()
        self.gate = self.directory / "go on"
        self.results = self.directory / "results"
        self.results.mkdir()
        shutil.copy(TRIAL, self.directory / "family.sh")
        self.experiment_file = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            '[trainable]\ncommand = ./family.sh "%s"\n[space]\nx = 1\n'
            "[failure]\nbackoff = 0\n[cluster]\ncpus = 1\nkill_grace = 500ms\n" % self.gate
        )

    def space(self):
        result = Space()
        self.addCleanup(result.close)
        return result

    def start_in(self, space, *words):
        whole = space.command(self.directory, TUNE_NODE, *words)
        run = self.start(*whole[1:], program=whole[0])
        # Before the run is cleaned up, since processes inside hold its pipes.
        self.addCleanup(space.close)
        return run

    def family(self, below=None):
        return [x for x in processes_of(below or self.directory) if self.is_shell(x)]

    @staticmethod
    def is_shell(pid):
        """Of the family only the trial itself keeps its process. It leads its group; its forks
        have the same command line for a moment."""
        with contextlib.suppress(OSError):
            if os.getpgid(pid) != pid:
                return False
            words = Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
            return len(words) > 2 and words[1].endswith(b"family.sh") and words[2] != b"deaf" \
                and words[2] != b"moving"
        return False

    def reports(self):
        return self.rows_if_any("SELECT * FROM results")

    def nodes_and_guards(self):
        """Pairs of a guard and its node, for the trials of this test, as seen from here."""
        found = []
        for pid in self.family():
            guard = parent_of(pid)
            if name_of(guard) == "tune-guard":
                found.append((guard, parent_of(guard)))
        return found

    def kill_both(self, run):
        """Kills a head and its guard so that neither cleans up after the other."""
        [(guard, node)] = self.nodes_and_guards()
        os.kill(node, signal.SIGSTOP)
        # A thread still running would see the guard die, and end the trials.
        self.wait_until(lambda: is_stopped(node), what="a head that stands still")
        os.kill(guard, signal.SIGKILL)
        os.kill(node, signal.SIGKILL)
        # The helper that entered the namespace stops together with what it started there.
        run.send_signal(signal.SIGCONT)
        self.finish(run, None)
        self.wait_until(lambda: not self.family(), what="the end of the trial itself")
        self.assertTrue(processes_of(self.directory), "it left nothing behind")

    def test_a_start_spares_trials_of_a_container_that_has_the_same_path(self):
        inner = self.space()
        inner.run("mount", "-t", "tmpfs", "tune-e2e", self.results)
        inside = self.start_in(inner, "run", self.experiment_file, "-o", "json")
        self.wait_until(lambda: self.family(), inside, "a trial inside")
        before = self.family()

        outside = self.start("run", self.experiment_file, "-o", "json")
        self.wait_until(lambda: len(self.family()) == 2, outside, "a trial outside")
        self.wait_until(self.reports, outside, "its report")

        self.assertLessEqual(set(before), set(self.family()))
        self.gate.touch()
        for run in (inside, outside):
            self.assertEqual(self.finish(run).json()["counts"]["TERMINATED"], 1)
        self.assert_no_trial_processes()

    def test_a_start_in_a_container_spares_trials_outside(self):
        outside = self.start("run", self.experiment_file, "-o", "json")
        self.wait_until(lambda: self.family() and self.reports(), outside, "a trial outside")
        before = self.family()
        inner = self.space()
        inner.run("mount", "-t", "tmpfs", "tune-e2e", self.results)

        inside = self.start_in(inner, "run", self.experiment_file, "-o", "json")
        self.wait_until(lambda: len(self.family()) == 2, inside, "a trial inside")

        self.assertLessEqual(set(before), set(self.family()))
        self.gate.touch()
        for run in (inside, outside):
            self.assertEqual(self.finish(run).json()["counts"]["TERMINATED"], 1)
        self.assert_no_trial_processes()

    def test_what_a_container_left_is_swept_from_outside(self):
        inner = self.space()
        run = self.start_in(inner, "run", self.experiment_file)
        self.wait_until(lambda: self.family() and self.reports(), run, "a trial inside")
        self.kill_both(run)
        self.gate.touch()

        self.run_node("run", self.experiment_file, "--resume")

        self.assertEqual(processes_of(self.directory), [])

    def test_what_was_left_is_swept_where_the_directory_is_now(self):
        run = self.start("run", self.experiment_file)
        self.wait_until(lambda: self.family() and self.reports(), run, "a trial")
        self.kill_both(run)
        self.gate.touch()
        self.results.rename(self.directory / "moved")

        self.run_node(
            "run", self.experiment_file, "--resume", "--experiment.storage",
            self.directory / "moved",
        )

        # On a busy machine a killed process may take a moment to die.
        self.wait_until(lambda: not processes_of(self.directory), None, "the end of what was left")

    def test_no_trial_begins_where_numbers_of_processes_are_others(self):
        # Without a /proc of its own it would end unrelated processes.
        ran = self.finish(
            self.start("--pid", "--fork", "--kill-child", TUNE_NODE, "run", self.experiment_file,
                       program="unshare"),
            None,
        )

        self.assertNotEqual(ran.code, 0)
        self.assertIn("mount /proc anew", ran.err)


def why_not():
    """The reason why namespaces are impossible here; None if they are possible."""
    if os.geteuid() != 0:
        return "it takes root to make namespaces"
    try:
        Space().close()
    except (Refused, OSError, IndexError) as why:
        return "the kernel makes no namespaces for us: %s" % why
    return None


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    main()
