# SPDX-License-Identifier: BSD-3-Clause
"""An S3 server for tests: moto's, of PyPI, which checks signatures; and a door before it that stalls,
cuts, denies or is busy, as a test wants it."""
import http.client
import http.server
import json
import os
import subprocess
import threading

from sink_case import venv_with

MOTO = ["moto[s3]>=5,<6", "flask", "flask-cors", "boto3"]
BUCKET = "runs-of-tests"

# Starts the server at a free port, makes a user and a bucket, and checks signatures from then on.
SERVER = """
import json, logging, sys
import boto3
from moto.server import ThreadedMotoServer
from moto import settings

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
port = server.get_host_and_port()[1]
how = dict(endpoint_url="http://127.0.0.1:%d" % port, region_name="us-east-1",
           aws_access_key_id="x", aws_secret_access_key="y")
iam = boto3.client("iam", **how)
allow = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
iam.create_user(UserName="u")
iam.put_user_policy(UserName="u", PolicyName="p", PolicyDocument=json.dumps(allow))
key = iam.create_access_key(UserName="u")["AccessKey"]
boto3.client("s3", **how).create_bucket(Bucket=sys.argv[1])
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
print(json.dumps([port, key["AccessKeyId"], key["SecretAccessKey"]]), flush=True)
sys.stdin.read()
server.stop()
"""


class Store:
    """The server, and the environment that finds it."""

    def __init__(self):
        python = venv_with("moto", *MOTO)
        self.process = subprocess.Popen(
            [python, "-c", SERVER, BUCKET], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "AWS_EC2_METADATA_DISABLED": "true"},
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("moto's server ended with status %s" % self.process.wait())
        self.port, self.key, self.secret = json.loads(line)
        self.url = "http://127.0.0.1:%d" % self.port

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class Door:
    """Passes requests on to a server, unless it is shut: then `how` is asked what to do."""

    def __init__(self, port):
        self.seen = []
        self.how = None
        # Ends the waiting of those that stall.
        self.opened = threading.Event()
        door = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def serve(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                door.seen.append((self.command, self.path, dict(self.headers)))
                if door.how is not None and door.how(self):
                    return
                # The signature is over the name by which the client knows the server.
                to = http.client.HTTPConnection("127.0.0.1", port)
                to.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() != "expect":
                        to.putheader(name, value)
                to.endheaders(body)
                answer = to.getresponse()
                content = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("content-length", "connection", "date", "server"):
                        self.send_header(name, value)
                self.send_header(
                    "Content-Length",
                    answer.getheader("Content-Length", "0")
                    if self.command == "HEAD" else str(len(content)),
                )
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)
                to.close()

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = serve

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """Clients hang up."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.door = self
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def open(self):
        """Lets all pass from now on."""
        self.how = None
        self.opened.set()

    def close(self):
        self.open()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def busy(handler):
    """Answers as a store that has too much to do."""
    content = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
    handler.send_response(503)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(content)
    return True


def cut(handler):
    """Hangs up without an answer."""
    handler.close_connection = True
    handler.connection.close()
    return True


def stall(handler):
    """Answers nothing until the door is opened again, and then nothing either."""
    handler.server.door.opened.wait()
    return cut(handler)
