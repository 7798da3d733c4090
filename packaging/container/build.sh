#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds an image of the Debian package, by buildah.
#
#   packaging/container/build.sh [--bootstrap] [--name NAME] [PACKAGE]
#
#   PACKAGE      tune-node_VERSION_ARCH.deb; the one below build/release/packages without it
#   --bootstrap  makes the base image by mmdebstrap from this machine's own package sources, of its
#                own release of Debian or Ubuntu, where no registry of images can be reached
#   --name NAME  of the image; localhost/tune-node:VERSION without it
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

bootstrap=
name=
package=
while (($# > 0)); do
  case $1 in
    --bootstrap) bootstrap=yes ;;
    --name) name=$2 && shift ;;
    -*) sed -n '3,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
    *) package=$1 ;;
  esac
  shift
done
if [[ -z $package ]]; then
  package=$(ls "$here"/../../build/release/packages/tune-node_*.deb)
fi
version=$(dpkg-deb --field "$package" Version)
name=${name:-localhost/tune-node:${version%-*}}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tune-container.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cp "$package" "$scratch/tune-node.deb"
cp "$here/Containerfile" "$scratch/"
more=()
if [[ -n $bootstrap ]]; then
  base=localhost/tune-node-base
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mmdebstrap --quiet --variant=apt --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$release" "$scratch/base.tar"
  from=$(buildah from scratch)
  buildah add --quiet "$from" "$scratch/base.tar" / >/dev/null
  buildah commit --quiet --rm "$from" "$base" >/dev/null
  rm "$scratch/base.tar"
  more=(--build-arg "BASE=$base" --pull-never)
fi
# A user that is root of no machine has no other way to run programs while it builds.
buildah build --isolation "${BUILDAH_ISOLATION:-chroot}" --layers=false "${more[@]}" \
  --build-arg "FURTHER=${FURTHER-}" --tag "$name" "$scratch"
echo "$name"
