# SPDX-License-Identifier: BSD-3-Clause
"""Tunes a Python script with tune-node: parameters in, metrics out, checkpoints on request.

One file, standard library only, Python 3.7 or later: put it beside your script, or on PYTHONPATH.

    import tune_node

    trial = tune_node.Trial(defaults={"lr": 0.1})
    model = make_model(trial.params)
    if trial.restore_dir:
        model.load(trial.restore_dir + "/model")
    for epoch in range(model.epoch, 50):
        loss = model.train_one_epoch()
        if not trial.report(loss=loss, save=lambda to: model.save(to + "/model")):
            break

Without tune-node around it the script runs all the same: parameters are the defaults, and reports
are printed to stdout.

The protocol is in docs/command-protocol.md. Nothing here prints while tune-node is there, and
nothing keeps a thread.
"""
import json
import math
import os
import sys
import traceback

__all__ = ["ProtocolError", "Trial"]


class ProtocolError(RuntimeError):
    """tune-node said something that this file does not know: their versions do not fit."""


class Trial:
    """One run of the script with one configuration.

    Make one per process, before the first report.

    params       The configuration: a dict of what JSON can hold. Inactive parameters are absent.
    id           The trial's name, such as "00042"; "" when the script is run by hand.
    dir          The trial's own directory, for whatever files the script wants to keep.
    restore_dir  The directory of the checkpoint to go on from, or None to begin anew.
    rank, ranks  Which of the trial's processes this is, and how many there are ([trainable] ranks):
                 0 and 1 where there is only one. Reports of others than rank 0 count for nothing.
    bundles      What was granted: a list of dicts with node, address, cpus, gpus, memory, devices.
    exports      Names of the formats to export in at the end of the trial; mostly empty.
    ends         Whether the trial has come to its end, and the script is started from its last
                 checkpoint only to export: train no further then.
    is_tuned     Whether tune-node runs the script; False when it is run by hand.
    """

    def __init__(self, defaults=None, environ=os.environ):
        """defaults: parameters that hold where the configuration does not name them."""
        self.params = dict(defaults or {})
        self.id = environ.get("TUNE_TRIAL_ID", "")
        self.dir = environ.get("TUNE_TRIAL_DIR") or os.getcwd()
        self.restore_dir = environ.get("TUNE_TRIAL_RESTORE") or None
        self.rank = int(environ.get("RANK") or 0)
        self.ranks = int(environ.get("WORLD_SIZE") or 1)
        self.bundles = json.loads(environ.get("TUNE_TRIAL_BUNDLES") or "[]")
        if environ.get("TUNE_TRIAL_PARAMS"):
            with open(environ["TUNE_TRIAL_PARAMS"], encoding="utf-8") as file:
                self.params.update(json.load(file))
        self.is_tuned = bool(environ.get("TUNE_TRIAL_REPORT_FD"))
        self.exports = [x for x in environ.get("TUNE_TRIAL_EXPORT", "").split(",") if x]
        self._export_dir = environ.get("TUNE_TRIAL_EXPORT_DIR", "")
        self.ends = bool(environ.get("TUNE_TRIAL_ENDS"))
        self._ended = False
        # Whether it ends for good, so far as is known: by itself it does.
        self._final = True
        self._reports = 0
        if self.is_tuned:
            self._out = _own(environ["TUNE_TRIAL_REPORT_FD"], "wb")
            self._in = _own(environ["TUNE_TRIAL_ANSWER_FD"], "rb")
            self._tell({"tune": 1})

    def report(self, metrics=None, save=None, checkpoint=None, **more):
        """Hands metrics over and waits for the decision.

        metrics     Names and values: numbers (NaN and infinities too), strings, booleans, lists
                    and dicts of them; anything with .item(), such as NumPy's scalars. Values can
                    be given as keywords instead.
        save        Called as save(directory) when a checkpoint is wanted; the directory exists
                    and is empty. Without it, only what `checkpoint` names is kept.
        checkpoint  A directory that holds a checkpoint already; its content is taken over before
                    this returns. A trial that is to pause does so at such a report. With neither,
                    it cannot be paused and keeps no checkpoints.

        Returns True to go on, False to end soon. Where save raises, its traceback goes to stderr,
        there is no checkpoint, and training goes on.
        """
        if self._ended:
            return False
        values = dict(metrics or {}, **more)
        if not self.is_tuned:
            self._print(values)
            return True
        line = {"metrics": values}
        if checkpoint is not None:
            line["checkpoint"] = os.path.abspath(os.fspath(checkpoint))
        self._ended = not (self._tell(line) and self._obey(self._hear(), save))
        return not self._ended

    def export(self, write):
        """Exports what was asked for, if the trial ends here. Call it after training.

        write  Called as write(format, directory) for each of `exports`; the directory exists and
               is empty. What it raises fails that export only.

        Returns the formats that were written.
        """
        if not (self.is_tuned and self._final):
            return []
        if self.exports:
            self._tell({"exporting": True})
        return [x for x in self.exports if self._export(x, write)]

    def _export(self, format, write):
        directory = os.path.join(self._export_dir, format)
        try:
            os.makedirs(directory, exist_ok=True)
            write(format, directory)
        except Exception as error:
            self._tell({"export_failed": format, "error": _text_of(error)})
            return False
        return True

    def _obey(self, answer, save):
        decision = answer["decision"]
        if decision in ("stop", "pause"):
            self._final = bool(answer.get("export"))
        if decision in ("save", "pause"):
            saved = self._save(answer["dir"], save)
            # A pause whose save failed is no pause: training goes on.
            self._final = self._final or not saved
            return decision == "save" or not saved
        if decision not in ("continue", "stop"):
            raise ProtocolError("unknown decision: %r" % (decision,))
        return decision == "continue"

    def _save(self, directory, save):
        if save is None:
            self._tell({"save_failed": directory, "can_save": False,
                        "error": "the script gave no save function"})
            return False
        try:
            os.makedirs(directory, exist_ok=True)
            save(directory)
        except Exception as error:
            traceback.print_exc()
            self._tell({"save_failed": directory, "error": _text_of(error)})
            return False
        self._tell({"saved": directory})
        return True

    def _tell(self, what):
        """Writes one line. Returns whether somebody is still there to read it."""
        text = json.dumps(_plain(what), allow_nan=False, separators=(",", ":"))
        try:
            self._out.write(text.encode("utf-8") + b"\n")
            self._out.flush()
        except BrokenPipeError:
            return False
        return True

    def _hear(self):
        """Reads the next decision. When tune-node is gone, that is to stop."""
        for line in iter(self._in.readline, b""):
            try:
                answer = json.loads(line.decode("utf-8"))
            except ValueError:
                raise ProtocolError("not a line of JSON: %r" % (line[:200],)) from None
            if isinstance(answer, dict) and "decision" in answer:
                return answer
        return {"decision": "stop"}

    def _print(self, values):
        self._reports += 1
        words = ["%s=%s" % item for item in values.items()]
        print("report %d: %s" % (self._reports, " ".join(words)), file=sys.stdout, flush=True)


def _text_of(error):
    return "%s: %s" % (type(error).__name__, error)


def _own(descriptor, mode):
    """Opens a descriptor that tune-node left for this process, and for no child of it."""
    number = int(descriptor)
    os.set_inheritable(number, False)
    os.set_blocking(number, True)
    # Unbuffered writing: a line that met a broken pipe must not be tried again at exit.
    return os.fdopen(number, mode, buffering=0 if "w" in mode else -1)


def _plain(value):
    """What JSON can hold; numbers that it cannot become the texts that the protocol has for them."""
    if isinstance(value, float):
        # float() takes subclasses such as NumPy's back to what json writes shortest.
        value = float(value)
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return value
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, dict):
        return {str(name): _plain(x) for name, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if hasattr(value, "item"):
        return _plain(value.item())
    raise TypeError("a metric cannot be a %s: %r" % (type(value).__name__, value))
