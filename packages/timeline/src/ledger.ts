import {
  addUsage,
  NO_USAGE,
  type Failure,
  type Outcome,
  type RunEvent,
  type ToolSource,
  type Usage,
} from '@troupe/schema'
import type { Accounts, InstanceAccount } from './account-view.ts'
import { accountsOf } from './accounts.ts'

/** Where an entry belongs. */
interface EntryPlace {
  /** Its place in the log of the root. */
  readonly seq: number
  /** Wall time in ms. */
  readonly time: number
  readonly runId: string
  readonly agent: string
  readonly instance: string
}

/** One model call, whether it gave an answer or failed (C54). */
export interface ModelEntry extends EntryPlace {
  readonly kind: 'model'
  readonly turn: number
  readonly provider: string
  readonly model: string
  readonly tokens: Usage
  /** In USD; null: the price is not known. */
  readonly cost: number | null
  readonly latencyMs: number
  readonly estimated: boolean
}

/** One tool call (C55); one of an agent names the run it opened. */
export interface ToolEntry extends EntryPlace {
  readonly kind: 'tool'
  readonly callId: string
  readonly toolName: string
  readonly source: ToolSource
  readonly server?: string
  readonly outcome: Outcome
  readonly error?: Failure
  /** More than one where a hook repeated it; 0: it was refused before it ran. */
  readonly attempts: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly durationMs: number
  readonly childRunId?: string
  readonly childInstance?: string
}

/** One line of the ledger. */
export type LedgerEntry = ModelEntry | ToolEntry

/** One run with what it and everything below it used: the same numbers that its `run-end` carries (C53). */
export interface LedgerRun extends InstanceAccount {
  readonly withChildren: Usage
}

/** All that a tree of runs used, call by call, and the sums: by agent name, by instance, in all. */
export interface Ledger extends Omit<Accounts, 'byInstance'> {
  /** In the order in which the calls ended. */
  readonly entries: readonly LedgerEntry[]
  readonly byInstance: readonly LedgerRun[]
}

/** The ledger of one root's events: the entries sum to `total`, and so do the rows of `byAgent` and of `byInstance`. */
export function ledgerOf(events: Iterable<RunEvent>): Ledger {
  const all = [...events]
  const { byInstance, ...accounts } = accountsOf(all)
  const sums = sumsWithChildren(byInstance)
  return {
    ...accounts,
    byInstance: byInstance.map((row) => ({ ...row, withChildren: sums.get(row.runId) ?? row.usage })),
    entries: entriesOf(all, accounts.rootRunId),
  }
}

/** Kept and live events may overlap: what stands there already is left out, as in the accounts. */
function entriesOf(events: readonly RunEvent[], rootRunId: string | undefined): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = []
  let last = 0
  for (const event of events) {
    if (event.seq === undefined || event.seq <= last || event.rootRunId !== rootRunId) continue
    last = event.seq
    const entry = toEntry(event, event.seq)
    if (entry !== undefined) entries.push(entry)
  }
  return entries
}

function toEntry(event: RunEvent, seq: number): LedgerEntry | undefined {
  const { time, runId, agent, instance } = event
  const place: EntryPlace = { seq, time, runId, agent, instance }
  if (event.type === 'usage') {
    const { turn, provider, model, tokens, cost, latencyMs, estimated } = event
    return { kind: 'model', ...place, turn, provider, model, tokens, cost, latencyMs, estimated }
  }
  return event.type === 'tool-result' ? toToolEntry(event, place) : undefined
}

function toToolEntry(
  event: Extract<RunEvent, { readonly type: 'tool-result' }>,
  place: EntryPlace,
): ToolEntry {
  const { toolName, source, server, outcome, error, attempts, bytesIn, bytesOut, durationMs } = event
  const { callId = '', childRunId, childInstance } = event
  return {
    kind: 'tool',
    ...place,
    callId,
    toolName,
    source,
    ...(server === undefined ? {} : { server }),
    outcome,
    ...(error === undefined ? {} : { error }),
    attempts,
    bytesIn,
    bytesOut,
    durationMs,
    ...(childRunId === undefined ? {} : { childRunId }),
    ...(childInstance === undefined ? {} : { childInstance }),
  }
}

/** By run: its own usage and that of all runs below it. A parent starts before its children, so going backwards each is complete when it is added. */
function sumsWithChildren(rows: readonly InstanceAccount[]): ReadonlyMap<string, Usage> {
  const sums = new Map(rows.map((row) => [row.runId, row.usage]))
  for (const { runId, parentRunId } of rows.toReversed()) {
    if (parentRunId === undefined || !sums.has(parentRunId)) continue
    sums.set(parentRunId, addUsage(sums.get(parentRunId) ?? NO_USAGE, sums.get(runId) ?? NO_USAGE))
  }
  return sums
}
