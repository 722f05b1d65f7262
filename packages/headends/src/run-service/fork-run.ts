import { troupeError, type RunReport } from '@troupe/schema'
import { findRun, type RunRef } from './find-run.ts'
import { awaitStart, type StartedRun, launchRun } from './launch-run.ts'
import type { RunServiceContext, RunFork } from './run-service-context.ts'
import { DETACHED_NOTE, readRequest } from './stored-run-request.ts'

/** A run to fork, and the turn to fork it at. */
export type ForkRequest = RunRef & Pick<RunFork, 'at' | 'acceptChanges' | 'prompts'>

/** Forks a run at a turn. Rejects with `run_unknown`, or with `agent_unknown` if its agent is not served. */
export async function forkRun(
  { runId, principal, ...fork }: ForkRequest,
  context: RunServiceContext,
): Promise<StartedRun | RunReport> {
  const { host, newId } = context
  await findRun({ runId, principal }, context)
  await requireServed(runId, context)
  const newRunId = newId('run')
  const note = { ...DETACHED_NOTE, forkOf: { runId, at: fork.at } }
  const launched = launchRun(
    {
      runId: newRunId,
      principal,
      async execute(own) {
        const { report } = await host.fork(runId, { ...own, ...fork, note, principal, runId: newRunId })
        return report
      },
    },
    context,
  )
  return awaitStart(launched, context)
}

async function requireServed(runId: string, { runner, store }: RunServiceContext): Promise<void> {
  const { name } = (await readRequest(store, runId))?.agent ?? { name: '' }
  if (!runner.agents().some((agent) => agent.name === name))
    throw troupeError('agent_unknown', `No agent "${name}" is served.`)
}
