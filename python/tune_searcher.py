# SPDX-License-Identifier: BSD-3-Clause
"""Writes a searcher for tune-node in Python: it is asked for configurations and told of results.

One file, standard library only, Python 3.7 or later: put it beside your script, or on PYTHONPATH.

    import tune_searcher

    class Mine:
        def __init__(self, begin):          # what is known before: see docs/searcher-protocol.md
            self.space = tune_searcher.Space(begin["space"])
            self.seed = begin["seed"]

        def suggest(self, id):              # a configuration, tune_searcher.WAIT or .NONE
            chance = tune_searcher.chance(self.seed, id)
            return self.space.draw(lambda p: tune_searcher.drawn(p, chance))

        def complete(self, trial, status, iteration, metrics, config, violations):
            ...

    tune_searcher.serve(Mine)

with, in its INI file,

    [search]
    type = external
    command = python3 ./mine.py

What the class has no method for it is not told. While `serve` runs, print writes to stderr, which
tune-node keeps in search.log of the experiment's directory.

A searcher that is to go on after a kill as if nothing had been must suggest by what it was told
alone, in whatever order, and by chance that follows from the seed and the question's number.
"""
import json
import math
import os
import random
import sys

__all__ = [
    "NONE", "WAIT", "Space", "chance", "computed", "decides", "drawn", "number", "ranged", "serve",
]

VERSION = 1
# Answers of `suggest`: nothing now, but later; nothing any more.
WAIT = {"wait": True}
NONE = {"none": True}


def serve(make, lines=None, out=None):
    """Answers until tune-node says that the run is over, or is gone.

    make     Called with the first message; returns the searcher. What it raises refuses the
             experiment, with its text.
    lines    Where messages come from, instead of stdin; out: where answers go, instead of stdout.
    """
    if out is None:
        out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # print must not speak the protocol

    def say(what):
        out.write(json.dumps(what) + "\n")
        out.flush()

    searcher = None
    for line in sys.stdin if lines is None else lines:
        message = json.loads(line)
        kind = message.pop("type")
        if kind == "begin":
            try:
                searcher = make(message)
            except Exception as why:  # whatever it is, tune-node shows it
                say({"error": "%s: %s" % (type(why).__name__, why)})
                raise
            say({"tune": VERSION})
        elif kind == "suggest":
            found = searcher.suggest(message["id"])
            said = found if found is WAIT or found is NONE else {"config": found}
            say(dict(said, id=message["id"]))
        elif kind == "end":
            break
        else:
            _tell(searcher, kind, message)
    getattr(searcher, "end", lambda: None)()


def _tell(searcher, kind, message):
    """Hands a message on, if the searcher wants to know of its kind."""
    hear = getattr(searcher, kind, None)
    if hear is None:
        return
    if kind in ("result", "complete"):
        for name in ("iteration", "metrics", "config", "violations"):
            message.setdefault(name, None)
    if kind == "suggested":
        for name in ("trial", "config"):
            message.setdefault(name, None)
        message.pop("wait", None)
        message.pop("none", None)
    hear(**message)


def chance(seed, number):
    """A generator that follows from the experiment's seed and a number, and from nothing else."""
    return random.Random("%d %d" % (seed, number))


def number(x):
    """A metric as a float: "inf" and "-inf" are texts in JSON; None where there is no number."""
    return None if x is None else float(x)


class Space:
    """The parameters of `begin`, in their order."""

    def __init__(self, described):
        self.parameters = list(described)

    def draw(self, choose):
        """A configuration: asks choose(parameter) for the value of each that is active.

        A condition or a bound may name a parameter that stands after its own: those come first.
        A parameter whose range depends on others is given with the range that holds here.
        """
        config = {}
        left = [p for p in self.parameters if p["type"] != "constant"]
        known = {p["name"]: p["value"] for p in self.parameters if p["type"] == "constant"}
        absent = set()
        while left:
            ready = [p for p in left if not _reads(p) - set(known) - absent]
            for p in ready:
                left.remove(p)
                if "if" in p and decides(p["if"], known) is not True:
                    absent.add(p["name"])
                else:
                    known[p["name"]] = config[p["name"]] = choose(ranged(p, known))
        return config


def ranged(parameter, known):
    """The parameter with the `low` and `high` that hold for what is known of the others.

    Itself where it has no `bounds`. Raises ValueError where the range is empty.
    """
    if "bounds" not in parameter:
        return parameter
    low, high = (computed(parameter["bounds"][end], known) for end in ("low", "high"))
    whole, step = parameter["type"] == "int", parameter.get("step", 0)
    if low is not None and high is not None and low <= high:
        if step > 1 or (step and not whole):
            low, high = math.ceil(_cleaned(low / step)), math.floor(_cleaned(high / step))
        elif whole:  # the upper bound is excluded, but where both are equal
            low, high = _cleaned(low), _cleaned(high)
            met = low == high == math.ceil(low)
            low, high = math.ceil(low), math.ceil(high) - (0 if met else 1)
        if low <= high and not (parameter["log"] and low <= 0):
            times = step if step and (step > 1 or not whole) else 1
            return dict(parameter, low=low * times, high=high * times)
    raise ValueError("%s: %s is empty here" % (parameter["name"], parameter.get("text")))


