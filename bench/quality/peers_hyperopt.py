# SPDX-License-Identifier: BSD-3-Clause
"""Hyperopt's TPE, asked and told one trial at a time, for peers.py."""

import math

import hyperopt
import numpy
from hyperopt.pyll.base import scope


def number_of(x):
    """Numbers with steps are counted from their lower bound, unlike in hyperopt's own steps."""
    name, low, high, step = x["name"], x["low"], x["high"], x["step"]
    if x["log"]:
        if x["kind"] == "int":
            # Each integer has the interval that rounds to it.
            rounded = hyperopt.hp.qloguniform(name, math.log(low - 0.5), math.log(high + 0.5), 1)
            return scope.int(rounded)
        return hyperopt.hp.loguniform(name, math.log(low), math.log(high))
    if step:
        return low + step * hyperopt.hp.uniformint(name, 0, round((high - low) / step))
    return hyperopt.hp.uniform(name, low, high)


def node_of(x, problem):
    """A choice holds the parameters that depend on it, option by option."""
    if x["kind"] != "choice":
        return number_of(x)
    children = [y for y in problem["parameters"] if x["name"] in y.get("when", {})]
    nodes = {y["name"]: node_of(y, problem) for y in children}
    branches = []
    for option in x["options"]:
        there = {y["name"]: nodes[y["name"]] for y in children if option in y["when"][x["name"]]}
        branches.append({"": option, **there})
    return hyperopt.hp.choice(x["name"], branches)


def space_of(problem):
    """
    :raises ValueError: A parameter depends on two others, which a tree of choices cannot express.
    """
    if any(len(x.get("when", {})) > 1 for x in problem["parameters"]):
        raise ValueError("%s has parameters with two conditions" % problem["name"])
    return {x["name"]: node_of(x, problem) for x in problem["parameters"] if "when" not in x}


def flat(values, problem):
    """The configuration without nesting, its numbers clipped to their bounds."""
    bounds = {x["name"]: x for x in problem["parameters"]}
    made = {}
    for name, value in values.items():
        if isinstance(value, dict):
            made[name] = value[""]
            made.update(flat({k: v for k, v in value.items() if k}, problem))
        else:
            x = bounds[name]
            value = min(x["high"], max(x["low"], value))
            made[name] = int(value) if x["kind"] == "int" else float(value)
    return made


class Session:
    """One run of `hyperopt.tpe.suggest` with its defaults."""

    def __init__(self, problem, seed):
        self.problem = problem
        self.space = space_of(problem)
        self.domain = hyperopt.base.Domain(lambda _: 0.0, self.space)
        self.trials = hyperopt.Trials()
        self.chance = numpy.random.default_rng(seed)

    def ask(self):
        ids = self.trials.new_trial_ids(1)
        self.trials.refresh()
        seed = int(self.chance.integers(2**31 - 1))
        self.trials.insert_trial_docs(hyperopt.tpe.suggest(ids, self.domain, self.trials, seed))
        self.trials.refresh()
        drawn = self.trials.trials[-1]["misc"]["vals"]
        chosen = {name: found[0] for name, found in drawn.items() if found}
        return flat(hyperopt.space_eval(self.space, chosen), self.problem)

    def tell(self, value):
        """`None` means that the trial failed."""
        ok = {"status": hyperopt.STATUS_OK, "loss": value}
        last = self.trials._dynamic_trials[-1]
        last["result"] = {"status": hyperopt.STATUS_FAIL} if value is None else ok
        last["state"] = hyperopt.JOB_STATE_DONE
        self.trials.refresh()
