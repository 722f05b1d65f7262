import {
  eventHead,
  failure,
  type EventPayloads,
  type Json,
  type RootPast,
  type RunEvent,
} from '@troupe/schema'
import { createAccount } from '../budget/account.ts'
import { addEvents } from '../budget/adopt-usage.ts'
import type { Run } from '../session/run.ts'

/**
 * Tells the ends of runs that those above them had given up, and that went down with their process: every run has one. Once the root that
 * was resumed is at its own end, as by then all that go on have asked for what is kept of them.
 */
export function endAbandoned({ root }: Pick<Run, 'root'>): void {
  const { past, log, clock } = root
  for (const start of past?.abandoned() ?? []) {
    const { runId } = start
    const now = clock.now()
    const payload = endOf(start, past?.eventsBelow(runId) ?? [], now)
    log.write({
      runId,
      event: { ...eventHead(start, 'run-end', now), ...payload },
      step: { key: 'end', value: payload as unknown as Json },
    })
  }
}

type RunStart = ReturnType<RootPast['abandoned']>[number]

function endOf({ time }: RunStart, events: readonly RunEvent[], now: number): EventPayloads['run-end'] {
  const account = createAccount()
  addEvents(account, events)
  return {
    outcome: 'cancelled',
    output: { format: 'text' },
    usage: account.total(),
    byAgent: account.byAgent(),
    unpriced: account.unpriced(),
    error: failure('run_cancelled', 'The run was abandoned, and its process ended before it did.'),
    durationMs: Math.max(0, Math.round((events.at(-1)?.time ?? now) - time)),
  }
}
