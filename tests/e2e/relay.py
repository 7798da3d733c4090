# SPDX-License-Identifier: BSD-3-Clause
"""A TCP relay between worker and head that can fail as networks do."""
import contextlib
import select
import socket
import threading


class Relay:
    """Passes bytes on in both directions; on request it closes connections, stalls, or loses a
    direction."""

    def __init__(self, host, port):
        self.target = (host, int(port))
        self.port = socket.create_server(("127.0.0.1", 0))
        self.where = "127.0.0.1:%d" % self.port.getsockname()[1]
        self.lock = threading.Lock()
        self.pairs = []
        # Directions that pass nothing on: "up" is towards the head.
        self.stalled = set()
        self.refusing = False
        self.over = False
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def cut(self, refuse=False):
        """Closes all connections; if `refuse`, accepts no new ones."""
        with self.lock:
            self.refusing = refuse
            for pair in self.pairs:
                for end in pair:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def mend(self):
        with self.lock:
            self.refusing = False
            self.stalled = set()

    def stall(self, *directions):
        with self.lock:
            self.stalled = set(directions)

    def close(self):
        self.over = True
        self.cut(refuse=True)
        self.thread.join()
        self.port.close()

    def _accept(self):
        low, _ = self.port.accept()
        with self.lock:
            if self.refusing:
                low.close()
                return
        try:
            high = socket.create_connection(self.target, timeout=10)
        except OSError:
            low.close()
            return
        with self.lock:
            self.pairs.append((low, high))

    def _serve(self):
        while not self.over:
            with self.lock:
                sources = {}
                for low, high in self.pairs:
                    if "up" not in self.stalled:
                        sources[low] = high
                    if "down" not in self.stalled:
                        sources[high] = low
            ready, _, _ = select.select([self.port, *sources], [], [], 0.02)
            for end in ready:
                if end is self.port:
                    self._accept()
                else:
                    self._pass_on(end, sources[end])

    def _pass_on(self, source, to):
        try:
            data = source.recv(1 << 16)
            if data:
                to.sendall(data)
        except OSError:
            data = b""
        if not data:
            with self.lock:
                self.pairs = [pair for pair in self.pairs if source not in pair]
            source.close()
            to.close()
