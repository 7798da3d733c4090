# SPDX-License-Identifier: BSD-3-Clause
"""What sinks and exports write, read by those for whom it is written: TensorBoard, Optuna 4 and 5, MLflow
and OpenTelemetry from PyPI, in environments of the test's own. Skipped, with the reason, where they
cannot be had."""
import contextlib
import json
import math
import os
import re
import socket
import subprocess
import time
import urllib.request

from e2e import ROOT, main
from sink_case import Collector, SinkCase, venv_with

TENSORBOARD = """
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2 as plugin
import pathlib
result = {}
for run in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if not run.is_dir():
        run = run.parent
    events = EventAccumulator(str(run), size_guidance={"scalars": 0}).Reload()
    scalars = {t: [(x.step, x.wall_time, x.value) for x in events.Scalars(t)]
               for t in events.Tags()["scalars"]}
    name = "." if run == pathlib.Path(sys.argv[1]) else run.name
    data = {}
    for tag, content in events.summary_metadata.items():
        if content.plugin_data.plugin_name == "hparams":
            data[tag] = plugin.HParamsPluginData.FromString(content.plugin_data.content)
    start = data.get("_hparams_/session_start_info")
    end = data.get("_hparams_/session_end_info")
    def plain(v):
        return getattr(v, v.WhichOneof("kind"))
    result[name] = {
        "scalars": scalars,
        "hparams": {k: plain(v) for k, v in start.session_start_info.hparams.items()} if start else None,
        "status": end.session_end_info.status if end else None,
        "infos": sorted(x.name for x in data["_hparams_/experiment"].experiment.hparam_infos)
        if "_hparams_/experiment" in data else None,
    }
print(json.dumps(result))
"""

HPARAMS = """
import json, sys
from tensorboard.backend.event_processing import plugin_event_multiplexer, data_provider
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import backend_context, list_session_groups, api_pb2
from tensorboard import context
many = plugin_event_multiplexer.EventMultiplexer().AddRunsFromDirectory(sys.argv[1]).Reload()
provider = data_provider.MultiplexerDataProvider(many, sys.argv[1])
tb = base_plugin.TBContext(data_provider=provider)
back = backend_context.Context(tb)
ctx = context.RequestContext()
request = api_pb2.ListSessionGroupsRequest(
    start_index=0, slice_size=100, allowed_statuses=[1, 2, 3, 0])
answer = list_session_groups.Handler(ctx, back, "x", request).run()
print(json.dumps({"groups": len(answer.session_groups),
                  "hparams": [dict((k, str(v)) for k, v in g.hparams.items())
                              for g in answer.session_groups],
                  "metrics": [[(m.name.tag, m.value, m.training_step) for m in g.metric_values]
                              for g in answer.session_groups]}))
"""

OPTUNA = """
import json, math, sys, warnings
warnings.simplefilter("error", UserWarning)
import optuna
study = optuna.load_study(study_name="x", storage="sqlite:///" + sys.argv[1])
def plain(x):
    return str(x) if isinstance(x, float) and not math.isfinite(x) else x
trials = [{
    "number": t.number, "state": t.state.name,
    "values": None if t.values is None else [plain(v) for v in t.values],
    "params": t.params, "distributions": {k: str(v) for k, v in t.distributions.items()},
    "intermediate": {k: plain(v) for k, v in t.intermediate_values.items()},
    "start": t.datetime_start and t.datetime_start.timestamp(),
    "complete": t.datetime_complete and t.datetime_complete.timestamp(),
    "attrs": t.user_attrs, "constraints": t.system_attrs.get("constraints"),
} for t in study.get_trials()]
for t in study.get_trials():
    for name, distribution in t.distributions.items():
        assert distribution._contains(distribution.to_internal_repr(t.params[name])), (name, t.params)
    if t.state.is_finished():
        t._validate()
result = {"directions": [d.name for d in study.directions], "trials": trials,
          "names": study.metric_names, "version": optuna.__version__}
if len(study.directions) == 1:
    with_best = [t for t in trials if t["state"] == "COMPLETE"]
    result["best"] = study.best_trial.number if with_best else None
else:
    result["front"] = sorted(t.number for t in study.best_trials)
if len(sys.argv) > 2:
    from optuna.visualization import (plot_intermediate_values, plot_optimization_history,
                                      plot_parallel_coordinate, plot_slice)
    plots = [plot_optimization_history, plot_intermediate_values, plot_slice,
             plot_parallel_coordinate]
    result["plots"] = [len(plot(study).data) for plot in plots]
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
    # One alone says nothing of what mattered: how many are complete goes by who reported first.
    if sum(t.state.name == "COMPLETE" for t in study.trials) > 1:
        result["importance"] = get_param_importances(study, params=["lr", "mixed"])
    # It can be gone on with, too.
    study.enqueue_trial({"lr": 0.5})
    study.optimize(lambda t: t.suggest_float("lr", 1e-4, 1, log=True), n_trials=1)
print(json.dumps(result))
"""

