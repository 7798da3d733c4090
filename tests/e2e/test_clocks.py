# SPDX-License-Identifier: BSD-3-Clause
"""A wall clock that jumps by a day, or runs a hundred times too fast (needs faketime). Only
displayed dates may follow it."""
import glob
import time
import unittest

from cluster import Cluster
from e2e import Case, clean_environment, main

LIBRARIES = glob.glob("/usr/lib*/*/faketime/libfaketimeMT.so.1") + glob.glob(
    "/usr/lib*/faketime/libfaketimeMT.so.1"
)
MISSING = "" if LIBRARIES else "faketime is not installed"

# Far longer than the run, and far shorter than the run seems by the false clock.
LIMITS = "[trainable]\nenv.LD_PRELOAD = \"\"\n[failure]\nprogress_timeout = 20s\n[experiment]\ntime_limit = 60s\n"


def false_clock(**how):
    """The environment of a program whose wall clock is false and whose other clocks are right."""
    return {
        "LD_PRELOAD": LIBRARIES[0], "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_RESET": "1", "FAKETIME_NO_CACHE": "1", **how,
    }


@unittest.skipIf(MISSING, MISSING)
class Alone(Case):
    def gated_ini(self):
        """An experiment whose trials wait for a file before their last report."""
        gate = self.directory / "go on"
        program = "tune reports 5 wait_for %s report 1" % str(gate).replace(" ", "_")
        self.gate = gate.with_name(gate.name.replace(" ", "_"))
        return self.experiment(program, "x = uniform(0, 1)", more=LIMITS, samples=4)

    def stamps(self):
        return [
            row["timestamp_ms"] for row in self.rows_if_any("SELECT * FROM results ORDER BY seq")
        ]

    def assert_undisturbed(self, ran):
        self.assertEqual(ran.json()["status"], "done", ran)
        self.assertEqual(ran.json()["counts"]["TERMINATED"], 4)
        ends = {row["end_class"] for row in self.rows("SELECT end_class FROM attempts")}
        self.assertEqual(ends, {"finished"})
        times = [row["t"] for row in self.rows("SELECT t FROM events ORDER BY seq")]
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-1], 60)

    def test_one_that_jumps_ends_nothing(self):
        for jump in ("+1d", "-1d"):
            with self.subTest(jump):
                clock = self.directory / "clock"
                clock.write_text("+0\n")
                ini = self.gated_ini()
                child = self.start(
                    "run", ini, "--experiment.name", "x", "-o", "json",
                    env=clean_environment(**false_clock(FAKETIME_TIMESTAMP_FILE=str(clock))),
                )
                self.wait_until(lambda: len(self.stamps()) >= 5, child)
                clock.write_text(jump + "\n")
                self.gate.touch()

                ran = self.finish(child)

                self.assert_undisturbed(ran)
                stamps = self.stamps()
                self.assertGreater(max(stamps) - min(stamps), 80_000_000)
                self.gate.unlink()
                (self.directory / "results" / "x").rename(self.directory / jump)

    def test_one_that_races_ends_nothing(self):
        ini = self.gated_ini()
        child = self.start(
            "run", ini, "-o", "json", env=clean_environment(**false_clock(FAKETIME="+0 x100"))
        )
        self.wait_until(lambda: len(self.stamps()) >= 5, child)
        begun = self.stamps()[0]
        # More than a minute passes on the false clock while all trials wait.
        since = time.monotonic()
        self.wait_until(lambda: time.monotonic() - since > 1, child)
        self.gate.touch()

        ran = self.finish(child)

        self.assert_undisturbed(ran)
        self.assertGreater(self.stamps()[-1] - begun, 60_000)


@unittest.skipIf(MISSING, MISSING)
class Together(Cluster):
    def inside(self, node):
        words = ["%s=%s" % x for x in false_clock(FAKETIME="+0 x100").items()]
        return ["env", *words] if node in self.racing else []

    def test_a_racing_clock_of_head_or_worker_loses_no_node(self):
        for racing in ("head", "w"):
            with self.subTest(racing):
                self.racing = {racing}
                self.gate.unlink(missing_ok=True)
                ini = self.gated(name=racing + ".ini")
                head, where = self.head(ini, "--experiment.name", racing)
                worker = self.worker(where, "w", "--once", cpus=2)
                self.wait_for_attempts(2, head, racing)
                first = self.rows("SELECT count(*) AS n FROM results", racing)[0]["n"]
                self.wait_until(
                    lambda: self.rows("SELECT count(*) AS n FROM results", racing)[0]["n"]
                    > first + 40,
                    head,
                )
                self.gate.touch()

                self.finish(head)
                self.finish(worker)
                ends = [row["end_class"] for row in self.attempts(racing)]
                self.assertEqual(ends, ["finished", "finished"])


if __name__ == "__main__":
    main()
