#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tables/*.csv: trainings of real models on the data sets that scikit-learn ships.

    python3 -m venv /tmp/tables && /tmp/tables/bin/pip install scikit-learn
    /tmp/tables/bin/python bench/quality/make_tables.py [NAME...]

Each table is a whole grid: one row per configuration, its loss last, the mean over three folds.
Empty fields are parameters that the configuration does not have. Lines with # in front name the
versions, the metric and the search space, whose numbers are looked up at the nearest value of the
grid. The folds and all seeds are fixed; other versions of scikit-learn may give other digits.
"""

import itertools
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
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

HERE = pathlib.Path(__file__).resolve().parent / "tables"


def powers(first, last, count):
    """`count` numbers that are evenly spaced in their logarithm, with few digits."""
    return [float("%.4g" % x) for x in np.geomspace(first, last, count)]


class Parameter:
    """A parameter: its name, its domain as in [space], the values of the grid, and when it is
    active."""

    def __init__(self, name, domain, values, parent=None, at=()):
        self.name, self.domain, self.values = name, domain, values
        self.parent, self.at = parent, at

    def is_active(self, config):
        return self.parent is None or config.get(self.parent) in self.at

    def line(self):
        if self.parent is None:
            return "%s = %s" % (self.name, self.domain)
        return "%s = %s if %s in (%s)" % (self.name, self.domain, self.parent, ", ".join(self.at))


def configurations(parameters, config=None):
    config = config or {}
    if len(parameters) == 0:
        yield dict(config)
        return
    first, rest = parameters[0], parameters[1:]
    if not first.is_active(config):
        yield from configurations(rest, config)
        return
    for x in first.values:
        yield from configurations(rest, {**config, first.name: x})


def write(name, metric, parameters, loss):
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        return
    began = time.time()
    rows = []
    for config in configurations(parameters):
        fields = ["%s" % config.get(p.name, "") for p in parameters]
        rows.append(",".join(fields + ["%.5g" % loss(config)]))
    lines = ["# scikit-learn %s, numpy %s: %s" % (sklearn.__version__, np.__version__, metric)]
    lines += ["# " + p.line() for p in parameters]
    lines += [",".join([p.name for p in parameters] + ["loss"])] + rows
    (HERE / (name + ".csv")).write_text("\n".join(lines) + "\n")
    print(name, len(rows), "rows", round(time.time() - began), "s", flush=True)


def folds(X, y, regression=False):
    """Scaled training and test parts of three folds."""
    cut = (KFold if regression else StratifiedKFold)(3, shuffle=True, random_state=1)
    made = []
    for train, test in cut.split(X, y):
        scale = StandardScaler().fit(X[train])
        made.append((scale.transform(X[train]), y[train], scale.transform(X[test]), y[test]))
    return made


def mean_error(model, parts):
    return np.mean([np.mean(model().fit(a, b).predict(c) != d) for a, b, c, d in parts])


def mean_log_loss(model, parts):
    return np.mean(
        [log_loss(d, np.clip(model().fit(a, b).predict_proba(c), 1e-7, 1)) for a, b, c, d in parts]
    )


def svm_digits():
    X, y = datasets.load_digits(return_X_y=True)
    parts = folds(X[:900], y[:900])
    curved = ("rbf", "poly")
    parameters = [
        Parameter("kernel", "choice(linear, rbf, poly)", ["linear", "rbf", "poly"]),
        Parameter("C", "loguniform(1e-3, 1e3)", powers(1e-3, 1e3, 13)),
        Parameter("gamma", "loguniform(1e-5, 1)", powers(1e-5, 1, 11), "kernel", curved),
        Parameter("degree", "randint(2, 5)", [2, 3, 4], "kernel", ("poly",)),
        Parameter("coef0", "uniform(0, 2)", [0.0, 1.0, 2.0], "kernel", ("poly",)),
    ]

    def loss(q):
        more = {k: q[k] for k in ("gamma", "degree", "coef0") if k in q}
        return mean_error(lambda: SVC(C=q["C"], kernel=q["kernel"], max_iter=20000, **more), parts)

    write("svm_digits", "error of support vector machines, first 900 digits", parameters, loss)


def learners_diabetes():
    X, y = datasets.load_diabetes(return_X_y=True)
    parts = folds(X, (y - y.mean()) / y.std(), True)
    of = lambda *names: dict(parent="learner", at=names)
    parameters = [
        Parameter(
            "learner",
            "choice(knn, svr, ridge, tree, boosting)",
            ["knn", "svr", "ridge", "tree", "boosting"],
        ),
        Parameter(
            "neighbours", "lograndint(1, 65)", [1, 2, 3, 5, 8, 12, 20, 32, 48, 64], **of("knn")
        ),
        Parameter("weights", "choice(uniform, distance)", ["uniform", "distance"], **of("knn")),
        Parameter("svr_c", "loguniform(1e-2, 1e3)", powers(1e-2, 1e3, 11), **of("svr")),
        Parameter("svr_gamma", "loguniform(1e-4, 1)", powers(1e-4, 1, 9), **of("svr")),
        Parameter("svr_epsilon", "loguniform(1e-2, 1)", powers(1e-2, 1, 5), **of("svr")),
        Parameter("alpha", "loguniform(1e-3, 1e4)", powers(1e-3, 1e4, 29), **of("ridge")),
        Parameter("tree_depth", "randint(1, 13)", [1, 2, 3, 4, 6, 8, 12], **of("tree")),
        Parameter("leaf", "lograndint(1, 65)", [1, 2, 4, 8, 16, 32, 64], **of("tree")),
        Parameter("rounds", "lograndint(10, 201)", [10, 20, 45, 95, 200], **of("boosting")),
        Parameter("rate", "loguniform(1e-2, 1)", powers(1e-2, 1, 7), **of("boosting")),
        Parameter("depth", "randint(1, 6)", [1, 2, 3, 4, 5], **of("boosting")),
    ]

    def model(q):
        if q["learner"] == "knn":
            return KNeighborsRegressor(q["neighbours"], weights=q["weights"])
        if q["learner"] == "svr":
            return SVR(C=q["svr_c"], gamma=q["svr_gamma"], epsilon=q["svr_epsilon"], max_iter=50000)
        if q["learner"] == "ridge":
            return Ridge(q["alpha"])
        if q["learner"] == "tree":
            return DecisionTreeRegressor(
                max_depth=q["tree_depth"], min_samples_leaf=q["leaf"], random_state=1
            )
        return GradientBoostingRegressor(
            n_estimators=q["rounds"],
            learning_rate=q["rate"],
            max_depth=q["depth"],
            subsample=0.7,
            random_state=1,
        )

    def loss(q):
        return np.mean(
            [np.sqrt(np.mean((model(q).fit(a, b).predict(c) - d) ** 2)) for a, b, c, d in parts]
        )

    write(
        "learners_diabetes", "root mean square error, in deviations of the target", parameters, loss
    )


def mlp_digits():
    X, y = datasets.load_digits(return_X_y=True)
    parts = folds(X[:600], y[:600])
    parameters = [
        Parameter("solver", "choice(sgd, adam)", ["sgd", "adam"]),
        Parameter("rate", "loguniform(1e-4, 1)", powers(1e-4, 1, 9)),
        Parameter("momentum", "uniform(0, 0.98)", [0.0, 0.6, 0.9, 0.98], "solver", ("sgd",)),
        Parameter("width", "lograndint(4, 65)", [4, 10, 25, 64]),
        Parameter("batch", "lograndint(16, 129)", [16, 128]),
        Parameter("decay", "loguniform(1e-5, 1)", powers(1e-5, 1, 3)),
    ]

    def loss(q):
        model = lambda: MLPClassifier(
            (q["width"],),
            solver=q["solver"],
            learning_rate_init=q["rate"],
            momentum=q.get("momentum", 0.9),
            batch_size=q["batch"],
            alpha=q["decay"],
            max_iter=8,
            random_state=1,
        )
        try:
            return mean_log_loss(model, parts)
        except ValueError:  # weights that are no numbers any more
            return 16.0

    write(
        "mlp_digits",
        "log loss of one hidden layer after 8 epochs, first 600 digits",
        parameters,
        loss,
    )


def boosting_cancer():
    parts = folds(*datasets.load_breast_cancer(return_X_y=True))
    parameters = [
        Parameter("rounds", "lograndint(10, 101)", [10, 32, 100]),
        Parameter("rate", "loguniform(1e-2, 1)", powers(1e-2, 1, 7)),
        Parameter("depth", "randint(1, 6)", [1, 2, 5]),
        Parameter("sample", "uniform(0.3, 1)", [0.3, 1.0]),
        Parameter("features", "loguniform(0.05, 1)", [0.05, 0.22, 1.0]),
        Parameter("leaf", "lograndint(1, 33)", [1, 32]),
    ]

    def loss(q):
        return mean_log_loss(
            lambda: GradientBoostingClassifier(
                n_estimators=q["rounds"],
                learning_rate=q["rate"],
                max_depth=q["depth"],
                subsample=q["sample"],
                max_features=q["features"],
                min_samples_leaf=q["leaf"],
                random_state=1,
            ),
            parts,
        )

    write("boosting_cancer", "log loss of boosted trees, breast cancer", parameters, loss)


def logistic_wine():
    parts = folds(*datasets.load_wine(return_X_y=True))
    parameters = [
        Parameter("C", "loguniform(1e-3, 1e3)", powers(1e-3, 1e3, 19)),
        Parameter("l1", "uniform(0, 1)", [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]),
        Parameter("steps", "lograndint(1, 257)", [1, 4, 16, 64, 256]),
        Parameter("weights", "choice(none, balanced)", ["none", "balanced"]),
    ]

    def loss(q):
        return mean_log_loss(
            lambda: LogisticRegression(
                C=q["C"],
                l1_ratio=q["l1"],
                solver="saga",
                max_iter=q["steps"],
                random_state=1,
                class_weight=None if q["weights"] == "none" else "balanced",
            ),
            parts,
        )

    write("logistic_wine", "log loss of logistic regression, wine", parameters, loss)


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for make in (logistic_wine, learners_diabetes, svm_digits, boosting_cancer, mlp_digits):
        make()
