#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes packages of the program, in build/release/packages:
#
#   tune-node_VERSION_ARCH.deb       the program, its examples and documents
#   tune-node-dev_VERSION_ARCH.deb   headers and libraries, for C++ programs
#   tune-node-VERSION-ARCH.tar.gz    the program with all libraries that it needs but the C
#                                    library's: unpack it anywhere, on any Linux whose C library is
#                                    as new as that of this machine
#
#   scripts/package.sh [BUILD]
#
# With BUILD, a directory in which the program has been built already, of that; the packages are in
# BUILD/packages then.
set -euo pipefail

if (($# > 0)); then
  build=$(realpath "$1")
  cmake --build "$build" --target tune_package_files >/dev/null
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
else
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
  scripts/install-deps.sh dpkg-dev file patchelf
  scripts/build.sh release tune-node tune_package_files
  build=$PWD/build/release
fi

packages=$build/packages
rm -rf "$packages"
(cd "$build" && cpack -G DEB >/dev/null)
rm -rf "$packages/_CPack_Packages"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tune-package.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
version=$(sed -n 's/^project(tune VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=tune-node-$version-$(uname -m)
cmake --install "$build" --prefix "$scratch/$name" --component runtime --strip >/dev/null

program=$scratch/$name/bin/tune-node
libraries=$scratch/$name/lib/tune-node
mkdir -p "$libraries"
# Those of the C library come with the system, with which they must agree.
ldd "$program" | awk '$2 == "=>" { print $3 }' |
  grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*)\.so' |
  while read -r library; do
    cp -L "$library" "$libraries/"
    patchelf --set-rpath "\$ORIGIN" "$libraries/${library##*/}"
  done
patchelf --set-rpath "\$ORIGIN/../lib/tune-node" "$program"
tar -C "$scratch" --owner=0 --group=0 -czf "$packages/$name.tar.gz" "$name"

ls -l "$packages" | awk 'NR > 1 { print $5, $9 }'
