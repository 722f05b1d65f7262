/** Files of `deploy/` that `troupe new --kind deploy` writes. The build copies them into the package. */
export const DEPLOY_FILES: readonly string[] = [
  'compose/compose.yaml',
  'image/Containerfile',
  'image/Containerfile.dockerignore',
  'image/build.sh',
  'kubernetes/troupe.yaml',
  'proxies/Caddyfile',
  'proxies/nginx.conf',
  'systemd/troupe-server.service',
  'systemd/troupe-slack.service',
  'systemd/troupe-worker@.service',
  'systemd/workers.conf',
]
