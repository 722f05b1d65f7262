import { addUsage, NO_USAGE, type RunEvent, type Usage, type Outcome, type ToolSource } from '@troupe/schema'

const ONE_TOOL_CALL: Usage = Object.freeze({ ...NO_USAGE, toolCalls: 1 })
const NO_DETAILS: AccountDetails = Object.freeze({ usage: NO_USAGE, models: [], tools: [] })

/** Returns accounts without any rows. */
export function emptyAccounts(): Accounts {
  return { rootRunId: undefined, seq: 0, total: NO_USAGE, byAgent: [], byInstance: [] }
}

/** Reduces events to accounts. */
export function accountsOf(events: Iterable<RunEvent>): Accounts {
  let accounts = emptyAccounts()
  for (const event of events) accounts = reduceAccounts(accounts, event)
  return accounts
}

/** Returns the accounts with the durations of open runs counted up to `time`, wall time in ms. */
export function accountsAt(accounts: Accounts, time: number): Accounts {
  const open = accounts.byInstance.filter(({ endedAt }) => endedAt === undefined)
  if (open.length === 0) return accounts
  const durationSoFar = (run: InstanceAccount): number => Math.max(0, time - run.startedAt)
  return {
    ...accounts,
    byAgent: accounts.byAgent.map((row) => ({
      ...row,
      durationMs: open
        .filter(({ agent }) => agent === row.agent)
        .reduce((sum, run) => sum + durationSoFar(run), row.durationMs),
    })),
    byInstance: accounts.byInstance.map((row) =>
      row.endedAt === undefined ? { ...row, durationMs: durationSoFar(row) } : row,
    ),
  }
}

/**
 * Returns the accounts after one more event. Pure. Durable events that are already included and events of
 * other run trees change nothing.
 */
export function reduceAccounts(accounts: Accounts, event: RunEvent): Accounts {
  if (event.seq === undefined || event.seq <= accounts.seq) return accounts
  if (accounts.rootRunId !== undefined && accounts.rootRunId !== event.rootRunId) return accounts
  return { ...addEvent(accounts, event), rootRunId: event.rootRunId, seq: event.seq }
}

function addEvent(accounts: Accounts, event: RunEvent): Accounts {
  switch (event.type) {
    case 'run-start':
      return openRows(accounts, event)
    case 'usage':
      return addUsageToRows(openRows(accounts, event), event, event.tokens)
    case 'tool-result':
      return addUsageToRows(openRows(accounts, event), event, ONE_TOOL_CALL)
    case 'run-end':
      return closeRow(openRows(accounts, event), event)
    default:
      return accounts
  }
}

/**
 * Adds the rows of the run and its agent if they are missing, so that usage counts even without a
 * `run-start`.
 */
function openRows(accounts: Accounts, event: RunEvent): Accounts {
  if (accounts.byInstance.some((row) => row.runId === event.runId)) return accounts
  const agent = accounts.byAgent.find((row) => row.agent === event.agent)
  const instance: InstanceAccount = {
    runId: event.runId,
    ...(event.parentRunId === undefined ? {} : { parentRunId: event.parentRunId }),
    agent: event.agent,
    instance: event.instance,
    startedAt: event.time,
    ...NO_DETAILS,
  }
  return {
    ...accounts,
    byInstance: [...accounts.byInstance, instance],
    byAgent:
      agent === undefined
        ? [...accounts.byAgent, { agent: event.agent, runs: 1, durationMs: 0, ...NO_DETAILS }]
        : accounts.byAgent.map((row) => (row === agent ? { ...row, runs: row.runs + 1 } : row)),
  }
}

function addUsageToRows(accounts: Accounts, event: RunEvent, usage: Usage): Accounts {
  return {
    ...accounts,
    total: addUsage(accounts.total, usage),
    byAgent: accounts.byAgent.map((row) =>
      row.agent === event.agent ? addToDetails(row, event, usage) : row,
    ),
    byInstance: accounts.byInstance.map((row) =>
      row.runId === event.runId ? addToDetails(row, event, usage) : row,
    ),
  }
}

function closeRow(accounts: Accounts, event: Extract<RunEvent, { readonly type: 'run-end' }>): Accounts {
  const { durationMs, outcome } = event
  return {
    ...accounts,
    byAgent: accounts.byAgent.map((row) =>
      row.agent === event.agent ? { ...row, durationMs: row.durationMs + durationMs } : row,
    ),
    byInstance: accounts.byInstance.map((row) =>
      row.runId === event.runId ? { ...row, endedAt: event.time, durationMs, outcome } : row,
    ),
  }
}

