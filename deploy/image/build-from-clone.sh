#!/bin/sh
# Builds the image from the sources of this clone instead of the package from npm. Usage:
#   deploy/image/build-from-clone.sh TAG [FOLDER OF THE CARDS]
# It takes the same variables as build.sh.
set -eu

tag=${1:?usage: build-from-clone.sh TAG [FOLDER OF THE CARDS]}
root=$(cd "$(dirname "$0")/../.." && pwd)
team=$(cd "${2:-$root/examples/workers/team}" && pwd)
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

cd "$root"
npx -y pnpm@12 build
cp -R "$team/." "$context"
mkdir -p "$context/deploy"
cp -R deploy/image "$context/deploy/image"
npx -y pnpm@12 --filter troupe pack --out "$context/deploy/image/troupe.tgz" >/dev/null
REVISION=$(git rev-parse HEAD) "$context/deploy/image/build.sh" "$tag"
