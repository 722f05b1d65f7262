import type { McpServerConfig } from '@troupe/schema'
import { isPackageRunner } from '../pool/unpinned-package.ts'
import type { ServerTarget } from '../pool/server-target.ts'

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
