import type { EventDraft } from '@troupe/schema'
import { tell, type Run } from '../session/run.ts'

/** Tells a piece of an answer. Every token comes by here, so without secrets to hide the event is made in one go, with room for its place in the log. */
export function tellDelta(run: Run, of: 'text' | 'reasoning', text: string): void {
  const type = of === 'text' ? 'text-delta' : 'reasoning-delta'
  const { log, redactor, clock } = run.root
  if (redactor !== undefined) {
    tell(run, type, { text })
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
  log.tell((parentRunId === undefined ? event : { ...event, parentRunId }) as EventDraft)
}
