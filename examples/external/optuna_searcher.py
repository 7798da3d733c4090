#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lets a sampler of Optuna search for tune-node (`pip install optuna`, `cmaes` for cma_es).

    [search]
    type = external
    command = python3 {ini_dir}/../examples/external/optuna_searcher.py --sampler tpe

usage: optuna_searcher.py [--sampler NAME] [--startup N]

  --sampler NAME   tpe, gp, cma_es, nsga2 or random (default: tpe)
  --startup N      configurations that tpe, gp and cma_es draw at random first (default: 10)

Several objectives are searched by tpe, nsga2, gp and random. Constraints are known to tpe, gp and
nsga2. A trial that was stopped counts as pruned with its last value; one that failed as failed.

A parameter whose range depends on others is suggested within the range that holds, as Optuna's
define-by-run does; how well a sampler learns of such ranges is its own affair.

The study lives in memory: tune-node keeps the record, and tells it again to a process that begins
anew. Each configuration is drawn by a sampler of its own, whose seed follows from the experiment's
and the question's number, so that what is suggested follows from what was told alone.
"""
import argparse
import sys
import warnings
from pathlib import Path
from statistics import NormalDist

import optuna

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))  # or beside your script
import tune_searcher  # noqa: E402

SAMPLERS = ("tpe", "gp", "cma_es", "nsga2", "random")
# These samplers keep state of a trial beyond its parameters and values, made when the trial is
# drawn. When they are told a trial again, they draw it once more.
STATEFUL = ("cma_es", "nsga2")
# Normal distributions are searched between these quantiles.
TAIL = 1e-4


def sampler_named(name, seed, startup, constrained):
    """A sampler without any knowledge yet."""
    rule = {"constraints_func": violations_of} if constrained else {}
    if name == "tpe":
        return optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=startup, multivariate=True, group=True, **rule
        )
    if name == "gp":
        return optuna.samplers.GPSampler(
            seed=seed, n_startup_trials=startup, deterministic_objective=False, **rule
        )
    if name == "cma_es":
        return optuna.samplers.CmaEsSampler(
            seed=seed, n_startup_trials=startup, warn_independent_sampling=False
        )
    if name == "nsga2":
        return optuna.samplers.NSGAIISampler(seed=seed, **rule)
    return optuna.samplers.RandomSampler(seed=seed)


def violations_of(trial):
    """The amounts by which a trial violates each constraint."""
    return trial.user_attrs.get("violations", ())


class Searcher:
    """A study in memory that follows the messages of tune-node."""

    def __init__(self, begin, name, startup):
        self.space = tune_searcher.Space(begin["space"])
        self.seed = begin["seed"]
        self.metrics = begin["metrics"]
        self.constraints = begin["constraints"]
        self.name, self.startup = name, startup
        if len(self.metrics) > 1 and name == "cma_es":
            raise ValueError("cma_es has one objective, not %d" % len(self.metrics))
        if self.constraints and name in ("cma_es", "random"):
            print("%s does not know of constraints" % name)
        directions = ["maximize" if m["mode"] == "max" else "minimize" for m in self.metrics]
        self.study = optuna.create_study(directions=directions, sampler=self.sampler(0))
        # By number of the question, and by trial.
        self.asked = {}
        self.trials = {}

    def sampler(self, number):
        seed = tune_searcher.chance(self.seed, number).getrandbits(31)
        constrained = bool(self.constraints)
        return sampler_named(self.name, seed, self.startup, constrained)

    def suggest(self, id):
        config, trial = self.drawn(id)
        self.asked[id] = (config, trial)
        return config

    def drawn(self, id):
        """The sampler's answer to a question."""
        self.study.sampler = self.sampler(id)
        return self.evaluated(self.study.ask())

    def given(self, config):
        """A trial whose configuration was chosen elsewhere."""
        self.study.sampler = optuna.samplers.RandomSampler(seed=0)
        self.study.enqueue_trial({p["name"]: self.coded(p, config) for p in self.active(config)})
        _, trial = self.evaluated(self.study.ask())
        return trial

    def active(self, config):
        return [
            p for p in self.space.parameters if p["type"] != "constant" and p["name"] in config
        ]

    def evaluated(self, trial):
        return self.space.draw(lambda p: decoded(p, suggested_by(trial, p))), trial

    def coded(self, parameter, config):
        return coded(parameter, config[parameter["name"]])

    def suggested(self, id, trial, config):
        if trial is None:
            return
        mine, made = self.asked.pop(id, (None, None))
        if made is None and self.name in STATEFUL:
            mine, made = self.drawn(id)
            if any(mine.get(p["name"]) != config[p["name"]] for p in self.active(config)):
                # Drawn by another version, or with other options.
                self.study.tell(made, state=optuna.trial.TrialState.FAIL)
                made = None
        self.trials[trial] = made or self.given(config)

    def added(self, trial, config, **_):
        self.trials[trial] = self.given(config)

    def complete(self, trial, status, iteration, metrics, violations, **_):
        made = self.trials.pop(trial, None)
        if made is None:  # tried again after its end
            return
        values = [tune_searcher.number((metrics or {}).get(m["name"])) for m in self.metrics]
        if self.constraints:
            missed = violations or ["inf"] * len(self.constraints)
            made.set_user_attr("violations", [min(float(x), 1e30) for x in missed])
        self.study.sampler = self.sampler(0)
        state = optuna.trial.TrialState.FAIL
        if None not in values and status == "finished":
            state = optuna.trial.TrialState.COMPLETE
        elif None not in values and status == "stopped" and len(values) == 1:
            state = optuna.trial.TrialState.PRUNED
            made.report(values[0], iteration)
        done = state == optuna.trial.TrialState.COMPLETE
        self.study.tell(made, values if done else None, state=state)


