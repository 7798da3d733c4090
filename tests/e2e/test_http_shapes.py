# SPDX-License-Identifier: BSD-3-Clause
"""What the API answers, beside the shapes that its description has: no member is missing, none is
beside. Checked by jsonschema, which is brought from PyPI into an environment of the test's own.
Skipped, with the reason, where it cannot be had."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from e2e import ROOT, CertifiedCase, main
from http_client import Events, Served
from test_http_schema import environment_with
from test_http_submit import archive

# Prints what does not fit. In OpenAPI 3.0 `nullable` stands for the type null.
CHECK = """import json, sys
import jsonschema

def plain(x):
    if isinstance(x, list):
        return [plain(y) for y in x]
    if not isinstance(x, dict):
        return x
    made = {k: plain(v) for k, v in x.items() if k != "nullable"}
    if x.get("nullable") is True:
        made["type"] = [x["type"], "null"]
    return made

given = json.load(sys.stdin)
components = plain(given["components"])
for what, schema, answer in given["answers"]:
    check = jsonschema.Draft202012Validator({"components": components, **plain(schema)})
    for fault in list(check.iter_errors(answer))[:3]:
        best = jsonschema.exceptions.best_match([fault])
        print(what, best.json_path, best.message[:300])
"""

CURVES = """[experiment]
name = curves
storage = results
metric = validation_loss
mode = min
num_samples = 40
seed = 1
[trainable]
kind = table
path = %s/data/curves/digits_mlp.csv
[space]
lr = loguniform(1e-4, 3)
momentum = uniform(0, 0.99)
hidden = choice(16, 32, 64)
layers = randint(1, 3)
batch = choice(16, 32, 64, 128)
weight_decay = loguniform(1e-6, 1e-1)
[search]
type = tpe
[scheduler]
type = asha
max_t = 9
grace_period = 1
""" % ROOT

POPULATION = """[experiment]
name = population
storage = results
metric = accuracy
mode = max
num_samples = 4
seed = 3
[trainable]
kind = class
name = digits_mlp
[space]
lr = loguniform(1e-4, 1)
momentum = uniform(0.5, 0.99)
hidden = 4
layers = 1
batch = 128
optimizer = choice(sgd, adam)
[scheduler]
type = pbt
time_attr = training_iteration
perturbation_interval = 1
mutate = lr
[stop]
training_iteration = 4
"""


class Shapes(Served):
    python = None

    def setUp(self):
        super().setUp()
        self.answers = []
        self.shapes = None

    def description(self):
        if self.shapes is None:
            self.shapes = self.get("/api/v1/openapi.json").json()
        return self.shapes

    def schema_of(self, pattern, method="get", status="200"):
        """What the description says of a route's answer; nothing where it is no JSON."""
        told = self.description()["paths"][pattern][method]["responses"][status]
        return told["content"].get("application/json", {}).get("schema")

    def keep(self, what, schema, answer):
        self.answers.append((what, schema, answer))

    def keep_named(self, name, answer):
        self.keep(name, {"$ref": "#/components/schemas/" + name}, answer)

    def keep_gets(self, names, trials):
        """Asks every route that answers in JSON of experiments and trials."""
        for pattern, methods in self.description()["paths"].items():
            schema = self.schema_of(pattern) if "get" in methods else None
            if schema is None:
                continue
            for name in names if "{experiment}" in pattern else [""]:
                for trial in trials if "{trial}" in pattern else [0]:
                    path = pattern.replace("{experiment}", name).replace("{trial}", str(trial))
                    told = self.get(path)
                    self.assertEqual(told.status, 200, (path, told))
                    self.keep(path, schema, told.json())

    def order(self, pattern, body=None, trial=0):
        """Gives an order of experiment x, and keeps the answer."""
        path = "/api/v1/experiments/{experiment}" + pattern
        where = path.replace("{experiment}", "x").replace("{trial}", str(trial))
        told = self.ask("POST", where, body or {})
        self.assertEqual(told.status, 200, (where, told))
        self.keep(where, self.schema_of(path, "post"), told.json())
        return told.json()

    def check(self):
        given = {"components": self.description()["components"], "answers": self.answers}
        done = subprocess.run(
            [self.python, "-c", CHECK], input=json.dumps(given), capture_output=True, text=True,
            timeout=300,
        )
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr[-2000:])


def objects_in(x):
    """All objects of a JSON value, itself among them."""
    if isinstance(x, dict):
        yield x
    for inner in x.values() if isinstance(x, dict) else x if isinstance(x, list) else []:
        yield from objects_in(inner)


