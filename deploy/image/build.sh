#!/bin/sh
# Builds the image with docker, podman or buildah, the first one that can be used. Usage:
#   deploy/image/build.sh TAG
# It contains the cards of the folder that contains `deploy`. Variables: TROUPE_VERSION is the version of the command,
# BUILD_BASE and RUN_BASE replace the base images, and REVISION is the commit for the labels of the image.
set -eu

tag=${1:?usage: build.sh TAG}
cd "$(dirname "$0")/../.."

set -- --file deploy/image/Containerfile --tag "$tag" \
  --build-arg VERSION="${tag##*:}" \
  --build-arg REVISION="${REVISION:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}"
[ -z "${TROUPE_VERSION:-}" ] || set -- "$@" --build-arg TROUPE_VERSION="$TROUPE_VERSION"
[ -z "${BUILD_BASE:-}" ] || set -- "$@" --build-arg BUILD_BASE="$BUILD_BASE"
[ -z "${RUN_BASE:-}" ] || set -- "$@" --build-arg RUN_BASE="$RUN_BASE"

# docker finds the ignore file by its name; the format of Docker, because that of OCI has no HEALTHCHECK
ignore=deploy/image/Containerfile.dockerignore
if command -v docker >/dev/null && problem=$(docker info 2>&1 >/dev/null); then DOCKER_BUILDKIT=1 docker build "$@" .
elif command -v podman >/dev/null; then podman build --format docker --ignorefile "$ignore" "$@" .
elif command -v buildah >/dev/null; then buildah build --format docker --ignorefile "$ignore" "$@" .
elif command -v docker >/dev/null; then
  echo "build.sh: docker is installed, but does not answer: $problem" >&2
  exit 1
else
  echo "build.sh: install docker, podman or buildah" >&2
  exit 1
fi
