# SPDX-License-Identifier: BSD-3-Clause
"""What trials cost: measured, recorded, and judged by."""
import json
import sqlite3
import sys
import textwrap

from e2e import Case, main

BURNS = textwrap.dedent("""
    import json, os, resource, sys, time
    work = float(sys.argv[1])
    held = bytearray(int(float(sys.argv[2]) * 1024 * 1024))
    for i in range(0, len(held), 4096):
        held[i] = 1
    out, into = os.fdopen(3, "w"), os.fdopen(4)
    for step in range(int(sys.argv[3])):
        start = time.process_time()
        while time.process_time() - start < work:
            pass
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        out.write(json.dumps({"metrics": {"loss": 1 / (step + 1), "own_rss": rss,
                                          "own_cpu": time.process_time()}}) + "\\n")
        out.flush()
        if json.loads(into.readline()).get("decision") == "stop":
            break
""")


class Costs(Case):
    def setUp(self):
        super().setUp()
        (self.directory / "burns.py").write_text(BURNS)

    def burning(self, experiment="metric = loss:min", more="", steps=3, memory=8,
                work="0.15, 0.3", program="burns.py"):
        return self.ini(f"[experiment]\nname = costs\nnum_samples = 1\n{experiment}\n"
                        f"[space]\nwork = grid({work})\n"
                        f"[trainable]\ncommand = {sys.executable} {{ini_dir}}/{program} {{work}}"
                        f" {memory} {steps}\n{more}\n", "costs.ini")

    def rows(self, sql):
        with sqlite3.connect(self.directory / "results" / "costs" / "experiment.db") as base:
            return base.execute(sql).fetchall()

    def costs(self):
        return [json.loads(x) for (x,) in self.rows(
            "SELECT costs FROM attempts ORDER BY trial, started")]

    def test_are_recorded_of_each_attempt_and_shown(self):
        self.run_node("run", self.burning())

        first, second = self.costs()
        self.assertGreater(first["cpu_s"], 0.45)
        self.assertGreater(second["cpu_s"], first["cpu_s"] + 0.3)
        self.assertGreater(first["peak_rss_bytes"], 8 * 1024 * 1024)
        self.assertNotIn("gpu_s", first)
        told = self.run_node("trials", "results/costs", "--why", "0").out
        self.assertRegex(told, r"costs: \d.*s CPU, .* memory")
        why = self.run_node("trials", "results/costs", "--why", "0", "-o", "json").json()
        self.assertEqual(why["attempts"][0]["costs"], first)
        listed = self.run_node("trials", "results/costs", "--sort", "tune/cpu_s", "--columns",
                               "trial,tune/cpu_s", "-o", "json").json()
        self.assertEqual([x["tune/cpu_s"] for x in listed], [first["cpu_s"], second["cpu_s"]])
        # Reports have none unless something asks for them.
        self.assertEqual(self.rows("SELECT count(*) FROM results WHERE metrics LIKE '%cpu_s%'"),
                         [(0,)])

    def test_fit_what_the_kernel_tells_the_program(self):
        self.run_node("run", self.burning(work="0.3", memory=64))

        (told,) = self.costs()
        ((last,),) = self.rows("SELECT metrics FROM results ORDER BY seq DESC LIMIT 1")
        own = json.loads(last)
        # After its last report it only ends.
        self.assertAlmostEqual(told["cpu_s"], own["own_cpu"], delta=0.2)
        self.assertGreaterEqual(told["cpu_s"], own["own_cpu"])
        self.assertAlmostEqual(told["peak_rss_bytes"], own["own_rss"], delta=4 * 1024 * 1024)

    def test_are_an_objective(self):
        self.run_node("run", self.burning("metric = tune/cpu_s:min"))

        best = self.run_node("status", "results/costs", "-o", "json").json()["best"]
        self.assertEqual(best["trial"], "00000")
        self.assertGreater(best["metrics"]["tune/cpu_s"], 0.1)

    def test_the_smallest_program_can_win_by_its_memory(self):
        ini = self.ini("[experiment]\nname = costs\nmetric = tune/peak_rss_bytes:min\n"
                       "[space]\nx = grid(1, 100)\n[trainable]\nreport = final\n"
                       "command = sh -c 'head -c {x}000000 /dev/zero | tail >tail; echo x={x}'\n"
                       "metric.x = x={number}\n")
        best = self.run_node("run", ini, "-o", "json").json()["best"]

        self.assertEqual(best["config"], {"x": 1}, best)
        self.assertLess(best["metrics"]["tune/peak_rss_bytes"], 100e6)

    def test_of_a_program_that_ends_with_its_report_are_those_of_its_end(self):
        ini = self.ini("[experiment]\nname = costs\nmetric = tune/cpu_s:min\nnum_samples = 4\n"
                       "[space]\nx = uniform(0, 1)\n[trainable]\ncommand = sh -c 'i=0; "
                       "while [ $i -lt 9999 ]; do i=$((i+1)); done; echo x={x}'\n"
                       "metric.x = x={number}\nreport_on = x\n")
        told = self.run_node("run", ini)

        self.assertNotIn("warning", told.err)
        for (cpu, costs) in self.rows(
                "SELECT json_extract(r.metrics, '$.\"tune/cpu_s\"'), a.costs FROM results r"
                " JOIN attempts a ON a.trial = r.trial"):
            # A shell without modules of its own holds less than the node that starts it.
            self.assertLess(json.loads(costs).get("peak_rss_bytes", 0), 8e6)
            self.assertLessEqual(cpu, json.loads(costs)["cpu_s"])
            self.assertGreater(cpu, 0)

    def test_as_the_objective_of_a_program_that_is_read_want_report_on(self):
        ini = self.ini("[experiment]\nname = costs\nmetric = tune/cpu_s:min\nnum_samples = 1\n"
                       "[space]\nx = uniform(0, 1)\n[trainable]\ncommand = echo {x}\n"
                       "metric.x = {number}\n")
        self.assertIn("report_on", self.run_node("run", ini, code=3).err)

    def test_are_a_constraint(self):
        self.run_node("run", self.burning("metric = loss:min\nconstraints = tune/cpu_s <= 0.7"))

        trials = self.run_node("trials", "results/costs", "-o", "json").json()
        kept = {x["trial"]: x["violation"] for x in trials}
        self.assertEqual(kept["00000"], 0)

    def test_end_a_trial(self):
        self.run_node("run", self.burning(more="[stop]\ntune/cpu_s = 0.5", steps=50, work="0.15"))

        ((reached, reason),) = self.rows("SELECT iterations, reason FROM trials")
        self.assertLess(reached, 10)
        self.assertIn("tune/cpu_s", reason)

    def test_come_with_every_report_if_asked_for(self):
        self.run_node("run", self.burning(more="[log]\ncosts = true", work="0.15"))

        cpu = [x for (x,) in self.rows(
            "SELECT json_extract(metrics, '$.\"tune/cpu_s\"') FROM results ORDER BY seq")]
        self.assertEqual(len(cpu), 3)
        self.assertEqual(cpu, sorted(cpu))
        self.assertGreater(cpu[-1], cpu[0] + 0.1)

    def test_add_up_over_attempts(self):
        (self.directory / "fails.py").write_text(BURNS + textwrap.dedent("""
            if not os.path.exists("again"):
                open("again", "w").close()
                sys.exit(3)
        """))
        self.run_node("run", self.burning(more="[log]\ncosts = true\n[failure]\nmax_failures = 1",
                                          work="0.2", program="fails.py"))

        first, second = self.costs()
        ((last,),) = self.rows("SELECT json_extract(metrics, '$.\"tune/cpu_s\"') FROM results"
                               " ORDER BY seq DESC LIMIT 1")
        self.assertGreater(last, first["cpu_s"] + 0.5)
        self.assertLess(last, first["cpu_s"] + second["cpu_s"] + 0.1)

    def test_keep_what_a_trial_reports_itself(self):
        own = BURNS.replace('{"loss"', '{"tune/cpu_s": 1000 + step, "loss"')
        (self.directory / "burns.py").write_text(own)
        self.run_node("run", self.burning("metric = tune/cpu_s:max", work="0.05"))

        best = self.run_node("status", "results/costs", "-o", "json").json()["best"]
        self.assertEqual(best["metrics"]["tune/cpu_s"], 1002)

    def test_of_all_ranks_are_in_the_reports_and_at_the_end(self):
        # Rank 1 burns as long as rank 0 sees less than that in its own reports.
        (self.directory / "ranked.py").write_text(textwrap.dedent("""
            import json, os, sys, time
            if os.environ["RANK"] == "1":
                held = bytearray(48 << 20)
                for i in range(0, len(held), 4096):
                    held[i] = 1
                while True:
                    pass
            out, into = os.fdopen(3, "w"), os.fdopen(4)
            for step in range(100000):
                time.sleep(0.02)
                out.write(json.dumps({"metrics": {"loss": 1, "own": time.process_time()}}) + "\\n")
                out.flush()
                if json.loads(into.readline()).get("decision") == "stop":
                    break
        """))

        self.run_node("run", self.burning(
            program="ranked.py", work="1",
            more="ranks = 2\n[stop]\nwhen = tune/cpu_s >= 2\n[cluster]\ncpus = 4"))

        (told,) = self.costs()
        ((last,),) = self.rows("SELECT metrics FROM results ORDER BY seq DESC LIMIT 1")
        last = json.loads(last)
        self.assertGreaterEqual(last["tune/cpu_s"], 2)
        self.assertLess(last["own"], 1)
        self.assertNotIn("tune/costs", last)
        self.assertGreaterEqual(told["cpu_s"], last["tune/cpu_s"])
        # A Python that does nothing has some megabytes, too.
        self.assertGreater(told["peak_rss_bytes"], 64 << 20)
        self.assertGreater(last["tune/peak_rss_bytes"], 64 << 20)

    def test_of_a_database_that_knows_none(self):
        self.run_node("run", self.burning(work="0.05"))
        with sqlite3.connect(self.directory / "results" / "costs" / "experiment.db") as base:
            base.execute("DROP VIEW attempts")
            base.execute("ALTER TABLE t_attempts DROP COLUMN costs")
            base.execute("CREATE VIEW attempts AS SELECT trial FROM t_attempts")

        why = self.run_node("trials", "results/costs", "--why", "0", "-o", "json").json()
        self.assertIsNone(why["attempts"][0]["costs"])
        self.run_node("resume", "results/costs", "--add", '{"work": 0.05}')
        self.assertEqual(len(self.rows("SELECT costs FROM attempts WHERE costs IS NOT NULL")), 1)


if __name__ == "__main__":
    main()
