# SPDX-License-Identifier: BSD-3-Clause
"""A machine whose processes or descriptors are used up by others for a while: its node is not
ready, says so, and no trial fails because of it."""
import contextlib
import os
import resource
import select
import subprocess
import unittest
from pathlib import Path

from cluster import Cluster
from e2e import TUNE_NODE, Case, main, name_of, parent_of

TRIALS = 40

# The trials before this number show that all is well; the others begin when the gate opens.
GATED = 4

# trial.sh GATE BEGUN: starts no process of its own. Opening the gate for reading blocks until
# another process opens it for writing.
TRIAL = """#!/bin/sh
echo "$TUNE_TRIAL_ID" >> "$2"
[ "$TUNE_TRIAL_ID" -lt %d ] || : < "$1"
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
for i in 1 2 3; do
  echo '{"metrics":{"loss":1}}' >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
done
""" % GATED

# A user without other processes.
USER = 1_000_000 + os.getpid()
PROCESSES = 120


def be_greedy(tell, until):
    """Takes every available process, and all that become free, until there is something to read.
    Says when it has got all for the first time."""
    while not select.select([until], [], [], 0)[0]:
        try:
            if os.fork() == 0:
                os.read(until, 1)
                os._exit(0)
        except BlockingIOError:
            with contextlib.suppress(OSError):
                os.write(tell, b"x")
                os.close(tell)


class Group:
    """A control group with a limit of processes and threads, if one can be made here."""

    def __init__(self, most):
        for root in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"):
            path = Path(root, "tune-e2e-%d" % os.getpid())
            with contextlib.suppress(OSError):
                path.mkdir()
                try:
                    (path / "pids.max").write_text(str(most))
                    self.path = path
                    return
                except OSError:
                    path.rmdir()
        raise unittest.SkipTest("no control group that limits processes can be made here")

    def join(self):
        (self.path / "cgroup.procs").write_text("0")

    def is_removed(self):
        """Whether the group could be removed, which needs that no process lives in it."""
        with contextlib.suppress(OSError):
            self.path.rmdir()
        return not self.path.exists()


@contextlib.contextmanager
def no_more_descriptors(pid):
    """Limits the process to the descriptors that it has."""
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
    yield
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


class Shortages(Case):
    def setUp(self):
        super().setUp()
        self.directory.chmod(0o777)
        self.gate = self.directory / "gate"
        os.mkfifo(self.gate)
        self.gate.chmod(0o666)
        self.begun = self.directory / "begun"
        self.begun.touch()
        self.begun.chmod(0o666)
        self.log = self.directory / "log"
        trial = self.directory / "trial.sh"
        trial.write_text(TRIAL)
        trial.chmod(0o755)

    def job(self, more=""):
        """A job in which any failure of a trial is final."""
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n"
            '[trainable]\ncommand = ./trial.sh "%s" "%s"\n'
            "[space]\nx = 1\n[failure]\nmax_failures = 0\nbackoff = 0\n[cluster]\ncpus = 2\n%s\n"
            % (TRIALS, self.gate, self.begun, more)
        )

    def start_run(self, *words, **how):
        """Starts a run whose trials wait at the gate."""
        with open(self.log, "w", encoding="utf-8") as err:
            child = self.start("run", self.job(), "-o", "json", *words, stderr=err, **how)
        self.wait_until(
            lambda: len(self.begun.read_text().split()) >= GATED + 2, child, "trials at the gate"
        )
        return child

    def open_gate(self):
        held = os.open(self.gate, os.O_RDWR)
        self.addCleanup(os.close, held)

    def wait_for_refusals(self, child):
        """Waits until the node was not ready twice, which takes at least a second."""
        self.wait_until(lambda: "no trial goes there for 4 s" in self.said(), child, "a refusal")

    def said(self):
        return self.log.read_text()

    def assert_only_delayed(self, child, cause):
        """Checks that all trials ended well, and that attempts which never began say why and cost
        nothing."""
        ran = self.finish(child)
        self.assertEqual(ran.json()["counts"]["TERMINATED"], TRIALS, self.said())
        ends = self.rows("SELECT end_class, count(*) AS n FROM attempts GROUP BY end_class")
        known = {row["end_class"]: row["n"] for row in ends}
        self.assertEqual(known.pop("finished"), TRIALS)
        self.assertGreaterEqual(known.pop("preempted"), 2)
        self.assertEqual(known, {})
        texts = self.rows("SELECT DISTINCT detail FROM attempts WHERE end_class = 'preempted'")
        for row in texts:
            self.assertRegex(row["detail"], "is not ready for it: " + cause)
        # One message per try.
        self.assertLessEqual(self.said().count("is not ready for it"), 8, self.said())
        self.assertEqual(len(self.begun.read_text().split()), TRIALS)
        self.assert_no_trial_processes()

    # -- Processes.

    def take_all_processes(self, become):
        """Lets another process in the same group take all available processes. Returns a function
        that ends it."""
        heard, tell = os.pipe()
        until, end = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(end)
                become()
                be_greedy(tell, until)
            finally:
                os._exit(0)
        os.close(tell)
        os.close(until)
        self.addCleanup(os.waitpid, child, 0)
        ending = contextlib.ExitStack()
        ending.callback(os.close, end)
        self.addCleanup(ending.close)
        self.assertEqual(os.read(heard, 1), b"x")
        os.close(heard)
        return ending.close

    def test_a_group_without_processes_costs_no_trial(self):
        group = Group(PROCESSES)
        self.addCleanup(self.wait_until, group.is_removed, what="the end of all processes")
        child = self.start_run(preexec_fn=group.join)

        let_go = self.take_all_processes(group.join)
        self.open_gate()
        self.wait_for_refusals(child)
        let_go()

        self.assert_only_delayed(child, "cannot make a process: Resource temporarily unavailable")
        self.assertIn("pids.max of %s is reached (" % group.path, self.said())
        self.assertIn("raise it", self.said())

    @unittest.skipUnless(os.geteuid() == 0, "only root may become a user without other processes")
    def test_a_user_without_processes_costs_no_trial(self):
        def become():
            resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
            os.setgroups([])
            os.setgid(USER)
            os.setuid(USER)

        try:
            self.finish(self.start("version", preexec_fn=become))
        except (PermissionError, subprocess.SubprocessError) as why:
            self.skipTest("other users may not run %s: %s" % (TUNE_NODE, why))
        child = self.start_run(preexec_fn=become)

        let_go = self.take_all_processes(become)
        self.open_gate()
        self.wait_for_refusals(child)
        let_go()

        self.assert_only_delayed(child, "cannot make a process: Resource temporarily unavailable")
        self.assertIn("RLIMIT_NPROC of user %d (ulimit -u) (%d)" % (USER, PROCESSES), self.said())

    # -- Descriptors.

    def guard_of(self, child):
        def is_guard(pid):
            with contextlib.suppress(OSError):
                return parent_of(pid) == child.pid and name_of(pid) == "tune-guard"
            return False

        return next(int(x.name) for x in Path("/proc").iterdir()
                    if x.name.isdigit() and is_guard(int(x.name)))

    def test_a_node_without_descriptors_costs_no_trial(self):
        child = self.start_run()

        with no_more_descriptors(child.pid):
            self.open_gate()
            self.wait_for_refusals(child)

        self.assert_only_delayed(child, ".*cannot .*: Too many open files: RLIMIT_NOFILE = 3")

    def test_a_guard_whose_limits_somebody_lowers_costs_no_trial(self):
        child = self.start_run()

        for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
            most = resource.prlimit(self.guard_of(child), which)[1]
            resource.prlimit(self.guard_of(child), which, (0, most))
        self.open_gate()
        self.finish(child)

        ends = self.rows("SELECT DISTINCT end_class FROM attempts")
        self.assertEqual(ends, [{"end_class": "finished"}])


