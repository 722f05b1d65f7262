import {
  NO_USAGE,
  type Account,
  type EventPayloads,
  type RunEvent,
  type Spend,
  type Usage,
} from '@troupe/schema'
import { ONE_TOOL_CALL } from '../calls/one-tool-call.ts'
import type { Run } from '../session/run.ts'

/** What a run spent itself before it was interrupted is part of its account. */
export function addPastUsage(run: Run): void {
  for (const event of run.journal?.usage ?? []) addEvent(run.account, event)
}

/** And of its budget, once it has one. */
export function chargePast(run: Run): void {
  for (const { tokens } of run.journal?.usage ?? []) run.pot?.charge(toSpend(tokens))
}

/** Counts what a child spent that ended before the run was interrupted, or was abandoned, and is not opened again. */
export function adoptUsage(run: Run, childRunId: string): void {
  const events = run.root.past?.eventsBelow(childRunId) ?? []
  const end = events.find((event) => event.type === 'run-end' && event.runId === childRunId)
  if (end?.type === 'run-end') {
    addEnd(run.account, end)
    run.pot?.charge(toSpend(end.usage))
    return
  }
  addEvents(run.account, events)
  for (const event of events) if (event.type === 'usage') run.pot?.charge(toSpend(event.tokens))
}

/** Adds what runs used that have no end. */
export function addEvents(account: Account, events: readonly RunEvent[]): void {
  for (const event of events) {
    if (event.type === 'usage') addEvent(account, event)
    if (event.type === 'tool-result') account.add(event.agent, ONE_TOOL_CALL)
  }
}

/** Adds what an ended run and everything below it used. */
export function addEnd(account: Account, { byAgent, unpriced }: EventPayloads['run-end']): void {
  const rows = Object.entries(byAgent)
  for (const [agent, usage] of rows) account.add(agent, usage)
  const [first] = rows
  for (const model of unpriced) account.add(first?.[0] ?? '', NO_USAGE, model)
}

/** What a pot counts of a usage. */
export function toSpend({ input, output, micros }: Usage): Spend {
  return { tokens: input + output, micros }
}

function addEvent(account: Account, { agent, tokens, cost, model }: UsageEvent): void {
  account.add(agent, tokens, cost === null ? model : undefined)
}

type UsageEvent = Extract<RunEvent, { readonly type: 'usage' }>
