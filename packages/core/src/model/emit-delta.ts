import type { EventDraft } from '@troupe/schema'
import { emitTransient, type Run } from '../session/run.ts'

/**
 * Emits a delta of an answer. Called for every token, so without a redactor the event is a single literal,
 * with space for the sequence number that the log sets.
 */
export function emitDelta(run: Run, of: 'text' | 'reasoning', text: string): void {
  const type = of === 'text' ? 'text-delta' : 'reasoning-delta'
  const { log, redactor, clock } = run.root
  if (redactor !== undefined) {
    emitTransient(run, type, { text })
    return
  }
  const { runId, rootRunId, parentRunId, agent, instance } = run.request
  const { depth } = run
  const event = {
    time: clock.now(),
    runId,
    rootRunId,
    agent: agent.name,
    instance,
    depth,
    type,
    text,
    after: 0,
  }
  log.emitTransient((parentRunId === undefined ? event : { ...event, parentRunId }) as EventDraft)
}
