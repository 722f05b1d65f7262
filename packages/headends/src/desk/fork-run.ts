import { troupeError, type RunReport } from '@troupe/schema'
import { awaitBegin, type StartedRun } from './await-begin.ts'
import type { DeskContext } from './desk-context.ts'
import { DETACHED } from './detached.ts'
import { findRun, type AskedRun } from './find-run.ts'
import { readRequest } from './kept-request.ts'
import { putToWork } from './put-to-work.ts'
import type { RunFork } from './run-host.ts'

/** A run to fork, and the turn to fork it at. */
export type AskedFork = AskedRun & Pick<RunFork, 'at' | 'acceptChanges' | 'prompts'>

/** Forks a run at a turn. Rejects with `run_unknown`, or with `agent_unknown` if its agent is not served. */
export async function forkRun(
  { runId, principal, ...fork }: AskedFork,
  context: DeskContext,
): Promise<StartedRun | RunReport> {
  const { host, newId } = context
  await findRun({ runId, principal }, context)
  await requireServed(runId, context)
  const newRunId = newId('run')
  const note = { ...DETACHED, forkOf: { runId, at: fork.at } }
  const working = putToWork(
    {
      runId: newRunId,
      principal,
      async begin(own) {
        const { report } = await host.fork(runId, { ...own, ...fork, note, principal, runId: newRunId })
        return report
      },
    },
    context,
  )
  return awaitBegin(working, context)
}

async function requireServed(runId: string, { runner, store }: DeskContext): Promise<void> {
  const { name } = (await readRequest(store, runId))?.agent ?? { name: '' }
  if (!runner.agents().some((agent) => agent.name === name))
    throw troupeError('agent_unknown', `No agent "${name}" is served.`)
}