class FileSizes(Case):
    def test_a_limit_of_file_sizes_ends_a_run_in_order_and_is_named(self):
        limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        ini = self.experiment("tune report 3", samples=200)

        ended = self.run_node("run", ini, code=7, preexec_fn=limited)

        self.assertIn("File too large: raise the limit of file sizes (ulimit -f", ended.err)
        self.run_node("resume", self.directory / "results" / "x")
        self.assertEqual(
            self.rows("SELECT DISTINCT status FROM trials"), [{"status": "TERMINATED"}]
        )


class Surroundings(Case):
    def test_too_few_open_files_to_begin_with_are_named(self):
        limited = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))

        refused = self.run_node("run", self.experiment("tune report 1"), code=None, preexec_fn=limited)

        self.assertNotEqual(refused.code, 0)
        self.assertIn("only 10 files may be open at once; raise the limit (ulimit -n)", refused.err)

    def test_too_small_stacks_are_named(self):
        limited = lambda: resource.setrlimit(resource.RLIMIT_STACK, (65536, resource.RLIM_INFINITY))

        refused = self.run_node("version", code=3, preexec_fn=limited)

        self.assertIn("stacks may have only 64 KiB here; raise the limit (ulimit -s)", refused.err)

    def test_a_working_directory_that_is_gone_is_named(self):
        gone = self.directory / "gone"
        gone.mkdir()

        refused = self.run_node(
            "run", self.experiment("tune report 1"), code=3, cwd=gone, preexec_fn=gone.rmdir
        )

        self.assertIn("the working directory cannot be found", refused.err)


class WorkerShortages(Cluster):
    def test_a_worker_without_descriptors_costs_no_trial(self):
        ini = self.gated(samples=6, more="[failure]\nmax_failures = 0")
        head, where = self.head(ini)
        worker = self.worker(where, "a", "--once", cpus=2)
        self.wait_for_attempts(2, head)

        with no_more_descriptors(worker.pid):
            self.open_gate()
            self.wait_until(
                lambda: self.says("x.head.log", "no trial goes there for 4 s"), head, "a refusal"
            )

        self.finish(head)
        self.finish(worker)
        ends = {row["end_class"] for row in self.attempts()}
        self.assertEqual(ends, {"finished", "preempted"})
        statuses = self.rows("SELECT DISTINCT status FROM trials")
        self.assertEqual(statuses, [{"status": "TERMINATED"}])
        self.assertTrue(self.says("x.head.log", "node a is not ready for it: "))
        self.assertTrue(self.says("x.head.log", "Too many open files: RLIMIT_NOFILE = 3"))


if __name__ == "__main__":
    main()
