import { basename } from 'node:path'
import type { McpServerConfig } from '@troupe/schema'
import type { ServerTarget, StdioTarget } from './server-target.ts'

const RUNNERS: ReadonlySet<string> = new Set(['npx', 'npx.cmd', 'bunx', 'pnpx'])
const OTHER_RUNNERS: ReadonlySet<string> = new Set(['uvx', 'pipx', 'docker', 'podman'])

/** Returns true for commands that download the package they run. */
function isPackageRunner({ command }: Pick<StdioTarget, 'command'>): boolean {
  const name = basename(command)
  return RUNNERS.has(name) || OTHER_RUNNERS.has(name)
}

/**
 * Returns the package that a runner such as `npx` would download in its latest version, so that its publisher
 * decides what runs. `undefined` if the version is pinned or nothing is downloaded.
 */
export function unpinnedPackage({ command, args }: StdioTarget): string | undefined {
  if (!RUNNERS.has(basename(command))) return undefined
  const spec = packageSpec(args)
  if (spec === undefined || /^[./~]|[:\\]/u.test(spec)) return undefined
  const version = spec.lastIndexOf('@') > 0 ? spec.slice(spec.lastIndexOf('@') + 1) : ''
  return version === '' || version === 'latest' ? spec : undefined
}

function packageSpec(args: readonly string[]): string | undefined {
  for (const [index, argument] of args.entries()) {
    if (argument === '-p' || argument === '--package') return args[index + 1]
    if (argument.startsWith('--package=')) return argument.slice('--package='.length)
    if (!argument.startsWith('-')) return argument
  }
  return undefined
}

const START_TIMEOUT = 10_000
/** `npx` and similar runners may have to download the package first. */
const FETCH_AND_START_TIMEOUT = 60_000

/**
 * Returns the time limit for the start of a server, in ms: from its definition, else from the pool, else a
 * default that depends on the command.
 */
export function startTimeoutOf(
  target: ServerTarget,
  { startTimeout }: Pick<McpServerConfig, 'startTimeout'>,
  poolDefault: number | undefined,
): number {
  const known = startTimeout ?? poolDefault
  if (known !== undefined) return known
  return target.kind === 'stdio' && isPackageRunner(target) ? FETCH_AND_START_TIMEOUT : START_TIMEOUT
}
