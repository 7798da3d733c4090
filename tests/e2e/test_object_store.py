# SPDX-License-Identifier: BSD-3-Clause
"""[sinks] s3: what is in the bucket, what comes of it, and stores that are away, busy or deny. The
store is moto's server, of PyPI, with signatures checked. Skipped, with the reason, without it."""
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from e2e import ROOT, clean_environment, main
from object_server import BUCKET, MOTO, Door, Store, busy, cut, stall
from sink_case import SinkCase, venv_with

TRIAL = Path(__file__).with_name("saving_trial.py")


def tree_of(path):
    """Files with content and right to execute, links, directories."""
    result = {}
    for at in sorted(path.rglob("*")):
        name = str(at.relative_to(path))
        if at.is_symlink():
            result[name] = ("link", os.readlink(at))
        elif at.is_dir():
            result[name] = ("directory",)
        else:
            result[name] = (at.read_bytes(), os.access(at, os.X_OK))
    return result


class ObjectStore(SinkCase):
    store = None

    def setUp(self):
        super().setUp()
        self.door = Door(self.store.port)
        self.addCleanup(self.door.close)
        self.where = "s3://%s/%s" % (BUCKET, self.id().rsplit(".", 1)[-1])
        self.environment = {
            "AWS_ACCESS_KEY_ID": self.store.key,
            "AWS_SECRET_ACCESS_KEY": self.store.secret,
            "AWS_ENDPOINT_URL": self.door.url,
            "AWS_REGION": "us-east-1",
            "PYTHON_OF_TUNE": str(ROOT / "python"),
            "GATE": str(self.directory / "gate"),
        }

    def with_store(self, **changes):
        return {**clean_environment(), **self.environment, **changes}

    def saving(self, iterations=4, size=1000, gate=0, samples=2, more="", name="x"):
        return self.ini(
            "\n".join([
                "[experiment]", "name = " + name, "metric = loss", "mode = min",
                "num_samples = %d" % samples, "seed = 3",
                "[trainable]",
                "command = %s %s %d %d %d" % (sys.executable, TRIAL, iterations, size, gate),
                "export = model",
                "[space]", "lr = uniform(0.1, 1)",
                "[checkpoint]", "frequency = 1", "keep = 2",
                "[sinks]", "s3 = " + self.where, "finish_timeout = 120", more,
            ])
        )

    def client(self, script, *words, **how):
        """What a script says that has a client of another make, `s3`."""
        script = (
            "import boto3, json, sys\n"
            "s3 = boto3.client('s3', endpoint_url=sys.argv[1], region_name='us-east-1')\n"
            "bucket, words = sys.argv[2], sys.argv[3:]\n" + script
        )
        return subprocess.run(
            [venv_with("moto", *MOTO), "-c", script, self.store.url, BUCKET, *words],
            capture_output=True, check=True, env=self.with_store(), **how,
        ).stdout

    def stored_object(self, key, content=None):
        """An object's content, which is replaced first where there is a new one. Notes stay."""
        key = self.where.split("/", 3)[3] + "/" + key
        if content is not None:
            self.client(
                "notes = s3.head_object(Bucket=bucket, Key=words[0])['Metadata']\n"
                "s3.put_object(Bucket=bucket, Key=words[0], Body=sys.stdin.buffer.read(), "
                "Metadata=notes)", key, input=content)
        return self.client(
            "sys.stdout.buffer.write(s3.get_object(Bucket=bucket, Key=words[0])['Body'].read())",
            key)

    def keys(self, name="x"):
        """Keys below the experiment's."""
        prefix = self.where.split("/", 3)[3] + "/" + name + "/"
        out = self.client(
            "pages = s3.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix=words[0])\n"
            "print(json.dumps([x['Key'] for page in pages for x in page.get('Contents', [])]))",
            prefix)
        return [x[len(prefix):] for x in json.loads(out)]

    def test_the_bucket_has_what_is_kept_and_gives_it_back(self):
        self.run_node("run", self.saving(), "-q", env=self.with_store())
        here = self.directory / "results" / "x"

        keys = self.keys()

        # Other files of trials are written from the record, and may come later.
        wanted = {
            str(at.relative_to(here)) for at in here.rglob("attempt_*/**/*")
            if at.is_file() and not at.is_symlink()
        }
        self.assertEqual({x for x in keys if "/attempt_" in x}, wanted)
        self.assertIn("experiment.db", keys)
        self.assertIn("trials/00000/stdout", keys)
        self.assertEqual(2 * 3, sum(x.endswith(".tune_checkpoint.json") for x in keys), keys)
        self.fetch_all(here)

    def fetch_all(self, here):
        """Each part is brought as it is here."""
        from_bucket = self.where + "/x"
        for words in ([], ["0"], ["1", "--what", "exports"]):
            told = json.loads(self.run_node(
                "fetch", from_bucket, *words, "--to", "copy", "-o", "json", env=self.with_store()
            ).out)
            one = json.loads(self.run_node(
                "fetch", here, *words, "--to", "local", "-o", "json").out)
            self.assertEqual(told["trial"], one["trial"])
            self.assertEqual(
                tree_of(self.directory / "copy"), tree_of(self.directory / "local"), words)
            shutil.rmtree(self.directory / "copy")
            shutil.rmtree(self.directory / "local")
        self.run_node(
            "fetch", from_bucket, "--what", "experiment", "--to", "whole", env=self.with_store())
        self.assertEqual(self.run_node("fsck", "whole").code, 0)
        for at in here.glob("trials/*/attempt_*"):
            self.assertEqual(
                tree_of(self.directory / "whole" / at.relative_to(here)), tree_of(at), at)

    def test_an_experiment_outlives_the_disk_of_its_head(self):
        path = self.saving(iterations=6, gate=4)
        child = self.start("run", path, "-q", env=self.with_store())
        self.wait_until(
            lambda: self.checkpoints_in_record() >= 6, child, "three checkpoints of each trial")
        # They are there, and so is a record that names them.
        self.wait_until(lambda: self.stored_states() == {"3"}, child, "the copy")
        child.send_signal(signal.SIGKILL)
        self.finish(child, None)
        self.assert_no_trial_processes()
        shutil.rmtree(self.directory / "results")
        (self.directory / "gate").touch()

        self.run_node(
            "fetch", self.where + "/x", "--what", "experiment", "--to", "elsewhere",
            env=self.with_store())
        self.run_node("resume", "elsewhere", "-q", env=self.with_store())

        self.assertEqual(self.run_node("fsck", "elsewhere").code, 0)
        rows = self.rows_of("elsewhere", "SELECT trial, training_iteration FROM results ORDER BY seq")
        for trial in (0, 1):
            # None is trained again.
            self.assertEqual([i for t, i in rows if t == trial], [1, 2, 3, 4, 5, 6])

    def rows_of(self, copy, query):
        with contextlib.closing(sqlite3.connect(self.directory / copy / "experiment.db")) as record:
            return record.execute(query).fetchall()

    def checkpoints_in_record(self):
        return len(self.rows_if_any("SELECT seq FROM checkpoints"))

    def stored_states(self):
        """The newest states of the trials that the copy in the bucket goes on from."""
        shutil.rmtree(self.directory / "look", ignore_errors=True)
        done = self.run_node(
            "fetch", self.where + "/x", "--what", "experiment", "--to", "look", code=None,
            env=self.with_store())
        if done.code != 0:
            return None
        rows = self.rows_of(
            "look", "SELECT trial, location, max(seq) FROM checkpoints WHERE state = 'good' GROUP BY 1")
        places = [self.directory / "look" / x[1] / "größe a+b" / "state" for x in rows]
        if len(rows) < 2 or not all(x.exists() for x in places):
            return None
        return {x.read_text() for x in places}

    def test_large_files_go_in_parts(self):
        self.run_node(
            "run", self.saving(iterations=1, size=40_000_000, samples=1), "-q",
            env=self.with_store())
        parts = [x for _, x, _ in self.door.seen if "partNumber=" in x]
        self.assertEqual(len({x.split("partNumber=")[1].split("&")[0] for x in parts}), 3, parts)
        self.run_node("fetch", self.where + "/x", "--to", "copy", env=self.with_store())
        self.assertEqual((self.directory / "copy" / "weights").stat().st_size, 40_000_000)

    def test_a_store_that_is_away_gets_it_later(self):
        for way in (busy, cut, stall):
            with self.subTest(way.__name__):
                name = way.__name__
                self.door.how = way
                words = self.example(name) if way is busy else [self.saving(name=name)]
                done = self.run_node(
                    "run", *words, "--sinks.finish_timeout", "1", env=self.with_store())
                self.assertIn("the sink s3 waits: ", done.err)
                self.assertIn("the sink s3 has not got everything", done.out)
                status = self.run_node("status", "results/" + name).out
                self.assertIn("the sink s3 has not got everything", status)
                self.door.open()
                self.run_node(
                    "resume", "results/" + name, "-q", "--sinks.finish_timeout", "120",
                    env=self.with_store())
                self.assertNotIn(
                    "has not got everything", self.run_node("status", "results/" + name).out)
                keys = self.keys(name)
                self.assertIn("experiment.db", keys)
                self.assertTrue(any("/checkpoint_" in x for x in keys), keys)

    def example(self, name):
        """The example of config/, made small."""
        return [ROOT / "config/s3-digits.ini", "--experiment.name", name, "--sinks.s3", self.where,
                "--experiment.num_samples", 1, "--stop.training_iteration", 5]

    def test_a_reader_in_the_middle_finds_the_state_before(self):
        child = self.start("run", self.saving(gate=3), "-q", env=self.with_store())
        self.wait_until(lambda: self.stored_states() == {"2"}, child, "the first copy")
        # From here on the record gets in, and no file of a checkpoint.
        self.door.how = lambda x: "/weights" in x.path and x.command == "PUT" and stall(x)
        (self.directory / "gate").touch()
        self.wait_until(
            lambda: any("checkpoint_000003/weights" in path for _, path, _ in self.door.seen), child,
            "an upload that stalls")
        self.assertEqual(self.stored_states(), {"2"})
        child.send_signal(signal.SIGKILL)
        self.finish(child, None)
        self.assertEqual(self.stored_states(), {"2"})
        self.door.open()
        self.run_node("resume", "results/x", "-q", env=self.with_store())
        self.assertEqual(self.stored_states(), {"4"})

    def test_a_spoilt_checkpoint_is_neither_stored_nor_taken(self):
        self.run_node("run", self.saving(samples=1), "-q", env=self.with_store())
        # As if a disk of the store had forgotten a byte.
        key = next(x for x in self.keys() if x.endswith("weights"))
        whole = self.stored_object("x/" + key)
        location = key.rsplit("/", 1)[0]
        for content, found in ((whole[:-1] + b"?", "weights"), (whole[:-1], "weights")):
            self.stored_object("x/" + key, content)
            done = self.run_node(
                "fetch", self.where + "/x", "--what", "experiment", code=7, env=self.with_store())
            self.assertIn(location + "/" + found, done.err)
        self.stored_object("x/experiment.db", b"no record")
        done = self.run_node("fetch", self.where + "/x", code=7, env=self.with_store())
        self.assertIn("its content is not what was stored there", done.err)
        self.assertEqual(list(self.directory.glob("x*.part")), [])

    def test_a_refusal_names_key_and_bucket_and_no_secret(self):
        wrong = self.store.secret[::-1]
        done = self.run_node(
            "run", self.saving(), env=self.with_store(
                AWS_SECRET_ACCESS_KEY=wrong, AWS_SESSION_TOKEN="token-of-nobody"))
        self.assertIn(self.store.key, done.err)
        self.assertIn(self.where, done.err)
        self.assertIn("the sink s3 has not got everything", done.out)
        for secret in (wrong, "token-of-nobody"):
            self.assertNotIn(secret, done.err + done.out)
            for at in (self.directory / "results").rglob("*"):
                if at.is_file():
                    self.assertNotIn(secret.encode(), at.read_bytes(), at)
        missing = self.run_node("fetch", "s3://%s/none" % BUCKET, code=None, env=self.with_store())
        self.assertNotEqual(missing.code, 0)
        self.assertIn("s3://%s/none: it holds no experiment" % BUCKET, missing.err)
        self.assertEqual(list(self.directory.glob("*.part")), [])

    def test_another_experiment_is_not_written_over(self):
        self.run_node("run", self.saving(), "-q", env=self.with_store())
        before = self.keys()
        done = self.run_node(
            "run", self.saving(iterations=2), "--overwrite", "--yes", env=self.with_store())
        self.assertIn("holds another experiment", done.err)
        self.assertEqual(self.keys(), before)

    def test_wrong_words_are_refused(self):
        for words, why in (
            (["--sinks.s3", "on"], "must be a place such as s3://bucket/prefix"),
            (["--sinks.s3", "s3://Bucket/x"], "must name a bucket"),
            (["--sinks.s3.endpoint", "store.example"], "endpoint: must be an address"),
            (["--sinks.s3.region", "a b"], "region: must be the name of a region"),
        ):
            done = self.run_node("run", self.saving(), *words, code=3)
            self.assertIn(why, done.err)
        for words in (
            ["fetch", "s3://x"], ["fetch", "results", "--endpoint", "http://a"],
            ["fetch", "s3://runs/x", "--head", "a:1"],
            ["fetch", "s3://runs/x", "--endpoint", "a"],
        ):
            self.run_node(*words, code=2)


if __name__ == "__main__":
    ObjectStore.store = Store()
    try:
        main()
    finally:
        ObjectStore.store.close()
