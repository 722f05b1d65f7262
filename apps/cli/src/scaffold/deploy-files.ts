import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

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

/** Folders of the files: in the package, and in the repository. */
const FOLDERS = ['./deploy/', '../../../../deploy/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** Line of the Containerfile with the version of the command that the image gets. */
const VERSION_LINE = /^ARG TROUPE_VERSION=.*$/mu

const SOURCE_VERSION = '0.0.0'

/** Secrets of the compose file and of the Kubernetes secret. */
const GITIGNORE = '/compose/.env\n/compose/secrets/\n/kubernetes/troupe.env\n'

/**
 * Returns the texts of the files to run a team on servers, by their paths. The image gets this version of the command,
 * or the latest one if the version is that of the sources, which is not published.
 */
export function deployFiles(version: string): Readonly<Record<string, string>> {
  const folder = FOLDERS.find((each) => existsSync(`${each}${DEPLOY_FILES[0]}`))
  if (folder === undefined) throw new Error(`The files for servers are missing in ${FOLDERS[0]}.`)
  const texts = DEPLOY_FILES.map((path) => {
    const text = readFileSync(`${folder}${path}`, 'utf8')
    const isPublished = version !== SOURCE_VERSION
    return [
      `deploy/${path}`,
      isPublished ? text.replace(VERSION_LINE, `ARG TROUPE_VERSION=${version}`) : text,
    ]
  })
  return { ...(Object.fromEntries(texts) as Record<string, string>), 'deploy/.gitignore': GITIGNORE }
}
