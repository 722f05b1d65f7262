import { toFailure } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { isDetached } from './detached.ts'
import { goOn } from './go-on.ts'
import { readRequest, type KeptRequest } from './kept-request.ts'
import { readSummary } from './run-summary.ts'

/** Goes on with runs of a desk that no process works on any more: after a crash. Resolves with how many there are. */
export async function recoverRuns(context: DeskContext): Promise<number> {
  const { store, runner } = context
  const left = (await store.roots()).filter((root) => !root.open)
  let count = 0
  for (const root of left) {
    if ((await readSummary(store, root))?.state !== 'interrupted') continue
    const kept = await readRequest(store, root.rootRunId).catch(nothingOfDamaged)
    if (kept === undefined || !isDetached(kept) || !isServed(kept, runner)) continue
    goOn({ runId: root.rootRunId, principal: kept.principal }, context)
    count += 1
  }
  return count
}

/** What cannot be read cannot go on, and is no reason for others not to. */
function nothingOfDamaged(thrown: unknown): undefined {
  if (toFailure(thrown).code !== 'store_corrupt') throw thrown
}

/** The agent is served, and is what it was; whether it is where the run changed its team only the host can say. */
function isServed({ agent, team }: KeptRequest, runner: DeskContext['runner']): boolean {
  return runner
    .agents()
    .some(({ name, digest }) => name === agent.name && (team !== undefined || digest === agent.digest))
}