/** Returns the row with one more event added. `usage` is the usage of the event. */
function addToDetails<Row extends AccountDetails>(row: Row, event: RunEvent, usage: Usage): Row {
  return {
    ...row,
    usage: addUsage(row.usage, usage),
    models: event.type === 'usage' ? addToModels(row.models, event) : row.models,
    tools: event.type === 'tool-result' ? addToTools(row.tools, event) : row.tools,
  }
}

function addToModels(
  rows: readonly ModelAccount[],
  event: Extract<RunEvent, { readonly type: 'usage' }>,
): readonly ModelAccount[] {
  const { provider, model } = event
  const index = rows.findIndex((row) => row.provider === provider && row.model === model)
  const row = rows[index] ?? { provider, model, usage: NO_USAGE, latencyMs: 0 }
  return putRow(rows, index, {
    ...row,
    usage: addUsage(row.usage, event.tokens),
    latencyMs: row.latencyMs + event.latencyMs,
  })
}

function addToTools(
  rows: readonly ToolAccount[],
  event: Extract<RunEvent, { readonly type: 'tool-result' }>,
): readonly ToolAccount[] {
  const { toolName, source, server, outcome } = event
  const index = rows.findIndex(
    (row) => row.toolName === toolName && row.source === source && row.server === server,
  )
  const row = rows[index] ?? emptyTool(event)
  return putRow(rows, index, {
    ...row,
    calls: row.calls + 1,
    attempts: row.attempts + event.attempts,
    outcomes: { ...row.outcomes, [outcome]: (row.outcomes[outcome] ?? 0) + 1 },
    bytesIn: row.bytesIn + event.bytesIn,
    bytesOut: row.bytesOut + event.bytesOut,
    durationMs: row.durationMs + event.durationMs,
  })
}

function emptyTool(event: Extract<RunEvent, { readonly type: 'tool-result' }>): ToolAccount {
  return {
    toolName: event.toolName,
    source: event.source,
    ...(event.server === undefined ? {} : { server: event.server }),
    calls: 0,
    attempts: 0,
    outcomes: {},
    bytesIn: 0,
    bytesOut: 0,
    durationMs: 0,
  }
}

function putRow<Row>(rows: readonly Row[], index: number, row: Row): readonly Row[] {
  return index === -1 ? [...rows, row] : rows.with(index, row)
}

/** Usage of a run tree, reduced from the same events that a timeline shows, so the two cannot disagree. */
export interface Accounts {
  readonly rootRunId: string | undefined
  readonly seq: number
  readonly total: Usage
  /**
   * One row per agent name, for all its instances, in order of first appearance. Their usages sum to `total`.
   */
  readonly byAgent: readonly AgentAccount[]
  /** One row per run, in order of start. Their usages sum to `total`. */
  readonly byInstance: readonly InstanceAccount[]
}

/** Usage of one agent or run. */
export interface AccountDetails {
  readonly usage: Usage
  readonly models: readonly ModelAccount[]
  readonly tools: readonly ToolAccount[]
}

/** Account of all runs of one agent. */
export interface AgentAccount extends AccountDetails {
  readonly agent: string
  readonly runs: number
  /** Sum of the durations of the runs that have ended, in ms. */
  readonly durationMs: number
}

/** Account of one run, without its children. Times are wall time in ms. */
export interface InstanceAccount extends AccountDetails {
  /** The run id identifies the row, because instance names repeat. */
  readonly runId: string
  readonly parentRunId?: string
  readonly agent: string
  readonly instance: string
  readonly startedAt: number
  readonly endedAt?: number
  readonly durationMs?: number
  readonly outcome?: Outcome
}

/** Account of the calls of one model. */
export interface ModelAccount {
  readonly provider: string
  readonly model: string
  readonly usage: Usage
  readonly latencyMs: number
}

/** Account of the calls of one tool, with their outcomes. */
export interface ToolAccount {
  readonly toolName: string
  readonly source: ToolSource
  readonly server?: string
  readonly calls: number
  /** More than `calls` if a hook repeated a call. */
  readonly attempts: number
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>
  readonly bytesIn: number
  readonly bytesOut: number
  readonly durationMs: number
}
