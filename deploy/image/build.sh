#!/bin/sh
# Builds the image with docker, podman or buildah, whichever is installed. Usage, from a clone:
#   deploy/image/build.sh TAG [FOLDER OF THE CARDS]
# BUILD_BASE and RUN_BASE replace the base images; local-bases.sh makes some without a registry.
set -eu

tag=${1:?usage: build.sh TAG [FOLDER OF THE CARDS]}
root=$(cd "$(dirname "$0")/../.." && pwd)
team=$(cd "${2:-$root/examples/workers/team}" && pwd)
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

cd "$root"
npx -y pnpm@12 build
npx -y pnpm@12 --filter troupe pack --out "$context/troupe.tgz" >/dev/null
cp -R "$team" "$context/team"
# never part of an image
find "$context/team" \( -name '.env*' -o -name '*.env' -o -name .git -o -name node_modules \) -prune -exec rm -rf {} +

set -- --file deploy/image/Containerfile --tag "$tag" \
  --build-arg VERSION="${tag##*:}" \
  --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || echo unknown)"
[ -z "${BUILD_BASE:-}" ] || set -- "$@" --build-arg BUILD_BASE="$BUILD_BASE"
[ -z "${RUN_BASE:-}" ] || set -- "$@" --build-arg RUN_BASE="$RUN_BASE"

if docker info >/dev/null 2>&1; then docker build "$@" "$context"
# the format of Docker, because that of OCI has no HEALTHCHECK
elif command -v podman >/dev/null; then podman build --format docker "$@" "$context"
elif command -v buildah >/dev/null; then buildah build --format docker "$@" "$context"
else
  echo "build.sh: install docker, podman or buildah" >&2
  exit 1
fi
