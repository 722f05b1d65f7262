#!/bin/sh
# Makes the two base images from packages of Debian and npm, for machines that cannot reach an image registry. Needs root,
# buildah, mmdebstrap and npm. Then:
#   BUILD_BASE=localhost/troupe-build-base RUN_BASE=localhost/troupe-run-base deploy/image/build-from-clone.sh TAG
set -eu

node=24.11.0
case $(uname -m) in
x86_64) arch=x64 ;;
aarch64) arch=arm64 ;;
*) echo "local-bases.sh: no Node for $(uname -m)" >&2 && exit 1 ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# no shell and no package manager, like the base from the registry
mmdebstrap --quiet --variant=extract \
  --include=base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libstdc++6,libssl3,zlib1g \
  bookworm run.tar
mmdebstrap --quiet --variant=essential bookworm build.tar
npm pack --silent "node-linux-$arch@$node" >/dev/null
tar -xzf "node-linux-$arch-$node.tgz" package/bin/node

printf 'FROM scratch\nADD run.tar /\n' >run.Containerfile
printf 'FROM scratch\nADD build.tar /\nCOPY package/bin/node /usr/local/bin/node\n' >build.Containerfile
buildah build --quiet --tag localhost/troupe-run-base --file run.Containerfile . >/dev/null
buildah build --quiet --tag localhost/troupe-build-base --file build.Containerfile . >/dev/null
