# SPDX-License-Identifier: BSD-3-Clause
"""[sinks]: files, a hook and traces; targets that are away, slow or dead; kills and resumes; wrong values."""
import csv
import io
import json
import os
import re
import signal
import sys
import time

from e2e import ROOT, main
from http_client import Served
from sink_case import Collector, SinkCase

# Writes what it hears; begins to read when FILE is there, where one is named; ends after LINES.
HOOK = """
import os, sys, time
out, gate, lines = sys.argv[1], sys.argv[2], int(sys.argv[3])
while gate != "-" and not os.path.exists(gate):
    time.sleep(0.02)
with open(out, "ab", buffering=0) as to:
    to.write(b"begin\\n")
    while lines != 0:
        line = os.read(0, 1) if lines > 0 else sys.stdin.buffer.readline()
        if not line:
            break
        while lines > 0 and not line.endswith(b"\\n"):
            line += os.read(0, 1)
        to.write(line)
        lines -= 1
    to.write(b"end\\n")
"""


def events_in(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class Files(SinkCase):
    def assert_tells_all(self, events):
        """The lines are the record: each entry once, in order."""
        told = [x["seq"] for x in events if x["event"] == "reported"]
        self.assertEqual(told, [x["seq"] for x in self.results()])
        trials = self.trials()
        for kind in ("created", "concluded"):
            self.assertEqual(
                sorted(x["trial"] for x in events if x["event"] == kind),
                [x["trial"] for x in trials], kind,
            )
        attempts = self.rows("SELECT attempt FROM attempts ORDER BY attempt")
        for kind in ("started", "ended"):
            self.assertEqual(
                sorted(x["attempt"] for x in events if x["event"] == kind),
                sorted(x["attempt"] for x in attempts), kind,
            )
        seqs = [x["seq"] for x in events]
        self.assertEqual(seqs, sorted(seqs))

    def test_jsonl_has_every_event_once(self):
        self.run_node("run", self.sink_experiment("jsonl = on"), "-q")

        events = events_in(self.place("sinks", "events.jsonl"))

        self.assert_tells_all(events)
        self.assertEqual(events[0]["event"], "opened")
        self.assertEqual(events[0]["version"], 1)
        self.assertEqual(events[0]["objectives"], [{"metric": "loss", "mode": "min"}])
        self.assertEqual(events[-1]["event"], "finished")
        self.assertEqual(events[-1]["status"], "done")
        configs = {x["trial"]: x["config"] for x in events if x["event"] == "started"}
        self.assertEqual(configs, {x["trial"]: x["config"] for x in self.trials()})
        odd = [x["metrics"]["odd"] for x in events if "odd" in x.get("metrics", {})]
        self.assertEqual(sorted(set(odd)), ["-inf", "nan"])

    def test_csv_has_stable_columns_and_no_formulas(self):
        self.run_node("run", self.sink_experiment("csv = mine/all.csv"), "-q")

        raw = self.place("mine", "all.csv").read_bytes()
        rows = list(csv.DictReader(io.StringIO(raw.decode(), newline="")))

        results = self.results()
        self.assertEqual(len(rows), len(results))
        configs = {"%05d" % x["trial"]: x["config"] for x in self.trials()}
        for row, result in zip(rows, results):
            self.assertEqual(row["trial_id"], "%05d" % result["trial"])
            self.assertEqual(float(row["loss"]), result["metrics"]["loss"])
            self.assertEqual(float(row["config.lr"]), configs[row["trial_id"]]["lr"])
            self.assertEqual(row["nested/text"], "'=1+1")
            more = json.loads(row["other_metrics"]) if row["other_metrics"] else {}
            self.assertEqual(more.get("odd"), result["metrics"].get("odd"))
        self.assertNotIn(b"\x1b", raw)
        self.assertIn("größe °", rows[0])
        self.assertTrue(any("'=cmd" in x["config.parts"] or "=cmd" in x["config.parts"] for x in rows))
        for row in rows:
            for cell in row.values():
                # Numbers may be below 0.
                if cell[:1] in "=+@":
                    self.assertEqual(cell, "")

    def test_kills_leave_nothing_doubled_and_nothing_out(self):
        path = self.sink_experiment(
            "jsonl = on\ncsv = on\ntensorboard = on", samples=8, iterations=40, space="lr = 0.1",
            experiment="max_concurrent_trials = 2",
        )
        path.write_text(path.read_text().replace("sink_trial.py 40", "sink_trial.py 40 0.01"))
        for _ in range(3):
            child = self.start("run", path, "-q", "--resume")
            before = len(self.rows_if_any("SELECT seq FROM results"))
            self.wait_until(
                lambda: len(self.rows_if_any("SELECT seq FROM results")) >= before + 30, child,
                "30 more reports",
            )
            child.send_signal(signal.SIGKILL)
            self.finish(child, None)
        self.assert_no_trial_processes()
        # As if the kill had come while a file grew.
        for name in ("events.jsonl", "results.csv"):
            with open(self.place("sinks", name), "ab") as to:
                to.write(b'{"event":"repo')
        self.run_node("run", path, "-q", "--resume")

        self.assert_tells_all(events_in(self.place("sinks", "events.jsonl")))
        rows = list(csv.DictReader(io.StringIO(self.place("sinks", "results.csv").read_text())))
        self.assertEqual(
            [(x["trial_id"], x["attempt"], x["training_iteration"]) for x in rows],
            [("%05d" % x["trial"], x["attempt"], str(x["training_iteration"]))
             for x in self.results()],
        )

    def test_a_file_of_somebody_else_is_left_alone(self):
        other = self.directory / "other.csv"
        other.write_text("mine\n")

        done = self.run_node("run", self.sink_experiment("csv = %s" % other, samples=1))

        self.assertEqual(other.read_text(), "mine\n")
        self.assertIn("the sink csv is told no more", done.err)
        self.assertIn("is there already", done.err)

    def test_what_was_removed_is_written_again(self):
        path = self.sink_experiment("jsonl = on", samples=2)
        self.run_node("run", path, "-q")
        self.place("sinks", "events.jsonl").unlink()

        self.run_node("run", path, "-q", "--resume", "--experiment.num_samples", 3)

        self.assert_tells_all(events_in(self.place("sinks", "events.jsonl")))

    def test_a_full_disk_is_waited_for(self):
        gone = self.directory / "away"
        path = self.sink_experiment("jsonl = %s/events.jsonl\nfinish_timeout = 1" % gone, samples=2)
        # A file in the place of the directory: nothing can be written there for now.
        gone.write_text("")

        done = self.run_node("run", path)

        self.assertIn("the sink jsonl waits", done.err)
        self.assertEqual(done.err.count("the sink jsonl waits"), 1)
        self.assertIn("the sink jsonl is told no more", done.err)
        gone.unlink()
        self.run_node("run", path, "-q", "--resume", "--experiment.num_samples", 3)
        self.assert_tells_all(events_in(gone / "events.jsonl"))

    def test_ask_tell_has_sinks_too(self):
        path = self.ini(
            "[experiment]\nmetric = loss\nnum_samples = 2\n[space]\nx = uniform(0, 1)\n"
            "[sinks]\njsonl = on\n"
        )
        child = self.start("ask-tell", path, stdin=-1)
        for _ in range(2):
            child.stdin.write('{"op":"ask"}\n')
            child.stdin.flush()
            trial = json.loads(child.stdout.readline())["trial"]
            for text in (
                '{"op":"report","trial":%s,"metrics":{"loss":1}}' % json.dumps(trial),
                '{"op":"complete","trial":%s}' % json.dumps(trial),
            ):
                child.stdin.write(text + "\n")
                child.stdin.flush()
                child.stdout.readline()
        child.stdin.close()
        child.stdin = None
        self.finish(child)

        self.assert_tells_all(events_in(self.place("sinks", "events.jsonl")))


class Hooks(SinkCase):
    def hook(self, out, gate="-", lines=-1):
        script = self.directory / "hook.py"
        script.write_text(HOOK)
        return "hook = %s ./hook.py %s %s %d" % (sys.executable, out, gate, lines)

    def heard(self, out):
        return [x for x in out.read_text().splitlines() if x not in ("begin", "end")]

    def test_hears_each_event_and_is_waited_for(self):
        out = self.directory / "heard"
        done = self.run_node("run", self.sink_experiment(self.hook(out) + "\njsonl = on"))

        self.assertEqual(self.heard(out), self.place("sinks", "events.jsonl").read_text().splitlines())
        self.assertTrue(out.read_text().endswith("end\n"))
        self.assertNotIn("hook", done.err)

    def test_that_dies_is_started_again_and_misses_nothing(self):
        out = self.directory / "heard"
        done = self.run_node(
            "run", self.sink_experiment(self.hook(out, lines=20) + "\njsonl = on", samples=4)
        )

        self.assertEqual(self.heard(out), self.place("sinks", "events.jsonl").read_text().splitlines())
        self.assertGreater(out.read_text().count("begin"), 1)
        self.assertIn("the sink hook waits", done.err)

    def test_that_reads_nothing_holds_up_nobody_and_is_told_what_it_missed(self):
        out = self.directory / "heard"
        path = self.sink_experiment(
            self.hook(out, gate=self.directory / "gate") + "\nfinish_timeout = 1\njsonl = on",
            samples=3,
        )
        begin = time.monotonic()
        done = self.run_node("run", path)

        self.assertIn("the sink hook", done.err)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(len(self.trials()), 3)
        (self.directory / "gate").touch()
        self.run_node("run", path, "-q", "--resume", "--experiment.num_samples", 4,
                      "--sinks.finish_timeout", 60)
        # How an earlier run ended is no event of the record.
        written = self.place("sinks", "events.jsonl").read_text().splitlines()
        ends = [x for x in written if '"event":"finished"' in x]
        self.assertEqual(self.heard(out), [x for x in written if x not in ends[:-1]])

    def test_that_is_no_program_is_said_once(self):
        done = self.run_node(
            "run", self.sink_experiment("hook = ./nothing-there\nfinish_timeout = 0", samples=2)
        )

        self.assertIn("nothing-there", done.err)
        self.assertIn("No such file", done.err)


class Traces(SinkCase):
    def spans(self, collector):
        return [
            span
            for body in collector.taken()
            for resource in body["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]

    def test_are_sent_after_a_service_comes_back(self):
        collector = Collector(self, statuses=[503] * 7)
        done = self.run_node(
            "run", self.sink_experiment("otlp = http://127.0.0.1:%d" % collector.port, samples=3)
        )

        spans = self.spans(collector)
        names = [x["name"] for x in spans]
        self.assertEqual(names.count("experiment"), 1)
        self.assertEqual(names.count("trial"), 3)
        self.assertEqual(names.count("attempt"), 3)
        ids = {x["spanId"] for x in spans}
        self.assertEqual(len(ids), len(spans))
        for x in spans:
            self.assertTrue("parentSpanId" not in x or x["parentSpanId"] in ids)
            self.assertLessEqual(int(x["startTimeUnixNano"]), int(x["endTimeUnixNano"]))
        self.assertIn("the sink otlp waits", done.err)
        self.assertIn("the sink otlp goes on", done.err)
        self.assertEqual(collector.requests[0][1], "/v1/traces")

    def test_that_nobody_takes_cost_the_end_no_more_than_its_time(self):
        begin = time.monotonic()
        done = self.run_node(
            "run",
            self.sink_experiment("otlp = http://127.0.0.1:9\nfinish_timeout = 2", samples=2),
        )

        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(done.err.count("the sink otlp waits"), 1)
        self.assertIn("the sink otlp is told no more", done.err)
        # Also what it keeps for spans that have not ended.
        events = self.rows("SELECT max(seq) AS last FROM events")[0]["last"]
        self.assertIn("; %d events of the record were not told" % events, done.err)

    def test_what_is_owed_at_the_end_is_told_and_delivered_by_a_resume(self):
        collector = Collector(self)
        port = collector.port
        collector.close()
        lines = "otlp = http://127.0.0.1:%d\njsonl = on\nfinish_timeout = 1" % port
        ran = self.run_node("run", self.sink_experiment(lines, samples=2))
        remark = "the sink otlp has not got everything: tune-node resume"
        self.assertIn(remark, ran.out)
        self.assertIn(remark, self.run_node("status", "results/x").out)
        events = self.place("sinks", "events.jsonl").read_text()

        away = self.run_node("resume", "results/x")
        self.assertIn("the sink otlp waits", away.err)
        self.assertIn(remark, away.out)
        collector = Collector(self, port)
        back = self.run_node("resume", "results/x")
        again = self.run_node("resume", "results/x")

        self.assertIn("sinks that were behind have everything now: otlp", back.err)
        self.assertNotIn("has not got everything", back.out)
        self.assertNotIn("has not got everything", self.run_node("status", "results/x").out)
        names = [x["name"] for x in self.spans(collector)]
        self.assertEqual([names.count(x) for x in ("experiment", "trial", "attempt")], [1, 2, 2])
        # Nobody is told anything twice.
        self.assertNotIn("sinks", again.err)
        self.assertEqual(self.place("sinks", "events.jsonl").read_text(), events)

    def test_secrets_of_the_environment_are_sent_and_never_shown(self):
        collector = Collector(self)
        done = self.run_node(
            "run", self.sink_experiment("otlp = http://127.0.0.1:%d" % collector.port, samples=1),
            env=dict(os.environ, OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer s3cret"),
        )

        self.assertEqual(collector.requests[0][2]["Authorization"], "Bearer s3cret")
        self.assertNotIn("s3cret", done.err + done.out)
        for found in self.place().rglob("*"):
            if found.is_file():
                self.assertNotIn(b"s3cret", found.read_bytes(), found)


class Words(SinkCase):
    def refused(self, sinks):
        done = self.run_node("config", "check", self.sink_experiment(sinks), code=3)
        self.assertIn("x.ini:", done.err)
        return done.err

    def test_that_are_wrong_name_file_key_value_and_range(self):
        said = self.refused("mlfow = on")
        self.assertIn("mlfow: there is no such sink", said)
        self.assertIn('did you mean "mlflow"?', said)
        said = self.refused("csv = on\ncsv.fil = x")
        self.assertIn("csv.fil = x", said)
        self.assertIn('did you mean "file"?', said)
        self.assertIn("add csv = on", self.refused("csv.file = x"))
        self.assertIn("mlflow = nonsense", self.refused("mlflow = nonsense"))
        self.assertIn("must be an address such as", self.refused("otlp = ftp://x"))
        self.assertIn("must not have a user", self.refused("mlflow = http://me:pw@host"))
        self.assertIn("finish_timeout = soon", self.refused("finish_timeout = soon"))
        self.assertIn("hook", self.refused("hook = on"))

    def test_can_be_turned_off_from_outside(self):
        path = self.sink_experiment("jsonl = on\njsonl.file = a.jsonl", samples=1)

        self.run_node("run", path, "-q", "--sinks.jsonl", "off")

        self.assertFalse(self.place("a.jsonl").exists())

    def test_are_listed(self):
        told = self.run_node("list", "sinks", "-o", "json").json()

        self.assertLessEqual(
            {"tensorboard", "mlflow", "otlp", "hook", "csv", "jsonl", "s3"}, {x["name"] for x in told}
        )


def blocks(kind):
    """The examples of docs/sinks.md in this language."""
    return re.findall("```%s\n(.*?)```" % kind, (ROOT / "docs/sinks.md").read_text(), re.S)


class Page(SinkCase):
    def test_does_what_it_says(self):
        self.ini(blocks("ini")[0], "sinks.ini")
        (self.directory / "curves.csv").write_text(
            "config.lr,training_iteration,accuracy\n0.01,1,0.5\n0.01,2,0.6\n0.1,1,0.7\n0.1,2,0.9\n"
        )
        hook = self.directory / "notify.py"
        hook.write_text(blocks("python")[0])
        hook.chmod(0o755)

        for line in blocks("console")[0].splitlines():
            self.assertTrue(line.startswith("$ tune-node "), line)
            self.run_node(*line.split()[2:])

        for name in ("sinks/tensorboard", "tables/all.csv", "sinks/events.jsonl", "sinks/hook.log"):
            self.assertTrue(self.place(*name.split("/"), experiment="sinks").exists(), name)
        for name in ("sinks.optuna.db", "all.csv"):
            self.assertTrue((self.directory / name).is_file(), name)
        self.assertEqual(
            (self.directory / "all.csv").read_bytes(),
            self.place("tables", "all.csv", experiment="sinks").read_bytes(),
        )


class Numbers(Served):
    def test_for_prometheus_are_those_of_the_record(self):
        self.run_node("run", self.experiment("tune report 3", samples=2), "--quiet")
        self.start_serving()

        told = self.get("/metrics").body.decode()

        for line in ('tune_trials{experiment="x",state="terminated"} 2',
                     'tune_trials{experiment="x",state="running"} 0',
                     'tune_trial_attempts_total{experiment="x",outcome="finished"} 2',
                     'tune_results_total{experiment="x"} 2',
                     'tune_experiment_running{experiment="x"} 0'):
            self.assertIn(line + "\n", told)
        self.assertEqual(told.count("# TYPE tune_trials "), 1)
        self.assert_costs(told)

    def assert_costs(self, told):
        costs = [json.loads(x["costs"]) for x in self.rows("SELECT costs FROM attempts")]
        for name, kind, how in (("tune_cpu_seconds_total", "cpu_s", sum),
                                ("tune_storage_read_bytes_total", "read_bytes", sum),
                                ("tune_storage_written_bytes_total", "written_bytes", sum),
                                ("tune_attempt_peak_memory_bytes", "peak_rss_bytes", max)):
            (number,) = re.findall(r'^%s\{experiment="x"\} (.+)$' % name, told, re.M)
            self.assertAlmostEqual(float(number), how(x[kind] for x in costs), 5, msg=name)
            self.assertIn("# TYPE %s %s\n" % (name, "gauge" if how is max else "counter"), told)
        # Nobody had a GPU: these are missing, not 0.
        self.assertNotIn("tune_gpu_seconds_total", told)

    def test_for_prometheus_go_on_while_an_experiment_runs(self):
        gate = self.directory / "gate"
        ini = self.experiment("tune wait_for %s report 1" % gate, space="x = grid(1, 2)", more="cpus = 1")
        self.start_serving()
        child = self.start("run", ini, "--quiet")
        counts = r'tune_trial_attempts_total\{experiment="x",outcome="(\w+)"\} (\d+)'

        self.wait_until(lambda: ("running", "1") in re.findall(
            counts, self.get("/metrics").body.decode()), child)
        gate.touch()
        self.finish(child)

        told = self.get("/metrics").body.decode()
        self.assertEqual(re.findall(counts, told), [("finished", "2")])
        self.assert_costs(told)


class Crowds(SinkCase):
    def test_of_ten_thousand_trials_cost_no_trial_anything(self):
        curves = "\n".join("%d,%d,%f" % (c, i, 1 / i + c) for c in range(5) for i in (1, 2))
        (self.directory / "curves.csv").write_text("config.c,training_iteration,loss\n" + curves + "\n")
        path = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 10000\n"
            "[trainable]\nkind = table\npath = curves.csv\n[space]\nc = choice(0, 1, 2, 3, 4)\n"
            "[search]\ntype = random\n[log]\ntrial_files = false\n"
            "[sinks]\njsonl = on\ncsv = on\ntensorboard = on\nfinish_timeout = 300\n"
        )
        begin = time.monotonic()
        self.run_node("run", path, "-q")
        print("10,000 trials with three sinks: %.1f s" % (time.monotonic() - begin))

        rows = self.place("sinks", "results.csv").read_text().count("\n")
        self.assertEqual(rows, 1 + self.rows("SELECT count(*) AS n FROM results")[0]["n"])
        concluded = self.place("sinks", "events.jsonl").read_text().count('"event":"concluded"')
        self.assertEqual(concluded, 10_000)
        self.assertEqual(len(list(self.place("sinks", "tensorboard").iterdir())), 10_001)


if __name__ == "__main__":
    main()