MLFLOW = """
import json, sys
from mlflow.tracking import MlflowClient
client = MlflowClient(sys.argv[1])
experiment = client.get_experiment_by_name(sys.argv[2])
runs = []
page = None
while True:
    some = client.search_runs([experiment.experiment_id], max_results=100, page_token=page)
    runs += list(some)
    page = some.token
    if not page:
        break
print(json.dumps([{
    "id": r.info.run_id, "name": r.info.run_name, "status": r.info.status,
    "start": r.info.start_time, "end": r.info.end_time,
    "params": r.data.params, "tags": r.data.tags,
    "loss": sorted((m.step, m.value, m.timestamp)
                   for m in client.get_metric_history(r.info.run_id, "loss")),
    "metrics": {k: str(v) for k, v in r.data.metrics.items()},
} for r in runs]))
"""

OTLP = """
import base64, json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
count = 0
for text in json.load(open(sys.argv[1])):
    # Ids are hex in OTLP's JSON, and base64 in that of Protocol Buffers.
    for resource in text["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        raw = bytes.fromhex(span[name])
                        assert len(raw) == (16 if name == "traceId" else 8)
                        span[name] = base64.b64encode(raw).decode()
    request = json_format.ParseDict(text, ExportTraceServiceRequest(), ignore_unknown_fields=False)
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            count += len(scope.spans)
print(count)
"""


def number_of(x):
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.get(x, x)


class Tensorboard(SinkCase):
    def check(self, folder, python):
        found = self.reader(python, TENSORBOARD, folder)
        trials = self.trials()
        self.assertEqual(sorted(found), ["."] + ["%05d" % x["trial"] for x in trials])
        for trial in trials:
            run = found["%05d" % trial["trial"]]
            reports = [x for x in self.results() if x["trial"] == trial["trial"]]
            for tag, of in (("loss", lambda m: m["loss"]), ("val/acc", lambda m: m["val/acc"]),
                            ("nested/deep/x", lambda m: m["nested"]["deep"]["x"]),
                            ("größe °", lambda m: m["größe °"])):
                read = run["scalars"][tag]
                self.assertEqual([x[0] for x in read], [x["training_iteration"] for x in reports])
                for (_, wall, value), report in zip(read, reports):
                    self.assertAlmostEqual(value, of(report["metrics"]), places=5)
                    self.assertAlmostEqual(wall, report["timestamp_ms"] / 1000, places=3)
            self.assertTrue(math.isnan(run["scalars"]["odd"][0][2]))
            self.assertEqual(run["scalars"]["odd"][1][2], -math.inf)
            self.assertEqual(run["status"], 1)
            self.assertAlmostEqual(run["hparams"]["lr"], trial["config"]["lr"])
            self.assertEqual(run["hparams"]["flag"], trial["config"]["flag"])
            self.assertEqual(json.loads(run["hparams"]["order"]), trial["config"]["order"])
            self.assertEqual("momentum" in run["hparams"], trial["config"]["flag"])
        self.assertIn("optimizer.name", found["."]["infos"])
        groups = self.reader(python, HPARAMS, folder)
        self.assertEqual(groups["groups"], len(trials))
        last = {x["trial"]: x["metrics"]["loss"] for x in self.results()}
        told = sorted(value for group in groups["metrics"] for tag, value, _ in group if tag == "loss")
        for x, y in zip(told, sorted(last.values())):
            self.assertAlmostEqual(x, y, places=5)

    def test_reads_sink_and_export(self):
        python = venv_with("tensorboard", "tensorboard>=2.18,<3", "setuptools<81")
        self.run_node("run", self.sink_experiment("tensorboard = on"), "-q")
        self.check(self.place("sinks", "tensorboard"), python)

        self.run_node("export", "results/x", "--format", "tensorboard", "--to", "tb")

        self.check(self.directory / "tb", python)


