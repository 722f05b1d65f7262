import { NO_USAGE, type RunEvent } from '@troupe/schema'
import type { TimelineRun } from './view.ts'

/** Creates the view state of a run that has just started. */
export function startRun(event: Extract<RunEvent, { readonly type: 'run-start' }>): TimelineRun {
  return {
    runId: event.runId,
    ...(event.parentRunId === undefined ? {} : { parentRunId: event.parentRunId }),
    ...(event.callId === undefined ? {} : { callId: event.callId }),
    agent: event.agent,
    instance: event.instance,
    depth: event.depth,
    state: 'running',
    activity: 'starting',
    input: event.input,
    model: event.model[0] ?? '',
    turn: 0,
    calls: [],
    approvals: [],
    text: '',
    usage: NO_USAGE,
    startedAt: event.time,
    shortenings: [],
    warnings: [],
    logs: [],
    maxInstances: event.maxInstances,
    blockStart: 0,
  }
}
