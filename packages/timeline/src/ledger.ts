import {
  addUsage,
  NO_USAGE,
  type Failure,
  type Outcome,
  type RunEvent,
  type ToolSource,
  type Usage,
} from '@troupe/schema'
import { type Accounts, type InstanceAccount, accountsOf } from './accounts.ts'

/** The fields that all entries share. */
interface LedgerEntryBase {
  /** The `seq` of its event in the log of the run tree. */
  readonly seq: number
  /** Wall time in ms. */
  readonly time: number
  readonly runId: string
  readonly agent: string
  readonly instance: string
}

/** One model call, successful or failed. */
export interface ModelEntry extends LedgerEntryBase {
  readonly kind: 'model'
  readonly turn: number
  readonly provider: string
  readonly model: string
  readonly tokens: Usage
  /** Cost in USD; `null` if the price is not known. */
  readonly cost: number | null
  readonly latencyMs: number
  readonly estimated: boolean
}

/** One tool call. A call of an agent also has the id of the run it opened. */
export interface ToolEntry extends LedgerEntryBase {
  readonly kind: 'tool'
  readonly callId: string
  readonly toolName: string
  readonly source: ToolSource
  readonly server?: string
  readonly outcome: Outcome
  readonly error?: Failure
  /** More than one if a hook repeated the call; 0 if it was refused before it ran. */
  readonly attempts: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly durationMs: number
  readonly childRunId?: string
  readonly childInstance?: string
}

/** One entry of the ledger. */
export type LedgerEntry = ModelEntry | ToolEntry

/** One run, with the total usage of the run and the runs below it: the same numbers as in its `run-end`. */
export interface LedgerRun extends InstanceAccount {
  readonly withChildren: Usage
}

/** Usage of a run tree, call by call, with totals by agent name, by run and overall. */
export interface Ledger extends Omit<Accounts, 'byInstance'> {
  /** Entries in the order in which the calls ended. */
  readonly entries: readonly LedgerEntry[]
  readonly byInstance: readonly LedgerRun[]
}

/**
 * Creates the ledger of one run tree. The entries sum to `total`, and so do the rows of `byAgent` and of
 * `byInstance`.
 */
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

/** Skips events that were already seen, because stored and live events may overlap. */
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
  const base: LedgerEntryBase = { seq, time, runId, agent, instance }
  if (event.type === 'usage') {
    const { turn, provider, model, tokens, cost, latencyMs, estimated } = event
    return { kind: 'model', ...base, turn, provider, model, tokens, cost, latencyMs, estimated }
  }
  return event.type === 'tool-result' ? toToolEntry(event, base) : undefined
}

function toToolEntry(
  event: Extract<RunEvent, { readonly type: 'tool-result' }>,
  base: LedgerEntryBase,
): ToolEntry {
  const { toolName, source, server, outcome, error, attempts, bytesIn, bytesOut, durationMs } = event
  const { callId = '', childRunId, childInstance } = event
  return {
    kind: 'tool',
    ...base,
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

/**
 * Returns the usage of each run including all runs below it. A parent starts before its children, so in
 * reverse order each sum is complete when it is added to the parent's.
 */
function sumsWithChildren(rows: readonly InstanceAccount[]): ReadonlyMap<string, Usage> {
  const sums = new Map(rows.map((row) => [row.runId, row.usage]))
  for (const { runId, parentRunId } of rows.toReversed()) {
    if (parentRunId === undefined || !sums.has(parentRunId)) continue
    sums.set(parentRunId, addUsage(sums.get(parentRunId) ?? NO_USAGE, sums.get(runId) ?? NO_USAGE))
  }
  return sums
}