def _cleaned(x):
    """What is meant: a third of 9 is no whole number as a float."""
    nearest = math.floor(x + 0.5)
    return nearest if abs(x - nearest) <= 1e-9 * max(1, abs(x)) else x


def _reads(parameter):
    """The parameters that a condition and bounds read."""
    bounds = parameter.get("bounds", {})
    return _names(parameter.get("if")).union(*map(_names_in_sum, bounds.values()))


def _names_in_sum(tree):
    if not isinstance(tree, dict):
        return set()
    if "with" in tree:
        return set().union(*map(_names_in_sum, tree["with"]))
    return {tree.get("name") or tree["len"]}


def _rounded(x):
    """Half away from zero."""
    return math.copysign(math.floor(abs(x) + 0.5), x)


_SUMS = {
    "+": lambda a, b: a + b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "-": lambda a, *b: a - b[0] if b else -a, "%": lambda a, b: a % b, "**": math.pow,
    "abs": abs, "ceil": math.ceil, "exp": math.exp, "floor": math.floor, "log": math.log,
    "log2": math.log2, "log10": math.log10, "max": lambda *xs: max(xs), "min": lambda *xs: min(xs),
    "round": _rounded, "sqrt": math.sqrt,
}


def computed(tree, known):
    """The number of a bound: None where a parameter is absent, or where there is none."""
    if not isinstance(tree, dict):
        return float(tree)
    if "with" not in tree:
        x = known.get(tree.get("name") or tree["len"])
        if "len" in tree:
            return float(len(x)) if isinstance(x, list) else None
        return float(x) if isinstance(x, (int, float)) else None
    parts = [computed(each, known) for each in tree["with"]]
    if None in parts:
        return None
    try:
        x = float(_SUMS[tree["of"]](*parts))
    except (ArithmeticError, ValueError):
        return None
    return x if math.isfinite(x) else None


def _names(tree):
    """The parameters that a condition reads."""
    if tree is None:
        return set()
    if "name" in tree:
        return {tree["name"]}
    parts = tree.get("and") or tree.get("or") or [tree["not"]]
    return set().union(*map(_names, parts))


def decides(tree, known):
    """Whether a condition holds: None where absent parameters leave it open."""
    if "and" in tree or "or" in tree:
        wanted = "or" in tree
        parts = [decides(each, known) for each in tree.get("and") or tree["or"]]
        if wanted in parts:
            return wanted
        return None if None in parts else not wanted
    if "not" in tree:
        inner = decides(tree["not"], known)
        return None if inner is None else not inner
    if tree["name"] not in known:
        return None
    left = known[tree["name"]]
    if "in" in tree:
        return any(_equal(left, each) for each in tree["in"])
    return _compare(left, tree["is"], tree["value"])


def _is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def _equal(a, b):
    """Numbers equal numbers; values of different kinds are unequal: 1 is not true."""
    if _is_number(a) and _is_number(b):
        return a == b
    return type(a) is type(b) and a == b


def _compare(a, how, b):
    if how in ("==", "!="):
        return _equal(a, b) == (how == "==")
    if not (_is_number(a) and _is_number(b)) and not (isinstance(a, str) and isinstance(b, str)):
        return False
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[how]


def drawn(parameter, chance):
    """A value of the parameter, by a generator of the kind of random.Random."""
    kind = parameter["type"]
    if kind == "choice":
        return parameter["values"][chance.randrange(len(parameter["values"]))]
    if kind == "permutation":
        return chance.sample(parameter["items"], len(parameter["items"]))
    if kind == "subset":
        return [x for x in parameter["items"] if chance.random() < 0.5]
    if kind == "normal":
        return _stepped(chance.gauss(parameter["mean"], parameter["sd"]), parameter)
    low, high = parameter["low"], parameter["high"]
    if not parameter["log"]:
        if kind == "int":
            return low + parameter["step"] * chance.randrange((high - low) // parameter["step"] + 1)
        return _stepped(chance.uniform(low, high), parameter)
    top = high + 1 if kind == "int" else high
    x = math.exp(chance.uniform(math.log(low), math.log(top)))
    return _stepped(min(max(x, low), high), parameter)


def _stepped(x, parameter):
    """The nearest multiple of the parameter's step; of integers that below."""
    step = parameter.get("step")
    if parameter["type"] == "int":
        return max(parameter["low"], int(x) // step * step)
    return round(x / step) * step if step else x