class Apart(Shapes):
    """Without a head."""

    def test_every_shape_is_there_and_says_its_members(self):
        self.start_serving()
        shapes = self.description()["components"]["schemas"]
        for x in objects_in(self.description()):
            if isinstance(x.get("$ref"), str):
                self.assertIn(x["$ref"].removeprefix("#/components/schemas/"), shapes)
            if x.get("type") == "object":
                self.assertIn("additionalProperties", x)
                self.assertTrue(x["additionalProperties"] is False or x.get("description"), x)
        for pattern, methods in self.description()["paths"].items():
            for method, told in methods.items():
                content = told["responses"].get("200", {}).get("content", {})
                self.assertIn("schema", content.get("application/json", {"schema": 0}), (method, pattern))

    def test_finished_experiments(self):
        self.run_node("run", self.ini(CURVES), "--quiet")
        self.run_node(
            "run", self.ini(CURVES), "--quiet", "--experiment.name", "drawn", "--search.type", "random"
        )
        self.run_node("run", self.ini(POPULATION), "--quiet")
        for name, samples in (("moo-digits", "4"), ("repeat-digits", "3")):
            self.run_node(
                "run", ROOT / "config" / (name + ".ini"), "--experiment.storage", "results",
                "--experiment.name", name, "--experiment.num_samples", samples, "--quiet",
                "--stop.training_iteration", "2",
            )
        self.run_node("run", self.experiment("report 1 exit 3", samples=2), "--quiet", code=5)
        damaged = self.directory / "results" / "damaged"
        damaged.mkdir()
        (damaged / "experiment.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
        self.start_serving()
        self.keep_gets(["curves", "drawn", "population", "moo-digits", "repeat-digits", "x"], [0, 1])
        for x in ("time", "cost"):
            path = "/api/v1/experiments/curves/curves"
            self.keep(path, self.schema_of(path.replace("curves/", "{experiment}/", 1)),
                      self.get(path + "?which=spread&x=" + x).json())
        self.keep_named("change", json.loads(Events(self, "/api/v1/experiments/curves/events").next()["data"]))
        for path, status in (("/nobody", 404), ("/curves/trials?filter=x", 400)):
            told = self.get("/api/v1/experiments" + path)
            self.assertEqual(told.status, status)
            self.keep_named("problem", told.json())
        shapes = {schema["$ref"].split("/")[-1] for _, schema, _ in self.answers if "$ref" in schema}
        self.assertLessEqual({"experiments", "trial", "lineage", "change", "problem"}, shapes)
        self.check()
        self.answers = [("made up", self.schema_of("/version"), {"version": "1", "api": "v1", "x": 1})]
        with self.assertRaises(AssertionError, msg="nothing is checked"):
            self.check()
        # What is checked after each test is every record.
        shutil.rmtree(damaged)

    def test_a_conversation(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 4\nseed = 1\n"
            "[space]\nx = uniform(0, 1)\n[scheduler]\ntype = asha\nmax_t = 4\n"
        )
        self.server = self.start(
            "ask-tell", ini, "--http", "127.0.0.1:0", env=self.served_environment()
        )
        self.take_link(self.server.stdout.readline())
        given = self.order("/ask")
        named = {"trial": given["trial"], "attempt": given["attempt"]}
        metrics = {"training_iteration": 1, "loss": 0.5, "text": "a", "deep": {"x": [1, None]}}
        self.order("/tell", {"op": "best"})
        self.order("/tell", {"op": "report", **named, "metrics": metrics, "checkpoint": "at 1"})
        self.order("/tell", {"op": "alive", "running": [given["trial"]]})
        self.order("/tell", {"op": "best"})
        self.order("/tell", {"op": "status"})
        self.order("/tell", {"op": "error", **named, "message": "it fell"})
        again = self.order("/ask")
        self.order("/tell", {"op": "complete", "trial": again["trial"], "attempt": again["attempt"]})
        self.order("/tell", {"op": "add", "config": {"x": 0.25}})
        self.order("/trials", {"config": {"x": 0.75}})
        self.order("/trials/{trial}/stop", trial=int(self.order("/ask")["trial"]))
        self.keep_gets(["x"], [0])
        self.check()
        self.server.terminate()
        self.finish(self.server, 128 + 15)


class Orders(Shapes, CertifiedCase):
    """At a standing head, where an experiment stands among others."""

    def test_a_submitted_experiment_and_its_orders(self):
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            self.server = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", "2"),
                *("--storage", self.directory / "results", "--work", self.directory / "work"),
                *("--http", "127.0.0.1:0"), stderr=err, env=self.served_environment(),
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), self.server, "a port")
        self.take_link(log.read_text())
        body = (
            "[experiment]\nname = x\nmetric = loss\nmode = min\nnum_samples = 3\n"
            "max_concurrent_trials = 1\n[trainable]\ncommand = sh ./train.sh\n"
            "[space]\nx = uniform(0, 1)\n"
        )
        ends = self.directory / "may end"
        train = (
            "#!/bin/sh\necho '{\"tune\":1}' >&\"$TUNE_TRIAL_REPORT_FD\"\n"
            "while [ ! -e '%s' ]; do\n"
            "  echo '{\"metrics\":{\"loss\":1}}' >&\"$TUNE_TRIAL_REPORT_FD\"\n"
            "  read -r answer <&\"$TUNE_TRIAL_ANSWER_FD\" || exit 0\n"
            "  case $answer in *'\"stop\"'*) exit 0;; esac\n  sleep 0.05\ndone\n" % ends
        )
        told = self.ask(
            "POST", "/api/v1/experiments", archive({"exp.ini": body, "train.sh": train}),
            Content_Type="application/x-tar",
        )
        self.assertEqual(told.status, 200, told)
        self.keep("submit", self.schema_of("/api/v1/experiments", "post"), told.json())
        self.wait_until(
            lambda: self.get("/api/v1/experiments/x").json().get("allocation"), what="its standing"
        )
        self.wait_until(
            lambda: self.api("/x/trials", status=200)["trials"][0]["iterations"] > 0,
            what="a report",
        )
        for pattern in ("/pause", "/unpause"):
            self.order(pattern)
        self.order("/trials", {"config": {"x": 0.5}})
        self.keep_gets(["x"], [0])
        kept = [x for path, _, x in self.answers if path == "/api/v1/experiments/x"]
        self.assertIsNotNone(kept[0]["allocation"])
        self.order("/trials/{trial}/stop")
        self.order("/stop")
        ends.touch()
        self.check()
        self.server.terminate()
        self.finish(self.server)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tune-jsonschema-") as folder:
        Shapes.python = environment_with(Path(folder), "jsonschema>=4.18,<5") / "python3"
        main()
