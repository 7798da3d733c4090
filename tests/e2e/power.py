# SPDX-License-Identifier: BSD-3-Clause
"""The states of a disk after a power cut: records what a program did to its files, and lays out
the states in which a disk may be after any part of it.

Everything that was in a file when it was synced is there. Of later writes each sector may be there
or not, in any order, and the size may have grown without its content, which then reads as zeros.
Changes of a directory up to its last sync are there, and of the later ones any number of the
first. There is no order between changes of different files.
"""
import os
import re
import subprocess
from pathlib import Path

CALLS = (
    "openat,write,pwrite64,writev,sendfile,ftruncate,fsync,fdatasync,syncfs,rename,renameat,"
    "renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat"
)
# Other calls that change a disk, which this does not follow: a recording that contains one is void.
UNKNOWN = "open,creat,truncate,pwritev,fallocate,copy_file_range,link,linkat,symlink,symlinkat"

LINE = re.compile(r"^(\d+) +(?:<\.\.\. (\w+) resumed>(.*)|(\w+)\((.*))$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
PLACE = re.compile(r"^(\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?")

# Shares of unsynced changes that survive: of names, and of sectors.
LOSSES = {
    "all is lost": (0.0, 0.0), "all is there": (1.0, 1.0), "names only": (1.0, 0.0),
    "content only": (0.0, 1.0), "some": (0.5, 0.5), "most": (0.9, 0.9), "little": (0.1, 0.1),
}


def decoded(text):
    return bytes.fromhex(text.replace("\\x", ""))


class Node:
    """A file or a directory: its present content, and each change with the call that made it."""

    def __init__(self, is_directory):
        self.is_directory = is_directory
        self.entries, self.data = {}, bytearray()
        self.changes, self.syncs = [], []

    def durable(self, cut):
        """Number of its changes that were synced before the power cut."""
        until = max((begun for begun, done in self.syncs if done < cut), default=-1)
        return sum(at < until for at, *_ in self.changes)

    def before(self, cut):
        return [change for change in self.changes if change[0] < cut]


class Recording:
    """What a program, run under strace, did below a directory, call by call."""

    def __init__(self, root, log, cwd):
        self.root, self.cwd = Path(root), Path(cwd)
        self.top = Node(True)
        self.nodes = [self.top]
        self.positions = {}
        self.said = []
        self.count = 0
        begun = {}
        for line in log:
            self.count += 1
            found = LINE.match(line)
            if not found:
                continue
            pid, resumed, rest, name, words = found.groups()
            at = self.count
            if resumed:
                at, name, words = begun.pop(pid)[0:3] if pid in begun else (at, resumed, "")
                words += rest
            if words.endswith("<unfinished ...>"):
                begun[pid] = (at, name, words[: -len("<unfinished ...>")])
                continue
            words, _, result = words.rpartition(" = ")
            if result.split("<")[0].split()[0].lstrip("-").isdigit() and not result.startswith("-"):
                self.take(at, name, words, int(re.match(r"\d+", result).group()))

    # -- Where things are.

    def parts(self, path):
        """The names on the way from the root; None if the path leads elsewhere."""
        path = Path(os.path.normpath(self.cwd / path))
        return path.relative_to(self.root).parts if path.is_relative_to(self.root) else None

    def node(self, parts):
        found = self.top
        for name in parts or ():
            found = found.entries.get(name) if found else None
        return found if parts is not None else None

    def change(self, at, parts, node):
        """Puts a node, or nothing, under a name. The root always exists."""
        if not parts:
            return
        parent = self.node(parts[:-1])
        if parent is None:
            return
        if node is None:
            parent.entries.pop(parts[-1], None)
        else:
            parent.entries[parts[-1]] = node
        parent.changes.append((at, {parts[-1]: node}))

    def add(self, at, parts, is_directory):
        node = Node(is_directory)
        self.nodes.append(node)
        self.change(at, parts, node)
        return node

    # -- The effect of calls.

    def take(self, at, name, words, result):
        if name in UNKNOWN.split(","):
            raise AssertionError("a call that is not understood: " + name)
        # Each argument is a path, or a descriptor with the path of its file.
        first = PLACE.match(words)
        deleted = bool(first and first.group(3))
        held = decoded(first.group(2)).decode() if first else ""
        texts = [decoded(x) for x in TEXT.findall(words)]
        if name in ("write", "pwrite64", "writev", "sendfile"):
            number = int(first.group(1)) if first else int(re.match(r"\d+", words).group())
            if number == 1 and name == "write":
                self.said.append((at, texts[0]))
            if first and not deleted:
                self.write(at, name, number, self.node(self.parts(held)), texts, words, result)
        elif name in ("fsync", "fdatasync", "ftruncate"):
            node = None if deleted or not first else self.node(self.parts(held))
            if node is None:
                return
            if name == "ftruncate":
                self.cut_to(at, node, int(words.rstrip(" )").rpartition(",")[2]))
            else:
                node.syncs.append((at, self.count))
        elif name == "syncfs":
            for node in self.nodes:
                node.syncs.append((at, self.count))
        else:
            self.rename_and_so_on(at, name, words, texts, held, result)

    def write(self, at, name, number, node, texts, words, result):
        if node is None:
            return
        if name == "sendfile":
            source = PLACE.match(words.partition(", ")[2])
            other = self.node(self.parts(decoded(source.group(2)).decode()))
            data = bytes(other.data[-result:]) if other and result else b""
            if other is None or len(other.data) != result:
                raise AssertionError("a copy from elsewhere, or of a part: " + words[:200])
        else:
            data = b"".join(texts)[:result]
        if name == "pwrite64":
            offset = int(words.rstrip(" )").rpartition(",")[2])
        else:
            position = self.positions.get((number, id(node)), 0)
            offset = len(node.data) if position is None else position
            if position is not None:
                self.positions[number, id(node)] = offset + len(data)
        node.changes.append((at, offset, data))
        if len(node.data) < offset:
            node.data.extend(bytes(offset - len(node.data)))
        node.data[offset : offset + len(data)] = data

    def cut_to(self, at, node, size):
        node.changes.append((at, size, None))
        del node.data[size:]
        node.data.extend(bytes(size - len(node.data)))

    def rename_and_so_on(self, at, name, words, texts, held, result):
        paths = [x.decode() for x in texts]
        if name.endswith("at") or name == "renameat2":
            places = [decoded(x.group(2)).decode() for x in map(PLACE.match, words.split(", ")) if x]
            paths = [os.path.join(places[min(i, len(places) - 1)], x) for i, x in enumerate(paths)]
        ways = [self.parts(x) for x in paths]
        if name == "openat":
            self.open(at, words, ways[0], result)
        elif name.startswith("rename"):
            self.rename(at, *ways)
        elif name.startswith("mkdir") and ways[0] is not None:
            self.add(at, ways[0], True)
        elif name in ("unlink", "unlinkat", "rmdir") and ways[0]:
            self.change(at, ways[0], None)

    def open(self, at, words, way, number):
        if not way:
            return
        node = self.node(way)
        if node is None and "O_CREAT" in words:
            node = self.add(at, way, False)
        elif node is not None and "O_TRUNC" in words:
            self.cut_to(at, node, 0)
        if node is not None:
            self.positions[number, id(node)] = None if "O_APPEND" in words else 0

    def rename(self, at, old, new):
        if old is None or new is None:
            raise AssertionError("a rename from or to another place")
        node = self.node(old)
        if old[:-1] != new[:-1]:
            self.change(at, old, None)
            self.change(at, new, node)
            return
        parent = self.node(old[:-1])
        parent.entries.pop(old[-1], None)
        parent.entries[new[-1]] = node
        parent.changes.append((at, {old[-1]: None, new[-1]: node}))

    # -- States after a cut.

    def lay_out(self, to, cut, random, loss, sector):
        """Makes the files as they may be after a cut before call `cut`, in the directory `to`."""
        names, sectors = LOSSES[loss]
        Path(to).mkdir(parents=True)
        self.lay_out_directory(self.top, Path(to), cut, random, names, (sectors, sector))

    def lay_out_directory(self, node, to, cut, random, names, how):
        changes = node.before(cut)
        kept = node.durable(cut)
        while kept < len(changes) and random.random() < names:
            kept += 1
        entries = {}
        for _, change in changes[:kept]:
            for name, what in change.items():
                entries.pop(name, None)
                if what is not None:
                    entries[name] = what
        for name, what in entries.items():
            # Memory shared by processes, which starts afresh.
            if name.endswith("-shm"):
                continue
            if what.is_directory:
                (to / name).mkdir()
                self.lay_out_directory(what, to / name, cut, random, names, how)
            else:
                (to / name).write_bytes(left_of(what, cut, random, *how))

    def told(self, cut):
        """Bytes that the program had written to its output before call `cut`."""
        return b"".join(text for at, text in self.said if at < cut)


def left_of(node, cut, random, survives, sector):
    """The content of a file as it may be left."""
    durable = node.durable(cut)
    data = bytearray()
    versions, sizes = {}, None
    for i, (_, offset, text) in enumerate(node.before(cut)):
        if i == durable:
            sizes = [len(data)]
        if text is None:
            del data[offset:]
            data.extend(bytes(offset - len(data)))
        else:
            data.extend(bytes(max(0, offset - len(data))))
            data[offset : offset + len(text)] = text
        if i < durable:
            synced = bytes(data)
            continue
        sizes.append(len(data))
        if text is not None:
            for at in range(offset // sector * sector, offset + len(text), sector):
                versions.setdefault(at, []).append(bytes(data[at : at + sector]))
    if sizes is None:
        return bytes(data)
    before = synced if durable else b""
    size = random.choice(sizes) if 0 < survives < 1 else sizes[0 if survives == 0 else -1]
    if survives == 0 and random.random() < 0.5:
        size = sizes[-1]  # as long as intended, and zeros
    left = bytearray(before.ljust(size, b"\0"))
    for at, some in versions.items():
        if random.random() < survives:
            text = some[-1] if survives == 1 else random.choice(some)
            left[at : at + len(text)] = text
    return bytes(left[:size])


def record(words, root, cwd, log, **how):
    """Runs a program to its end. @returns how it ended, and the recording."""
    strace = ["strace", "-f", "-y", "-xx", "-qq", "-s", "100000000", "-o", log]
    strace += ["-e", "trace=%s,%s" % (CALLS, UNKNOWN), "-e", "signal=none"]
    done = subprocess.run(
        [*map(str, strace), *map(str, words)], cwd=cwd, capture_output=True, text=True, **how
    )
    with open(log, encoding="ascii") as lines:
        return done, Recording(root, lines, cwd)
