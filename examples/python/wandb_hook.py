#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gives an experiment to Weights & Biases: `[sinks] hook = python3 ./wandb_hook.py`, or, afterwards,

    tune-node export DIR --format jsonl --to events.jsonl && python3 wandb_hook.py < events.jsonl

One run for each trial, in a group that is named after the experiment. Wants the package `wandb`, and
its own variables: WANDB_PROJECT, WANDB_API_KEY, WANDB_MODE=offline, …
"""
import json
import sys

import wandb


def number(x):
    """Numbers as they are; the texts that stand for those that JSON does not know."""
    return {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}.get(x, x) if isinstance(
        x, str
    ) else x


def plain(metrics):
    return {
        name: plain(x) if isinstance(x, dict) else number(x) for name, x in metrics.items()
    }


def main():
    experiment, identity, runs = "tune-node", "", {}
    for line in sys.stdin:
        event = json.loads(line)
        kind, trial = event["event"], event.get("trial_id")
        if kind == "opened":
            experiment, identity = event["experiment"], event["identity"]
        elif kind == "started" and trial not in runs:
            # The same id again after a restart: W&B goes on with that run.
            runs[trial] = wandb.init(
                id="%s-%s" % (identity, trial), name=trial, group=experiment, resume="allow",
                config=event["config"], reinit="create_new",
            )
        elif kind == "reported" and trial in runs:
            runs[trial].log(plain(event["metrics"]), step=event["training_iteration"])
        elif kind == "concluded" and trial in runs:
            run = runs.pop(trial)
            run.summary["tune/status"], run.summary["tune/reason"] = event["status"], event["reason"]
            for name, x in plain(event.get("best_metrics", {})).items():
                run.summary["best/" + name] = x
            run.finish(exit_code=0 if event["status"] == "TERMINATED" else 1)
    for run in runs.values():
        run.finish()


if __name__ == "__main__":
    main()
