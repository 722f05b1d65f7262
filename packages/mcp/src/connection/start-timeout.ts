import type { McpServerConfig } from '@troupe/schema'
import { isPackageRunner } from '../pool/unpinned-package.ts'
import type { ServerTarget } from '../pool/server-target.ts'

const START_TIMEOUT = 10_000
/** What `npx` and its like run is fetched first, where it is not there yet. */
const FETCH_AND_START_TIMEOUT = 60_000

/** How long a server may take to start and answer, in ms: as its definition says, else as the pool says, else by what has to happen. */
export function startTimeoutOf(
  target: ServerTarget,
  { startTimeout }: Pick<McpServerConfig, 'startTimeout'>,
  ofPool: number | undefined,
): number {
  const known = startTimeout ?? ofPool
  if (known !== undefined) return known
  return target.kind === 'stdio' && isPackageRunner(target) ? FETCH_AND_START_TIMEOUT : START_TIMEOUT
}
