import { redactValues } from '@troupe/env'
import { openRequests, troupeError, type AgentDefinition, type Failure } from '@troupe/schema'
import type { ResumeState, RunRequest, RunTask, TaskResult, TaskServices } from '@troupe/schema/ports'
import { storeDecision } from '../approvals/store-decision.ts'
import { withHistory } from '../conversations/stored-conversations.ts'
import { findAgent } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { executeRun } from './execute-root-run.ts'
import { collectUnpriced } from './report.ts'
import { readResumeState } from './resume-state.ts'
import type { RunsContext } from './runs-context.ts'

/**
 * Executes one run of a run tree whose runs are spread over workers, or continues it from its stored steps.
 * Rejects with `run_changed` if this process has other versions of its cards.
 */
export function executeTask(
  task: RunTask,
  services: TaskServices,
  context: RunsContext,
): Promise<TaskResult> {
  const { team } = context
  const reveal = team.current.redactor?.reveal
  const overrides = task.tree.team
  const changes = overrides && (reveal === undefined ? overrides : redactValues(overrides, reveal))
  return useTeam(team, (snapshot) => executeWith(snapshot, { task, services }, context), changes)
}

async function executeWith(
  snapshot: TeamSnapshot,
  { task, services }: { readonly task: RunTask; readonly services: TaskServices },
  context: RunsContext,
): Promise<TaskResult> {
  const { redactor } = snapshot
  const { log, signal } = services
  const stored = redactor === undefined ? task.request : redactValues(task.request, redactor.reveal)
  const definition = requireSameCards(stored, snapshot)
  const request = await withHistory(stored, { store: context.requireStore(), redactor })
  const past = await readPast({ task, services }, context)
  const { timeout } = task.tree
  const options = {
    signal,
    resumable: isInterruption,
    wait: task.tree.waits === true,
    ...(timeout === undefined || request.parentRunId !== undefined ? {} : { timeout }),
  }
  const root = { team: snapshot, definition, request, options, log, task: { tree: task.tree, services } }
  const { result, waitsFor } = await context.live.start(request.runId, (handle) =>
    executeRun(
      past === undefined ? root : { ...root, past },
      { handle, account: collectUnpriced() },
      context,
    ),
  )
  const { failure } = result
  if (failure?.code === 'run_waiting' && waitsFor !== undefined)
    return { state: 'waiting', approvalIds: waitsFor }
  return failure?.code === 'run_interrupted' ? { state: 'interrupted' } : { state: 'ended', result }
}

/** Returns the definition of the agent. Throws `run_changed` unless it and all above it are loaded unchanged. */
function requireSameCards({ runId, agent, ancestry }: RunRequest, { loaded }: TeamSnapshot): AgentDefinition {
  const changed = [...ancestry, agent].find(
    ({ name, digest }) => loaded.catalogue.get(name)?.digest !== digest,
  )
  if (changed === undefined) return findAgent(loaded, agent.name).member.definition
  throw troupeError(
    'run_changed',
    `This worker has another version of the card ${changed.name} than the run ${runId}, or none.`,
    { fix: 'Start the worker with the cards of the server.' },
  )
}

/** Stores the decisions that were made while the run was suspended, then reads its state. */
async function readPast(
  { task, services }: { readonly task: RunTask; readonly services: TaskServices },
  { clock }: RunsContext,
): Promise<ResumeState | undefined> {
  const { log, decisions, readEvents } = services
  if (decisions.length > 0) {
    const events = await readEvents()
    const open = new Set(openRequests(events).map(({ approvalId }) => approvalId))
    const now = clock.now()
    for (const { approvalId, decision } of decisions)
      if (open.has(approvalId)) await storeDecision(log, events, { approvalId, decision, now })
    await log.waitForCommit()
  }
  const past = await readResumeState(log, { runId: task.request.runId, clock, readEvents })
  // Runs below may be in progress on other workers, which end them.
  return past && { ...past, abandonedRunStarts: () => [] }
}

/** Returns true if the run is to be continued later, and not cancelled. */
function isInterruption(reason: unknown): boolean {
  return (reason as Partial<Failure> | undefined)?.code !== 'run_cancelled'
}
