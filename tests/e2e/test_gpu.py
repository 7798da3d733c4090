# SPDX-License-Identifier: BSD-3-Clause
"""Costs of trials on a real GPU. Needs an NVIDIA driver, Python and the program that TUNE_NODE
names, no package; says why and exits 77 where there is no GPU. Takes half a minute."""
import json
import os
import sys
import time
from pathlib import Path

from e2e import Case, clean_environment, main
from gpu_trial import Driver

TRIAL = Path(__file__).with_name("gpu_trial.py")
MIB = 1 << 20
SIZE = 512 * MIB

# What a context may take besides: code, stacks, and what the driver keeps.
MOST_OF_CONTEXT = 2048 * MIB


class RealGpu(Case):
    def environment(self):
        result = clean_environment()
        result.pop("CUDA_VISIBLE_DEVICES", None)
        return result

    def run_trials(self, gpu, samples=2, seconds=3, more=""):
        """Returns the attempts, with what each cost, and the last report of each trial."""
        ini = self.ini(
            "[experiment]\nmetric = loss:min\nnum_samples = %d\n[space]\nx = uniform(0, 1)\n"
            "[trainable]\ncommand = %s %s %d %g\n[resources]\ncpu = 0.5\ngpu = %g\n%s\n"
            % (samples, sys.executable, TRIAL, SIZE, seconds, gpu, more)
        )
        before, begun = Driver().energy(), time.monotonic()
        self.run_node("run", ini, env=self.environment())
        self.elapsed = time.monotonic() - begun
        after = Driver().energy()
        self.energy = None if before is None else after - before
        attempts = self.rows("SELECT trial, started, ended, costs FROM attempts ORDER BY trial")
        for one in attempts:
            one["costs"] = json.loads(one["costs"])
            one["seen"] = self.devices_of(one["trial"])
        reports = [json.loads(x["metrics"]) for x in self.rows(
            "SELECT metrics FROM results WHERE training_iteration = 10 ORDER BY trial")]
        self.show(gpu, attempts, reports)
        return attempts, reports

    def devices_of(self, trial):
        return self.trial_file(trial, "stdout").read_text().split("=", 1)[1].split("\n", 1)[0]

    def show(self, gpu, attempts, reports):
        for one, told in zip(attempts, reports):
            print("gpu = %g, trial %d on GPU %s: %s; the driver showed %s bytes, %d processes"
                  % (gpu, one["trial"], one["seen"], one["costs"], told["shown"], told["listed"]))
        print("all GPUs together: %s J in %.1f s" % (self.energy, self.elapsed), flush=True)

    def assert_memory(self, attempt, told):
        peak = attempt["costs"].get("peak_gpu_bytes")
        if told["shown"] < 0:
            print("the driver does not show the processes of trials here (another PID namespace?)")
            self.assertIsNone(peak)
            return
        self.assertGreaterEqual(peak, SIZE)
        self.assertLess(peak, SIZE + MOST_OF_CONTEXT)
        self.assertAlmostEqual(peak, told["shown"], delta=64 * MIB)

    def assert_energy(self, attempts):
        if self.energy is None:
            print("the driver tells no energy here")
            return
        each = [x["costs"]["energy_j"] for x in attempts]
        self.assertGreater(min(each), 0)
        # Where the energy of the processors is told, it is in there, too.
        if not any(Path("/sys/class/powercap").glob("*/energy_uj")):
            self.assertLessEqual(sum(each), self.energy * 1.05)
        # A GPU that works draws some watts at least.
        self.assertGreater(sum(each), 2 * sum(x["costs"]["gpu_s"] for x in attempts))

    def test_whole_gpus_are_measured_and_never_shared(self):
        count = Driver().count()

        attempts, reports = self.run_trials(gpu=1)

        for one, told in zip(attempts, reports):
            self.assert_memory(one, told)
            self.assertGreater(one["costs"]["gpu_s"], 2.9)
        self.assert_energy(attempts)
        first, second = attempts
        overlaps = first["started"] < second["ended"] and second["started"] < first["ended"]
        if count == 1:
            self.assertFalse(overlaps)
        if overlaps:
            self.assertNotEqual(first["seen"], second["seen"])

    def test_halves_of_a_gpu_are_told_apart(self):
        attempts, reports = self.run_trials(gpu=0.5)

        for one, told in zip(attempts, reports):
            self.assert_memory(one, told)
            self.assertGreater(one["costs"]["gpu_s"], 1.45)
            self.assertLess(one["costs"]["gpu_s"], self.elapsed * 0.5 + 0.1)
        self.assert_energy(attempts)
        self.assertEqual({x["seen"] for x in attempts}, {"0"})

    def test_memory_is_a_metric_that_ends_a_trial(self):
        attempts, reports = self.run_trials(
            gpu=1, samples=1, more="[stop]\ntune/peak_gpu_bytes = %d" % SIZE)

        told = json.loads(self.rows("SELECT metrics FROM results ORDER BY seq DESC LIMIT 1")[0]["metrics"])
        if told["shown"] < 0:
            self.assertNotIn("peak_gpu_bytes", attempts[0]["costs"])
            return
        ((reason),) = [x["reason"] for x in self.rows("SELECT reason FROM trials")]
        self.assertIn("tune/peak_gpu_bytes", reason)
        self.assertGreaterEqual(told["tune/peak_gpu_bytes"], SIZE)
        self.assertEqual(reports, [])

    def test_a_trial_without_a_gpu_has_none_of_these_costs(self):
        ini = self.experiment("tune report 1")

        self.run_node("run", ini, env=self.environment())

        ((costs,),) = [list(x.values()) for x in self.rows("SELECT costs FROM attempts")]
        self.assertNotIn("gpu_s", json.loads(costs))
        self.assertNotIn("peak_gpu_bytes", json.loads(costs))


def why_not():
    """Why this machine has no GPU that could be used; empty if it has one."""
    try:
        driver = Driver()
        import ctypes
        ctypes.CDLL("libcuda.so.1")
    except OSError as why:
        return "no NVIDIA driver: %s" % why
    if driver.code != 0:
        return "the driver does not work: nvmlInit_v2 gave %d" % driver.code
    return "" if driver.count() > 0 else "the driver lists no GPU"


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    main()
