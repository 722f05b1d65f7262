import {
  NO_USAGE,
  type Account,
  type EventPayloads,
  type RunEvent,
  type Spend,
  type Usage,
} from '@troupe/schema'
import { createJournal } from './journal.ts'
import type { Run } from './run.ts'

/** What a run spent itself before it was interrupted is part of its account. */
export function addPastUsage(run: Run): void {
  for (const event of run.journal?.usage ?? []) addEvent(run.account, event)
}

/** And of its budget, once it has one. */
export function chargePast(run: Run): void {
  for (const { tokens } of run.journal?.usage ?? []) run.pot?.charge(toSpend(tokens))
}

/** Counts what a child spent that ended before the run was interrupted and is not opened again. */
export async function adoptUsage(run: Run, childRunId: string): Promise<void> {
  const past = await run.root.past?.run(childRunId)
  if (past === undefined) return
  const journal = createJournal(past, run.root)
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  if (end !== undefined) {
    addEnd(run.account, end)
    run.pot?.charge(toSpend(end.usage))
    return
  }
  // abandoned by its parent: it has no end
  for (const event of journal.usage) {
    addEvent(run.account, event)
    run.pot?.charge(toSpend(event.tokens))
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