class Optuna(SinkCase):
    def optuna(self, version, file="x.optuna.db", *more):
        name = "optuna%d" % version
        python = venv_with(name, "optuna>=%d,<%d" % (version, version + 1), "plotly", "scikit-learn")
        return self.reader(python, OPTUNA, file, *more)

    def check(self, found):
        trials = self.trials()
        self.assertEqual([x["number"] for x in found["trials"]], [x["trial"] for x in trials])
        for x, trial in zip(found["trials"], trials):
            config = trial["best_config"] or trial["config"]
            for name in ("lr", "step", "units", "even", "mixed", "flag", "noise", "fixed", "inner"):
                self.assertEqual(x["params"][name], config[name], name)
            self.assertEqual(x["params"]["optimizer.name"], config["optimizer"]["name"])
            self.assertEqual("momentum" in x["params"], "momentum" in config)
            for place, item in enumerate(config["order"]):
                self.assertEqual(x["params"]["order[%s]" % item], place + 1)
            for item in ("flip", "crop", "=cmd"):
                self.assertEqual(x["params"]["parts[%s]" % item], item in config["parts"])
            reports = {
                str(r["training_iteration"]): r["metrics"]["loss"]
                for r in self.results() if r["trial"] == trial["trial"]
            }
            self.assertEqual(x["intermediate"], reports)
            if x["values"]:
                self.assertEqual(x["values"], [trial["best_metrics"]["loss"]])
            if x["complete"]:
                self.assertLess(abs(x["complete"] - time.time()), 600)
                self.assertLessEqual(x["start"], x["complete"])
        best = self.run_node("trials", "results/x", "--sort", "objective", "--limit", 1, "-o", "json")
        self.assertEqual(found["best"], int(best.json()[0]["trial"]))

    def test_reads_pruned_and_complete_trials_in_both_versions(self):
        self.run_node(
            "run",
            self.sink_experiment(
                "jsonl = off", samples=12, iterations=8,
                more="[scheduler]\ntype = asha\ngrace_period = 2\nmax_t = 8\nreduction_factor = 2",
            ), "-q",
        )
        self.run_node("export", "results/x", "--format", "optuna")

        four, five = self.optuna(4), self.optuna(5, "x.optuna.db", "plots")

        self.check(four)
        self.check(five)
        stopped = {
            x["trial"] for x in self.rows(
                "SELECT trial FROM decisions WHERE action = 'stop'"
                " AND json_extract(reason, '$.rule') = 'asha'"
                " AND json_extract(reason, '$.max_t') IS NULL"
            )
        }
        states = {x["number"]: x["state"] for x in five["trials"]}
        self.assertGreater(len(stopped), 0)
        for number, state in states.items():
            pruned = number in stopped and number != five["best"]
            self.assertEqual(state, "PRUNED" if pruned else "COMPLETE", number)
        self.assertEqual(five["directions"], ["MINIMIZE"])
        self.assertEqual(five["names"], ["loss"])
        self.assertTrue(all(five["plots"]))
        if sum(x == "COMPLETE" for x in states.values()) > 1:
            self.assertEqual(set(five["importance"]), {"lr", "mixed"})

    def test_reads_failures_constraints_and_fronts(self):
        path = self.ini(
            "[experiment]\nmetric = loss:min, speed:max\nnum_samples = 8\n"
            "constraints = memory <= 6\n"
            "[trainable]\ncommand = sh -c 'test {x} != 3 && echo loss={x} speed={y} memory={z}'\n"
            "metric.loss = loss={number}\nmetric.speed = speed={number}\nmetric.memory = memory={number}\n"
            "[space]\nx = randint(0, 9)\ny = randint(0, 9)\nz = randint(0, 9)\n[search]\ntype = random\n"
            "points = [{\"x\": 3, \"y\": 1, \"z\": 1}, {\"x\": 1, \"y\": 8, \"z\": 8}, "
            "{\"x\": 2, \"y\": 5, \"z\": 2}]\n"
        )
        self.run_node("run", path, "-q", code=None)
        self.run_node("export", "results/x", "--format", "optuna")

        found = self.optuna(5)

        self.assertEqual(found["directions"], ["MINIMIZE", "MAXIMIZE"])
        front = self.run_node("trials", "results/x", "--pareto", "-o", "json").json()
        self.assertEqual(found["front"], sorted(int(x["trial"]) for x in front))
        for x, trial in zip(found["trials"], self.trials()):
            self.assertEqual(x["state"] == "FAIL", trial["status"] == "ERRORED")
            if trial["best_metrics"]:
                self.assertEqual(x["constraints"], [trial["best_metrics"]["memory"] - 6])

    def test_reads_an_experiment_that_runs(self):
        path = self.sink_experiment("jsonl = off", samples=4, iterations=400)
        path.write_text(path.read_text().replace("sink_trial.py 400", "sink_trial.py 400 0.05"))
        child = self.start("run", path, "-q")
        self.wait_until(lambda: len(self.rows_if_any("SELECT seq FROM results")) > 8, child, "reports")

        self.run_node("export", "results/x", "--format", "optuna")

        states = [x["state"] for x in self.optuna(5)["trials"]]
        self.assertIn("RUNNING", states)
        child.terminate()
        self.finish(child, None)

    def test_leaves_files_alone_that_are_there(self):
        self.run_node("run", self.sink_experiment("jsonl = off", samples=1), "-q")
        (self.directory / "y").write_text("mine")

        done = self.run_node("export", "results/x", "--format", "optuna", "--to", "y", code=None)

        self.assertNotEqual(done.code, 0)
        self.assertIn("is there already", done.err)
        self.assertEqual((self.directory / "y").read_text(), "mine")