def suggested_by(trial, p):
    """Optuna's suggestion for a parameter, in Optuna's own terms."""
    name, kind = p["name"], p["type"]
    if kind in ("permutation", "subset"):
        sys.exit("%s: Optuna knows no %s" % (name, kind))
    if kind == "choice":
        return trial.suggest_categorical(name, list(range(len(p["values"]))))
    if kind == "normal":
        return trial.suggest_float(name, TAIL, 1 - TAIL)
    # Optuna takes no step together with a logarithm: such a parameter is suggested without its step,
    # and rounded.
    if kind == "int":
        step = 1 if p["log"] else p["step"]
        return trial.suggest_int(name, p["low"], p["high"], step=step, log=p["log"])
    step = None if p["log"] else p.get("step")
    return trial.suggest_float(name, p["low"], p["high"], step=step, log=p["log"])


def decoded(p, x):
    """The parameter's value for Optuna's suggestion."""
    if p["type"] == "choice":
        return p["values"][x]
    if p["type"] == "normal":
        x = NormalDist(p["mean"], p["sd"]).inv_cdf(x)
    if not p.get("step") or p["step"] == 1:
        return x
    x = round(x / p["step"]) * p["step"]
    return x if p["type"] == "normal" else min(max(x, p["low"]), p["high"])


def coded(p, x):
    """Optuna's suggestion that corresponds to a value."""
    if p["type"] == "choice":
        same = [i for i, each in enumerate(p["values"]) if type(each) is type(x) and each == x]
        return (same or [p["values"].index(x)])[0]
    if p["type"] == "normal":
        return min(max(NormalDist(p["mean"], p["sd"]).cdf(x), TAIL), 1 - TAIL)
    return x


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--sampler", choices=SAMPLERS, default="tpe")
    words.add_argument("--startup", type=int, default=10, metavar="N")
    given = words.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    warnings.simplefilter("ignore", FutureWarning)
    tune_searcher.serve(lambda begin: Searcher(begin, given.sampler, given.startup))


if __name__ == "__main__":
    main()
