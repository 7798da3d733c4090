#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes curves/*.csv: learning curves of real trainings, on the data sets that scikit-learn ships.

    python3 -m venv /tmp/curves && /tmp/curves/bin/pip install scikit-learn
    /tmp/curves/bin/python bench/quality/make_curves.py [NAME...]

Each table holds random configurations, one per row: the parameters (empty where the configuration
has none), the seconds of processor time that one level took on average, and the loss on validation
data after each of 27 levels. Lines with # in front name the versions, the metric and the search
space. All seeds are fixed; other versions of scikit-learn may give other digits, and other machines
other times. The table digits_mlp is made of data/curves/digits_mlp.csv.
"""

import csv
import os
import pathlib
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
warnings.filterwarnings("ignore")

import numpy as np
import sklearn
from sklearn import datasets
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = 27
ROUNDS = 3  # boosting rounds per level


class Parameter:
    """A parameter: its name, its domain as in [space], how a value is drawn, and when it is
    active."""

    def __init__(self, name, domain, draw, parent=None, at=()):
        self.name, self.domain, self.draw = name, domain, draw
        self.parent, self.at = parent, at

    def is_active(self, config):
        return self.parent is None or config.get(self.parent) in self.at

    def line(self):
        if self.parent is None:
            return "%s = %s" % (self.name, self.domain)
        return "%s = %s if %s in (%s)" % (self.name, self.domain, self.parent, ", ".join(self.at))


def rounded(x):
    return float("%.4g" % x)


def short(x):
    text = "%.4g" % x
    return text[1:] if text.startswith("0.") else text


def uniform(name, low, high, *condition):
    draw = lambda chance: rounded(chance.uniform(low, high))
    return Parameter(name, "uniform(%g, %g)" % (low, high), draw, *condition)


def loguniform(name, low, high, *condition):
    draw = lambda chance: rounded(np.exp(chance.uniform(np.log(low), np.log(high))))
    return Parameter(name, "loguniform(%g, %g)" % (low, high), draw, *condition)


def randint(name, low, high, *condition):
    draw = lambda chance: int(chance.integers(low, high))
    return Parameter(name, "randint(%d, %d)" % (low, high), draw, *condition)


def lograndint(name, low, high, *condition):
    draw = lambda chance: int(np.exp(chance.uniform(np.log(low), np.log(high))))
    return Parameter(name, "lograndint(%d, %d)" % (low, high), draw, *condition)


def choice(name, values, *condition):
    draw = lambda chance: values[chance.integers(len(values))]
    return Parameter(name, "choice(%s)" % ", ".join(values), draw, *condition)


def draw(parameters, chance):
    config = {}
    for x in parameters:
        if x.is_active(config):
            config[x.name] = x.draw(chance)
    return config


def write(name, metric, parameters, rows):
    """rows: (config, seconds per level, losses)"""
    path = HERE / "curves" / (name + ".csv")
    with open(path, "w") as out:
        out.write("# %s\n" % metric)
        for x in parameters:
            out.write("# %s\n" % x.line())
        for config, seconds, losses in rows:
            fields = [str(config.get(x.name, "")) for x in parameters]
            fields += ["%.3g" % seconds] + [short(x) for x in losses]
            out.write(",".join(fields) + "\n")


def record(name, metric, parameters, count, train):
    """train(config): returns the losses."""
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        return
    began = time.time()
    chance = np.random.default_rng([11, *name.encode()])
    rows = []
    for _ in range(count):
        config = draw(parameters, chance)
        start = time.process_time()
        losses = train(config)
        rows.append((config, (time.process_time() - start) / LEVELS, losses))
    versions = "scikit-learn %s, numpy %s" % (sklearn.__version__, np.__version__)
    write(name, "%s: %s" % (versions, metric), parameters, rows)
    print(name, count, "curves,", round(time.time() - began), "s", flush=True)


def split(data, rows=None, of_classes=True):
    X, y = data
    if rows is not None:
        X, y = X[:rows], y[:rows]
    a, b, c, d = train_test_split(
        X, y, test_size=0.5, random_state=7, stratify=y if of_classes else None
    )
    scaler = StandardScaler().fit(a)
    if not of_classes:
        mean, deviation = c.mean(), c.std()
        c, d = (c - mean) / deviation, (d - mean) / deviation
    return scaler.transform(a), scaler.transform(b), c, d


def bounded(x, worst):
    return min(float(x), worst) if np.isfinite(x) else worst


def class_loss(d, p):
    return log_loss(d, np.clip(p, 1e-7, 1))


def boosting(make, parts, loss):
    a, b, c, d = parts

    def train(q):
        model = make(q).fit(a, c)
        staged = getattr(model, "staged_predict_proba", model.staged_predict)(b)
        return [loss(d, x) for i, x in enumerate(staged) if i % ROUNDS == ROUNDS - 1]

    return train


def boosting_cancer():
    parameters = [
        loguniform("rate", 3e-3, 1),
        randint("depth", 1, 8),
        uniform("sample", 0.2, 1),
        loguniform("features", 0.04, 1),
        lograndint("leaf", 1, 65),
        choice("loss", ["log_loss", "exponential"]),
    ]

    def make(q):
        return GradientBoostingClassifier(
            loss=q["loss"],
            n_estimators=LEVELS * ROUNDS,
            learning_rate=q["rate"],
            max_depth=q["depth"],
            subsample=q["sample"],
            max_features=q["features"],
            min_samples_leaf=q["leaf"],
            random_state=1,
        )

    parts = split(datasets.load_breast_cancer(return_X_y=True))
    record(
        "boosting_cancer",
        "log loss of boosted trees after each 3 rounds, breast cancer",
        parameters,
        1000,
        boosting(make, parts, class_loss),
    )


def boosting_diabetes():
    parameters = [
        loguniform("rate", 3e-3, 1),
        randint("depth", 1, 8),
        uniform("sample", 0.2, 1),
        loguniform("features", 0.1, 1),
        lograndint("leaf", 1, 65),
        choice("loss", ["squared_error", "huber", "quantile"]),
        uniform("alpha", 0.3, 0.95, "loss", ("huber", "quantile")),
    ]

    def make(q):
        return GradientBoostingRegressor(
            loss=q["loss"],
            alpha=q.get("alpha", 0.9),
            n_estimators=LEVELS * ROUNDS,
            learning_rate=q["rate"],
            max_depth=q["depth"],
            subsample=q["sample"],
            max_features=q["features"],
            min_samples_leaf=q["leaf"],
            random_state=1,
        )

    parts = split(datasets.load_diabetes(return_X_y=True), of_classes=False)
    record(
        "boosting_diabetes",
        "mean square error of boosted trees after each 3 rounds, diabetes, target of variance 1",
        parameters,
        1000,
        boosting(make, parts, lambda d, x: bounded(np.mean((d - x) ** 2), 4)),
    )


def network_parameters():
    return [
        choice("solver", ["sgd", "adam"]),
        loguniform("rate", 1e-4, 1),
        uniform("momentum", 0, 0.99, "solver", ("sgd",)),
        choice("nesterov", ["yes", "no"], "solver", ("sgd",)),
        lograndint("width", 4, 65),
        randint("layers", 1, 4),
        lograndint("batch", 8, 129),
        loguniform("decay", 1e-6, 1),
    ]


def network(kind, parts, loss, worst):
    a, b, c, d = parts

    def train(q):
        model = kind(
            hidden_layer_sizes=(q["width"],) * q["layers"],
            solver=q["solver"],
            learning_rate_init=q["rate"],
            momentum=q.get("momentum", 0.9),
            nesterovs_momentum=q.get("nesterov", "yes") == "yes",
            batch_size=q["batch"],
            alpha=q["decay"],
            random_state=1,
        )
        more = {"classes": np.unique(c)} if kind is MLPClassifier else {}
        losses = []
        for _ in range(LEVELS):
            try:
                model.partial_fit(a, c, **more)
                losses.append(bounded(loss(d, model), worst))
            except ValueError:  # weights that are no numbers any more
                losses.append(worst)
        return losses

    return train


def network_digits():
    parts = split(datasets.load_digits(return_X_y=True), 800)
    record(
        "network_digits",
        "log loss of networks after each epoch, first 800 digits",
        network_parameters(),
        1000,
        network(MLPClassifier, parts, lambda d, m: class_loss(d, m.predict_proba(parts[1])), 6),
    )


def network_diabetes():
    parts = split(datasets.load_diabetes(return_X_y=True), of_classes=False)
    record(
        "network_diabetes",
        "mean square error of networks after each epoch, diabetes, target of variance 1",
        network_parameters(),
        1000,
        network(MLPRegressor, parts, lambda d, m: np.mean((d - m.predict(parts[1])) ** 2), 4),
    )


def linear_digits():
    sliding = ("invscaling",)
    parameters = [
        choice("loss", ["log_loss", "modified_huber", "hinge", "squared_hinge"]),
        choice("penalty", ["l2", "l1", "elasticnet"]),
        uniform("l1_share", 0, 1, "penalty", ("elasticnet",)),
        loguniform("alpha", 1e-7, 1),
        choice("schedule", ["constant", "invscaling", "optimal"]),
        loguniform("rate", 1e-5, 1, "schedule", ("constant", "invscaling")),
        uniform("power", 0.05, 0.9, "schedule", sliding),
        choice("average", ["yes", "no"]),
    ]
    a, b, c, d = split(datasets.load_digits(return_X_y=True), 900)

    def train(q):
        model = SGDClassifier(
            loss=q["loss"],
            penalty=q["penalty"],
            l1_ratio=q.get("l1_share", 0.15),
            alpha=q["alpha"],
            learning_rate=q["schedule"],
            eta0=q.get("rate", 0.01),
            power_t=q.get("power", 0.5),
            average=q["average"] == "yes",
            random_state=1,
        )
        losses = []
        for _ in range(LEVELS):
            try:
                model.partial_fit(a, c, classes=np.arange(10))
                losses.append(float(np.mean(model.predict(b) != d)))
            except ValueError:
                losses.append(0.9)
        return losses

    record(
        "linear_digits",
        "error of linear classifiers after each epoch, first 900 digits",
        parameters,
        1000,
        train,
    )


def digits_mlp():
    """Uses the curves that data/curves already has: every third of their 81 epochs."""
    if len(sys.argv) > 1 and "digits_mlp" not in sys.argv[1:]:
        return
    parameters = [
        loguniform("lr", 1e-4, 3),
        uniform("momentum", 0, 0.99),
        Parameter("hidden", "choice(16, 32, 64)", None),
        randint("layers", 1, 3),
        Parameter("batch", "choice(16, 32, 64, 128)", None),
        loguniform("weight_decay", 1e-6, 1e-1),
    ]
    curves = {}
    with open(HERE.parent.parent / "data" / "curves" / "digits_mlp.csv") as table:
        for row in csv.DictReader(table):
            key = tuple(row["config." + x.name] for x in parameters)
            curves.setdefault(key, []).append(row)
    rows = []
    for key, reports in curves.items():
        config = dict(zip((x.name for x in parameters), key))
        losses = [bounded(float(x["validation_loss"]), 6) for x in reports[2::3]]
        rows.append((config, float(reports[-1]["time_total_s"]) / LEVELS, losses))
    write("digits_mlp", "validation loss after each 3 epochs, digits", parameters, rows)


if __name__ == "__main__":
    (HERE / "curves").mkdir(exist_ok=True)
    for make in (
        digits_mlp,
        boosting_cancer,
        boosting_diabetes,
        linear_digits,
        network_diabetes,
        network_digits,
    ):
        make()
