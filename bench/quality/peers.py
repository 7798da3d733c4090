#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs samplers of Optuna and Hyperopt on the problems of tune_quality_bench; prints the same JSON.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install optuna cmaes scipy torch optunahub
    /tmp/peers/bin/python bench/quality/peers.py build/release/bench/tune_quality_bench \\
        [--samplers tpe,gp,cmaes,auto,hyperopt] [--seeds 5] [--evaluations 200] [--problems branin,...] \\
        [--first-seed 1]

One trial at a time. Samplers have their defaults, except that TPE, which is multivariate by
default, is also grouped, as Optuna recommends for spaces with conditions, and that cmaes has margin
(cmaes_plain: without); it is run on problems of numbers without conditions alone, since it fails
where the parameters of its first trials are not those of all. `auto` is AutoSampler of OptunaHub,
which is downloaded, or read from a copy of its registry that OPTUNAHUB_REGISTRY names: where
neither is there it is left out, with a line that says so. `hyperopt` is Hyperopt's TPE (`pip install
hyperopt "setuptools<81"`). Values are told with noise where a problem has it, and judged without.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy
import optuna

CHECKPOINTS = (25, 50, 100, 200, 500, 1000)

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")


class Problems:
    """The process that serves the problems."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.all = self.ask({"op": "list"})

    def ask(self, what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if isinstance(answer, dict) and "error" in answer:
            sys.exit("%s: %s" % (json.dumps(what), answer["error"]))
        return answer

    def value(self, name, config):
        return self.ask({"problem": name, "params": config})["value"]


def suggest(trial, problem):
    """Suggests a configuration; the list has parents before their children."""
    config = {}
    for x in problem["parameters"]:
        if any(config.get(parent) not in at for parent, at in x.get("when", {}).items()):
            continue
        name = x["name"]
        if x["kind"] == "choice":
            config[name] = trial.suggest_categorical(name, x["options"])
        elif x["kind"] == "int":
            config[name] = trial.suggest_int(
                name, x["low"], x["high"], step=x["step"], log=x["log"]
            )
        else:
            step = x["step"] or None
            config[name] = trial.suggest_float(name, x["low"], x["high"], step=step, log=x["log"])
    return config


def is_numeric(problem):
    return all(x["kind"] != "choice" and "when" not in x for x in problem["parameters"])


def sampler_of(name, seed):
    samplers = optuna.samplers
    if name == "tpe":
        return samplers.TPESampler(seed=seed, multivariate=True, group=True)
    if name == "gp":
        return samplers.GPSampler(seed=seed)
    if name == "cmaes":
        return samplers.CmaEsSampler(seed=seed, with_margin=True, warn_independent_sampling=False)
    if name == "cmaes_plain":
        return samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)
    if name == "auto":
        return auto_sampler().AutoSampler(seed=seed)
    return samplers.RandomSampler(seed=seed)


def auto_sampler():
    import optunahub

    registry = os.environ.get("OPTUNAHUB_REGISTRY")
    if registry:
        return optunahub.load_local_module("samplers/auto_sampler", registry_root=registry)
    return optunahub.load_module("samplers/auto_sampler")


class Study:
    """One run of a sampler of Optuna."""

    def __init__(self, name, problem, seed):
        self.problem = problem
        self.study = optuna.create_study(sampler=sampler_of(name, seed))
        self.trial = None

    def ask(self):
        self.trial = self.study.ask()
        return suggest(self.trial, self.problem)

    def tell(self, value):
        """`None` means that the trial failed."""
        if value is None:
            self.study.tell(self.trial, state=optuna.trial.TrialState.FAIL)
        else:
            self.study.tell(self.trial, value)


def session(name, problem, seed):
    if name != "hyperopt":
        return Study(name, problem, seed)
    import peers_hyperopt

    return peers_hyperopt.Session(problem, seed)


def run(problems, problem, name, seed, evaluations):
    """The best true value after each evaluation, and the sampler's seconds of processor time."""
    by = session(name, problem, seed)
    noise = numpy.random.default_rng(seed)
    best, all_best, seconds = math.inf, [], 0.0
    for _ in range(evaluations):
        began = time.process_time()
        config = by.ask()
        seconds += time.process_time() - began
        y = problems.value(problem["name"], config)
        if y is not None:
            best = min(best, y)
            y += problem["noise"] * noise.standard_normal()
        began = time.process_time()
        by.tell(y)
        seconds += time.process_time() - began
        all_best.append(best)
    return all_best, seconds


def regret(problem, value):
    scale = problem["ten_draws"] - problem["optimum"]
    return min(10.0, max(0.0, (value - problem["optimum"]) / scale))


def summary(by_problem, problems, chosen):
    """By checkpoint: mean over problems, averaged over seeds, with its standard error."""
    made = {}
    for c, count in enumerate(CHECKPOINTS):
        rows = [by_problem[p["name"]] for p in problems if chosen(p)]
        if not rows or any(len(row[0]) <= c for row in rows):
            continue
        means = numpy.mean([[seed[c] for seed in row] for row in rows], axis=0)
        error = means.std(ddof=1) / math.sqrt(len(means)) if len(means) > 1 else 0.0
        made[str(count)] = [round(float(means.mean()), 6), round(float(error), 6)]
    return made


def measure(problems, chosen, name, seeds, evaluations):
    """`seeds` is a range. Lines on stderr show the progress, problem by problem and seed by
    seed."""
    by_problem, seconds, count = {}, 0.0, 0
    for problem in chosen:
        rows = []
        for seed in seeds:
            best, took = run(problems, problem, name, seed, evaluations)
            rows.append([regret(problem, best[n - 1]) for n in CHECKPOINTS if n <= evaluations])
            seconds += took
            count += evaluations
        by_problem[problem["name"]] = rows
        print("%s %s %s" % (name, problem["name"], rows), file=sys.stderr, flush=True)
    return {
        "seeds": len(seeds),
        "regret": summary(by_problem, chosen, lambda p: True),
        "regret_conditional": summary(by_problem, chosen, lambda p: p["conditional"]),
        "ms_per_suggestion": 1000 * seconds / count,
        "problems": {k: [float(x) for x in numpy.mean(v, axis=0)] for k, v in by_problem.items()},
        "by_seed": by_problem,
    }


def choose(problems, names):
    """The named problems in that order; with "numeric" all problems of numbers without
    conditions."""
    if not names:
        return problems
    if names == ["numeric"]:
        return [p for p in problems if is_numeric(p)]
    by_name = {p["name"]: p for p in problems}
    unknown = [x for x in names if x not in by_name]
    if unknown:
        sys.exit("no problem %s; there are: %s" % (unknown[0], ", ".join(by_name)))
    return [by_name[x] for x in names]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program")
    arguments.add_argument("--samplers", default="tpe")
    arguments.add_argument("--seeds", type=int, default=5)
    arguments.add_argument("--first-seed", type=int, default=1)
    arguments.add_argument("--evaluations", type=int, default=200)
    arguments.add_argument("--problems", default="", help="names, or: numeric")
    given = arguments.parse_args()
    problems = Problems(given.program)
    names = [x for x in given.problems.split(",") if x]
    chosen = choose(problems.all, names)
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    made = {}
    for name in given.samplers.split(","):
        try:
            session(name, chosen[0], 1)
        except Exception as error:  # any failure of a download or a missing package
            print("%s is left out: %s" % (name, error), file=sys.stderr)
            continue
        fit = [p for p in chosen if is_numeric(p) or not name.startswith("cmaes")]
        if not fit:
            print("%s is left out: none of the problems fits" % name, file=sys.stderr)
            continue
        title = "hyperopt tpe" if name == "hyperopt" else "optuna " + name
        made[title] = measure(problems, fit, name, seeds, given.evaluations)
    json.dump(made, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
