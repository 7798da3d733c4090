#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that all C++ sources are formatted as .clang-format says.
#
#   scripts/check_format.sh          complains, file by file
#   scripts/check_format.sh --fix    formats
#
# Versions of clang-format differ in details; this house is formatted by the one below.
# Exit status: 0 clean, 1 with complaints, 77 skipped: no such clang-format.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=14

formatter=
for candidate in "clang-format-$version" clang-format; do
  if command -v "$candidate" >/dev/null && [[ $("$candidate" --version) == *"version $version."* ]]; then
    formatter=$candidate
    break
  fi
done
if [[ -z $formatter ]]; then
  echo "skipped: clang-format $version is not installed"
  exit 77
fi

sources() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z '*.cpp' '*.hpp'
  else
    find . -path './build*' -prune -o -name '*.[ch]pp' -print0
  fi
}

if [[ ${1:-} == --fix ]]; then
  sources | xargs -0 "$formatter" -i
elif sources | xargs -0 -n 20 -P 2 "$formatter" --dry-run -Werror; then
  echo "$(sources | tr -cd '\0' | wc -c) files are formatted"
else
  echo "run scripts/check_format.sh --fix" >&2
  exit 1
fi
