#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves that the arrows between the rooms of the house only fall.

usage: check_layers.py [ROOT]

Reads all sources of ROOT (this repository) below src/, include/tune/ and apps/ and complains, one
line each, about
  - an include that the file's room has no right to (the table ROOMS),
  - a room that is not in the table,
  - a call inside the core that reads a clock, draws chance, or touches a file or the environment,
  - a block of local message types that is begun in two files, or whose position is set by hand:
    its ids would be those of another,
  - a type that is defined in two files, outside anonymous namespaces: a program that has both takes
    the functions of either for both, and no compiler or linker says so,
  - a function of standard types that an enclosing namespace has, too, in another file: which of them
    a call means depends on what is included before it.
Exit status: 0 clean, 1 with complaints, 2 if there is nothing to read.
"""
import re
import sys
from pathlib import Path

ENGINE = {"core", "trainable", "io"}

# Per room: the rooms it may include, and expressions for the third-party headers it may include.
ROOMS = {
    "core": ({"core"}, []),
    "trainable": ({"core", "trainable"}, []),
    "io": (ENGINE, [r"nlohmann/", r"boost/program_options", r"openssl/", r"sqlite3\.h", r"xxhash\.h"]),
    "actors": (ENGINE | {"actors"}, [r"spdlog/"]),
    "http": (ENGINE | {"actors", "http"}, []),
    "net": (ENGINE | {"actors", "net"}, [r"spdlog/"]),
    "tuner": (ENGINE | {"actors", "net", "tuner"}, [r"spdlog/"]),
    "web": (set(), []),
    "app": (ENGINE | {"tuner", "app"}, []),
    "apps": (ENGINE | {"actors", "http", "net", "tuner", "app", "apps", "example", "web"}, [r"nlohmann/", r"boost/", r"spdlog/", r"archive(_entry)?\.h"]),
}

# Finer than rooms: folders and files with rights of their own.
EXTRA = {
    r"(src|include/tune)/core/search/": [r"Eigen/", r"boost/math/", r"boost/random/"],
    r"src/core/schedule/pb2/": [r"Eigen/"],
    r"src/io/sinks/http/http_client\.cpp$": [r"curl/"],  # one client
    r"src/io/object_store/s3_connection\.cpp$": [r"curl/"],  # which signs, and streams
    r"src/http/(connection|server_core)\.hpp$": [r"boost/(asio|beast)"],  # one transport
    r"src/http/http_server\.cpp$": [r"boost/(asio|beast)", r"openssl/ssl\.h"],
    r"include/tune/(actors|net)/caf(_\w+)?\.hpp$": [r"caf/"],  # the one door to CAF
}

# Rooms that must not know the machine they run on: no POSIX headers either.
PURE = {"core", "trainable"}

# Standard headers that the core has no use for: files, streams to the outside, threads, chance.
NOT_IN_CORE = set(
    """atomic barrier condition_variable csignal ctime filesystem fstream future iostream
    latch mutex random semaphore shared_mutex stop_token syncstream thread""".split()
)

# Calls that would let time, chance, files or the environment into the core.
CALLS_NOT_IN_CORE = re.compile(
    r"::\s*now\s*\("
    r"|(?<![\w.>])(?:std::\s*|::\s*)?(?:time|clock|rand|srand|getenv)\s*\("
    r"|(?<!\w)(?:fopen|f?printf|puts)\s*\("
    r"|\b(?:clock_gettime|gettimeofday|timespec_get|random_device|this_thread)\b"
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".cpp", ".hpp", ".h", ".cc", ".ipp"}
POSIX = re.compile(r"(sys/|netinet/|arpa/|linux/)?\w+\.h$")


def without_comments(text):
    """Blanks comments and the content of string literals; keeps the line structure."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
        re.DOTALL,
    )

    def blank(match):
        found = match.group(0)
        if found.startswith("'") and match.start() and match.string[match.start() - 1].isalnum():
            return found  # a digit separator: 1'000
        line = match.string[: match.start()].rsplit("\n", 1)[-1]
        if re.fullmatch(r"\s*#\s*include\s*", line):
            return found
        return re.sub(r"[^\n]", " ", found)

    return token.sub(blank, text)


def room_of(path):
    """The room of a file, by its path below the root: "core", …, or None outside all rooms."""
    parts = path.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "tune"):
        return parts[2] if len(parts) > 3 else None
    if parts[0] == "apps":
        return "apps"
    return None


def allowed(room, path):
    """The third-party expressions that hold for one file."""
    result = list(ROOMS[room][1])
    for where, more in EXTRA.items():
        if re.match(where, path.as_posix()):
            result += more
    return result


def own_room(root, path, name):
    """The room of an include without tune/ in front, if it is beside or above the file."""
    for base in list(path.parents)[:-1]:
        found = (root / base / name).resolve()
        if found.is_file() and root in found.parents:
            return room_of(found.relative_to(root))
    return None


def include_complaint(root, path, room, name):
    """Why `path` may not include `name`, or None."""
    if name.startswith("tune/"):
        target = room_of(Path("include", *Path(name).parts))
    elif re.match(r"digits/", name):
        target = "example"
    else:
        target = own_room(root, path, name)
    if target:
        return None if target in ROOMS[room][0] else "%s may not include %s" % (room, target)
    if any(re.match(x, name) for x in allowed(room, path)):
        return None
    if re.fullmatch(r"[a-z_0-9]+", name):  # the standard library
        if room == "core" and name in NOT_IN_CORE:
            return "core may not use <%s>" % name
        return None
    if POSIX.fullmatch(name) and room not in PURE:
        known = [x for _, expressions in ROOMS.values() for x in expressions]
        if not any(re.match(x, name) for x in known):
            return None
    return "%s may not include %s" % (room, name)


