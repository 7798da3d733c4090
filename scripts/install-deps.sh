#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs what building, testing and the examples need, on Debian 12 and Ubuntu 24.04.
# Quick and without root when everything is there already.
#
#   scripts/install-deps.sh [PACKAGE...]   these, too, where the system's archive has them
set -euo pipefail

packages=(
  ccache
  cmake
  faketime
  g++
  git
  iproute2
  libarchive-dev
  libbenchmark-dev
  libboost-dev
  libboost-program-options-dev
  libcaf-dev
  libcurl4-openssl-dev
  libeigen3-dev
  libfmt-dev
  libgmock-dev
  libgtest-dev
  libncurses-dev
  libspdlog-dev
  libsqlite3-dev
  libssl-dev
  libsvm-tools
  libxxhash-dev
  ninja-build
  nlohmann-json3-dev
  node-d3
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

is_in_archive() {
  # No pipe to `grep -q`, which ends first: apt-cache would fail by SIGPIPE, now and then.
  [[ $(apt-cache policy "$1" 2>/dev/null || true) == *'Candidate: '[^\(]* ]]
}

is_there() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true) == installed ]]
}

missing=()
for package in "${packages[@]}"; do
  is_there "$package" || missing+=("$package")
done
# A package that the archive is known not to have is not asked for again.
optional=()
for package in "$@"; do
  if ! is_there "$package" && { ((${#missing[@]} > 0)) || is_in_archive "$package"; }; then
    optional+=("$package")
  fi
done
if ((${#missing[@]} + ${#optional[@]} == 0)); then
  echo "install-deps: all ${#packages[@]} packages are there"
  exit 0
fi

root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    if ((${#missing[@]} == 0)); then
      echo "install-deps: without root there is no ${optional[*]}, which some tests want"
      exit 0
    fi
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

install() {
  local wanted=("${missing[@]}") package
  apt update || return
  for package in "${optional[@]}"; do
    if is_in_archive "$package"; then wanted+=("$package"); fi
  done
  ((${#wanted[@]} == 0)) || apt install --no-install-recommends "${wanted[@]}"
}

echo "install-deps: installing" "${missing[@]}" "${optional[@]}"
for attempt in 1 2 3; do
  if install; then
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