class Mlflow(SinkCase):
    def choose_port(self):
        """Where a tracking server will be: it is slow to begin."""
        self.python = venv_with("mlflow", "mlflow>=3,<4")
        with contextlib.closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = "http://127.0.0.1:%d" % self.port

    def start_server(self):
        """A tracking server over SQLite."""
        log = open(self.directory / "mlflow.log", "ab")
        self.addCleanup(log.close)
        server = subprocess.Popen(
            [self.python, "-m", "mlflow", "server", "--backend-store-uri",
             "sqlite:///%s/mlflow.db" % self.directory, "--port", str(self.port), "--workers", "1"],
            stdout=log, stderr=log, cwd=self.directory, start_new_session=True,
            env=dict(os.environ, MLFLOW_DISABLE_TELEMETRY="true", no_proxy="127.0.0.1"),
        )

        def put_away():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, 9)
            server.wait()

        self.addCleanup(put_away)

        def answers():
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with contextlib.suppress(OSError):
                return opener.open(self.url + "/health", timeout=2).status == 200
            return False

        self.wait_until(answers, server, "the tracking server")

    def finish(self, child, code=0):
        if isinstance(child, subprocess.Popen) and child.stdout is None:
            self.fail((self.directory / "mlflow.log").read_text()[-3000:])
        return super().finish(child, code)

    def check(self, runs):
        trials = self.trials()
        parents = [x for x in runs if x["tags"].get("tune.kind") == "experiment"]
        self.assertEqual(len(parents), 1)
        self.assertEqual(parents[0]["status"], "FINISHED")
        below = {int(x["tags"]["tune.trial"]): x for x in runs if "tune.trial" in x["tags"]}
        self.assertEqual(len(runs), len(trials) + 1)
        for trial in trials:
            run = below[trial["trial"]]
            self.assertEqual(run["tags"]["mlflow.parentRunId"], parents[0]["id"])
            self.assertEqual(run["status"], "FINISHED")
            reports = [x for x in self.results() if x["trial"] == trial["trial"]]
            self.assertEqual(
                [tuple(x) for x in run["loss"]],
                [(x["training_iteration"], x["metrics"]["loss"], x["timestamp_ms"]) for x in reports],
            )
            self.assertEqual(float(run["params"]["lr"]), trial["config"]["lr"])
            self.assertEqual(run["params"]["optimizer.name"], trial["config"]["optimizer"]["name"])
            self.assertEqual(json.loads(run["params"]["order"]), trial["config"]["order"])
            self.assertEqual(float(run["metrics"]["best/loss"]), trial["best_metrics"]["loss"])
            self.assertGreaterEqual(run["end"], run["start"])
        best = min(below, key=lambda x: float(below[x]["metrics"]["best/loss"]))
        ours = self.run_node("trials", "results/x", "--sort", "objective", "--limit", 1, "-o", "json")
        self.assertEqual(best, int(ours.json()[0]["trial"]))

    def test_reads_what_came_late_and_what_came_twice(self):
        self.choose_port()
        # It is away while the trials run, and back when the experiment is resumed.
        path = self.sink_experiment("mlflow = %s\nfinish_timeout = 1" % self.url, samples=3)
        done = self.run_node("run", path)
        self.assertIn("the sink mlflow waits", done.err)
        self.start_server()
        self.run_node("run", path, "-q", "--resume", "--experiment.num_samples", 5,
                      "--sinks.finish_timeout", 120)
        self.check(self.reader(self.python, MLFLOW, self.url, "x"))

        # An export finds the runs that are there, and adds none.
        self.run_node("export", "results/x", "--format", "mlflow", "--url", self.url)
        self.check(self.reader(self.python, MLFLOW, self.url, "x"))
        self.run_node("export", "results/x", "--format", "mlflow", "--url", self.url, "--name", "y")
        self.check(self.reader(self.python, MLFLOW, self.url, "y"))