def complaints_of(root, path):
    """Yields complaints about one file, with line numbers."""
    room = room_of(path)
    if room is None:
        return
    if room not in ROOMS:
        yield "%s: %s is a room that scripts/check_layers.py does not know" % (path, room)
        return
    code = without_comments((root / path).read_text(encoding="utf-8"))
    for number, line in enumerate(code.splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            why = include_complaint(root, path, room, include.group(2))
            if why:
                yield "%s:%d: %s" % (path, number, why)
        elif room == "core":
            call = CALLS_NOT_IN_CORE.search(line)
            if call:
                yield "%s:%d: core may not call %s" % (path, number, call.group(0).strip("( "))


def sources(root):
    for top in ("src", "include/tune", "apps"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root)


LOCAL_BLOCK = re.compile(r"^[ \t]*TUNE_BEGIN_LOCAL_TYPES\s*\(\s*(\w+)\s*\)", re.MULTILINE)
BLOCK_LIST = re.compile(r"enum\s+class\s+local_block\b[^{;]*\{([^}]*)\}")


def doubled_blocks(root, paths):
    """Yields complaints about blocks of local message types that an earlier file began."""
    first = {}
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        for value in re.findall(r"\w+\s*=\s*\w+", "".join(BLOCK_LIST.findall(text))):
            yield "%s: local_block: %s: a position that is set may be another's" % (path, value)
        for block in LOCAL_BLOCK.findall(text):
            if block in first:
                yield "%s: begins the local types %s, as %s does" % (path, block, first[block])
            first.setdefault(block, path)


NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\s*([\w:]*)\s*\{(?!.*\})")
TYPE = re.compile(r"^(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^)]*\)\s*)?(\w+)"
                  r"\s*(?:final\s*)?(?::[^:;{][^;{]*)?\{")


def types_of(text):
    """Yields the full names of the types that a file defines for others, with line numbers."""
    inside = []
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        opened = NAMESPACE.match(line)
        if opened:
            inside.append(opened.group(1))
        elif line.startswith("}") and not line.startswith("};") and inside:
            if re.fullmatch(r"\}\s*", line) and text.splitlines()[number - 1].startswith("} //"):
                inside.pop()
        found = TYPE.match(line)
        if found and "" not in inside:
            yield "::".join([*inside, found.group(1)]), number


def doubled_types(root, paths):
    """Yields complaints about types that an earlier file defines."""
    first = {}
    for path in paths:
        for name, number in types_of((root / path).read_text(encoding="utf-8")):
            if first.setdefault(name, path) != path:
                yield "%s:%d: defines %s, as %s does" % (path, number, name, first[name])


FUNCTION = re.compile(
    r"^(?:\[\[nodiscard\]\]\s+)?(?:(?:inline|constexpr|extern|noexcept)\s+)*"
    r"(?!return\b|using\b|static\b|template\b|else\b)[A-Za-z_](?:::|[\w<>,*&\s])*?[\s*&](\w+)\(([^()]*)\)"
    r"\s*(?:noexcept\s*)?[;{]",
    re.MULTILINE,
)
STANDARD = re.compile(r"(?:const\s+)?(?:std::[\w:]+(?:<[^<>]*>)?|bool|char|double|float|int|unsigned|long)[\s*&]*")


def standard_types(parameters):
    """The types of parameters, or None if one of them is not of the standard: a call of its function
    finds those of the type's own namespace."""
    result = []
    for one in filter(None, (x.split("=")[0].strip() for x in parameters.split(","))):
        kind = re.sub(r"\s*\b(?!const\b|unsigned\b|long\b)\w+$", "", one) if re.search(r"[\s*&]\w+$", one) else one
        if not STANDARD.fullmatch(kind):
            return None
        result.append("".join(kind.split()))
    return tuple(result)


def functions_of(text):
    """Yields the free functions of standard types that a file shows others: namespace, name, types
    and line number."""
    code = without_comments(text)
    starts = {}
    inside = []
    lines = text.splitlines()
    for number, line in enumerate(code.splitlines(), 1):
        opened = NAMESPACE.match(line)
        if opened:
            inside.append(opened.group(1))
        elif re.fullmatch(r"\}\s*", line) and lines[number - 1].startswith("} //") and inside:
            inside.pop()
        starts[number] = tuple(inside)
    for found in FUNCTION.finditer(code):
        number = code.count("\n", 0, found.start()) + 1
        types = standard_types(found.group(2))
        if types and "" not in starts[number]:
            yield "::".join(starts[number]), found.group(1), types, number


def hidden_functions(root, paths):
    """Yields complaints about functions that hide one of an enclosing namespace."""
    known = {}
    for path in paths:
        for space, name, types, number in functions_of((root / path).read_text(encoding="utf-8")):
            known.setdefault((name, types), {}).setdefault(space, (path, number))
    for (name, _), places in sorted(known.items()):
        for space, (path, number) in sorted(places.items()):
            for outer, (other, _) in sorted(places.items()):
                if space.startswith(outer + "::"):
                    yield "%s:%d: %s::%s hides %s::%s of %s" % (path, number, space, name, outer, name, other)


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    paths = list(sources(root))
    if not paths:
        print("no sources below %s" % root, file=sys.stderr)
        return 2
    complaints = [x for path in paths for x in complaints_of(root, path)]
    complaints += doubled_blocks(root, paths)
    complaints += doubled_types(root, paths)
    complaints += hidden_functions(root, paths)
    for x in complaints:
        print(x)
    print("%d files read, %d complaints" % (len(paths), len(complaints)))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
