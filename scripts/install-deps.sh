#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs what building, testing and the examples need, on Debian 12 and Ubuntu 24.04.
# Quick and without root when everything is there already.
set -euo pipefail

packages=(
  ccache
  cmake
  faketime
  g++
  git
  iproute2
  libbenchmark-dev
  libboost-dev
  libboost-program-options-dev
  libcaf-dev
  libeigen3-dev
  libfmt-dev
  libgmock-dev
  libgtest-dev
  libspdlog-dev
  libsqlite3-dev
  libssl-dev
  libsvm-tools
  libxxhash-dev
  ninja-build
  nlohmann-json3-dev
  openssl
  pkgconf
  python3
  sqlite3
  strace
)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps: this system has no apt; please install what these packages hold:" >&2
  printf '  %s\n' "${packages[@]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "install-deps: all ${#packages[@]} packages are there"
  exit 0
fi

root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: needs root to install: ${missing[*]}" >&2
    exit 1
  fi
  root=(sudo)
fi

log=$(mktemp "${TMPDIR:-/tmp}/install-deps.XXXXXX.log")
apt() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=120 "$@" >>"$log" 2>&1
}

echo "install-deps: installing ${missing[*]}"
for attempt in 1 2 3; do
  if apt update && apt install --no-install-recommends "${missing[@]}"; then
    rm -f "$log"
    echo "install-deps: done"
    exit 0
  fi
  echo "install-deps: attempt $attempt failed" >&2
  ((attempt == 3)) || sleep $((attempt * 3))
done
echo "install-deps: giving up; the end of $log:" >&2
tail -n 30 "$log" >&2
exit 1