class Scripts(SinkCase):
    def test_of_the_page_read_json_lines(self):
        python = venv_with("pandas", "pandas")
        self.run_node("run", self.sink_experiment("jsonl = on", name="sinks.ini"), "-q")
        script = re.findall("```python\n(.*?)```", (ROOT / "docs/sinks.md").read_text(), re.S)[1]

        count = self.reader(python, script + "\nprint(len(flat))")

        self.assertEqual(count, len(self.results("sinks")))
        self.assertTrue((self.directory / "reports.csv").is_file())

    def test_give_a_run_for_each_trial_to_weights_and_biases(self):
        python = venv_with("wandb", "wandb>=0.20")
        self.run_node("run", self.sink_experiment("jsonl = off", samples=3), "-q")
        self.run_node("export", "results/x", "--format", "jsonl", "--to", "lines")

        with open(self.directory / "lines") as lines:
            done = subprocess.run(
                [python, ROOT / "examples/python/wandb_hook.py"], stdin=lines, capture_output=True,
                text=True, timeout=300, cwd=self.directory,
                env=dict(os.environ, WANDB_MODE="offline", WANDB_SILENT="true"),
            )

        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        runs = list((self.directory / "wandb").glob("offline-run-*"))
        self.assertEqual(len(runs), 3)


class Otlp(SinkCase):
    def test_parses_all_spans_strictly(self):
        python = venv_with("otlp", "opentelemetry-proto>=1.27,<2")
        collector = Collector(self)
        self.run_node(
            "run", self.sink_experiment("otlp = http://127.0.0.1:%d" % collector.port, samples=3,
                                        more="[checkpoint]\nfrequency = 2"), "-q",
        )
        bodies = self.directory / "bodies.json"
        bodies.write_text(json.dumps(collector.taken()))

        spans = self.reader(python, OTLP, bodies)

        attempts = self.rows("SELECT count(*) AS n FROM attempts")[0]["n"]
        checkpoints = self.rows("SELECT count(*) AS n FROM checkpoints")[0]["n"]
        self.assertEqual(spans, 1 + 3 + attempts + checkpoints)


if __name__ == "__main__":
    main()
