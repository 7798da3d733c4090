# SPDX-License-Identifier: BSD-3-Clause
"""Nobody reads the output: a stopped pager, a terminal after Ctrl-S. Trials and signals must not
wait for it."""
import contextlib
import fcntl
import os
import re
import signal

from e2e import CertifiedCase, main

SMALLEST_PIPE = 4096


class Unread(CertifiedCase):
    """Standard error is a full pipe."""

    def setUp(self):
        super().setUp()
        self.reads, self.writes = os.pipe()
        fcntl.fcntl(self.writes, fcntl.F_SETPIPE_SZ, SMALLEST_PIPE)
        self.addCleanup(os.close, self.reads)

    def fill(self):
        """Fills the pipe, so that a further write blocks. The program shares the pipe, and must
        not notice."""
        other = os.open("/proc/self/fd/%d" % self.writes, os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(other, b"x")
        os.close(other)

    def job(self, name, samples=1, tail=""):
        path = self.directory / (name + ".ini")
        path.write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n[cluster]\ncpus = 2\n"
            % (samples, self.three_reports(self.directory, "words", tail))
        )
        return path

    def test_a_run_goes_on_and_obeys(self):
        flag = self.directory / "go on"
        self.fill()
        run = self.start(
            "run", self.job("x", 40, 'until [ -e "%s" ]; do sleep 0.05; done' % flag),
            stderr=self.writes,
        )
        self.wait_until(lambda: len(self.rows_if_any("SELECT * FROM results")) >= 6, run, "reports")
        flag.touch()
        self.wait_until(
            lambda: self.rows("SELECT count(*) AS n FROM trials WHERE status = 'TERMINATED'")[0]["n"] > 2,
            run, "ends of trials",
        )

        run.send_signal(signal.SIGINT)

        ended = self.finish(run, None)
        self.assertIn(ended.code, (0, 130), ended)
        self.assert_no_trial_processes()
        self.assertIn("nothing found", self.run_node("fsck", self.directory / "results" / "x").out)

    def test_a_head_serves_all_and_obeys(self):
        head = self.start(
            *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", 2),
            *("--storage", self.directory / "results", "--work", self.directory / "work"),
            stderr=self.writes
        )
        said = ""
        while "experiments may come" not in said:
            said += os.read(self.reads, SMALLEST_PIPE).decode()
        where = re.search(r"--head (\S+)", said).group(1)
        self.fill()

        for i in range(3):
            ran = self.run_node(
                *("run", self.job("x%d" % i), "--head", where, "--certs", self.certs, "-o", "json")
            )
            self.assertEqual(ran.json()["counts"]["TERMINATED"], 1)

        head.send_signal(signal.SIGTERM)
        self.finish(head)


if __name__ == "__main__":
    main()
