import { toFailure, toUsageReport, type Outcome, type RunEvent } from '@troupe/schema'
import type { RootRunRecord } from '@troupe/schema/ports'
import type { ReadStore } from './memory-runs.ts'
import { ownedBy } from './stored-run.ts'

/** Figures of the agents of a team and their calls, from the newest stored root runs that have ended. */
export interface TeamStats {
  /** Number of root runs that the figures are from. */
  readonly rootRuns: number
  /** Set if runs were left out because they have too many events. A later request may include more. */
  readonly isPartial?: true
  readonly agents: readonly AgentStats[]
  readonly calls: readonly CallStats[]
}

/** Figures of the runs of one agent, both root runs and runs that other agents started. */
export interface AgentStats {
  readonly agent: string
  readonly runs: number
  /** Runs that failed, ran into a time limit or a budget. */
  readonly failures: number
  /** Median of the active time, in ms. */
  readonly p50Ms: number
  readonly p95Ms: number
  /** Mean cost of a run in USD, of the agent itself without the agents it calls. `null` if a price is unknown. */
  readonly meanCost: number | null
  /** The newest runs, the oldest of them first. */
  readonly recent: readonly AgentRunPoint[]
}

/** One run of an agent. */
export interface AgentRunPoint {
  readonly rootRunId: string
  /** Wall time of the end, in ms. */
  readonly time: number
  /** Active time in ms. */
  readonly ms: number
  readonly cost: number | null
  readonly hasFailed: boolean
}

/** Figures of the calls from one agent to another. */
export interface CallStats {
  readonly from: string
  readonly to: string
  readonly calls: number
  readonly failures: number
  /** Calls per run of the calling agent. */
  readonly perRun: number
}

/** A request for the figures of a team. */
export interface StatsRequest {
  /** Owner of the runs; `undefined` for the runs of all principals. */
  readonly principal: string | undefined
  readonly signal?: AbortSignal
}

/** Maximum number of root runs in the figures. */
const MAX_ROOT_RUNS = 500
/** Maximum number of events that one request reads. Runs that have been read are cached. */
const MAX_EVENTS = 200_000
/** Runs with more events are left out. */
const MAX_RUN_EVENTS = 50_000
/** Number of root runs in the cache. */
const CACHE_SIZE = 2 * MAX_ROOT_RUNS
const MAX_POINTS = 30

/** One ended run of a run tree. */
interface AgentRun extends AgentRunPoint {
  readonly agent: string
  /** Agent that started it; `undefined` for the root run. */
  readonly from?: string
}

/** Returns figures, and caches what it has read of each root run. */
export function createAgentStats(
  store: Pick<ReadStore, 'list' | 'events'>,
): (request: StatsRequest) => Promise<TeamStats> {
  const cache = new Map<string, readonly AgentRun[]>()
  return async ({ principal, signal }) => {
    const roots = await store.list({
      ...ownedBy(principal),
      limit: MAX_ROOT_RUNS,
      ...(signal === undefined ? {} : { signal }),
    })
    const trees: (readonly AgentRun[])[] = []
    let left = MAX_EVENTS
    let isPartial = false
    for (const root of roots) {
      const known = cache.get(root.rootRunId)
      if (known !== undefined) {
        trees.push(known)
        continue
      }
      if (root.open) continue
      if (root.lastSeq > Math.min(left, MAX_RUN_EVENTS)) {
        isPartial = true
        continue
      }
      left -= root.lastSeq
      const runs = await readEndedRuns(root, store)
      if (runs === undefined) continue
      trees.push(runs)
      cache.set(root.rootRunId, runs)
      signal?.throwIfAborted()
      // Reading from the store is synchronous in most stores, so let other requests run in between.
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const key of cache.keys()) {
      if (cache.size <= CACHE_SIZE) break
      cache.delete(key)
    }
    return { ...toTeamStats(trees), ...(isPartial ? { isPartial: true } : {}) }
  }
}

/** Returns the ended runs of a root run; `undefined` if it has not ended or cannot be read. */
async function readEndedRuns(
  { rootRunId }: Pick<RootRunRecord, 'rootRunId'>,
  store: Pick<ReadStore, 'events'>,
): Promise<readonly AgentRun[] | undefined> {
  try {
    const events = await store.events(rootRunId)
    const last = events.at(-1)
    return last?.type === 'run-end' && last.runId === rootRunId ? endedRunsOf(events) : undefined
  } catch (thrown) {
    if (toFailure(thrown).code === 'store_corrupt') return undefined
    throw thrown
  }
}

const FAILURES: ReadonlySet<Outcome> = new Set<Outcome>(['failed', 'timeout', 'budget'])

/** Returns the ended runs in the events of a run tree. */
export function endedRunsOf(events: readonly RunEvent[]): readonly AgentRun[] {
  const agents = new Map(events.map(({ runId, agent }) => [runId, agent]))
  return events.flatMap((event): readonly AgentRun[] => {
    if (event.type !== 'run-end') return []
    const { agent, parentRunId, rootRunId, time, byAgent, usage, outcome } = event
    const own = Object.hasOwn(byAgent, agent) ? byAgent[agent] : undefined
    const from = parentRunId === undefined ? undefined : agents.get(parentRunId)
    return [
      {
        agent,
        ...(from === undefined ? {} : { from }),
        rootRunId,
        time,
        ms: event.activeMs ?? event.durationMs,
        cost: toUsageReport(own ?? usage, []).cost,
        hasFailed: FAILURES.has(outcome),
      },
    ]
  })
}

/** Computes the figures of run trees, the newest first. */
export function toTeamStats(trees: readonly (readonly AgentRun[])[]): TeamStats {
  const runs = trees.flat()
  const byAgent = Map.groupBy(runs, ({ agent }) => agent)
  const byCall = Map.groupBy(
    runs.filter(({ from }) => from !== undefined),
    ({ from, agent }) => JSON.stringify([from, agent]),
  )
  return {
    rootRuns: trees.length,
    agents: [...byAgent].map(([agent, own]) => agentStats(agent, own)),
    calls: [...byCall.values()].flatMap((own) => callStats(own, byAgent)),
  }
}

function agentStats(agent: string, runs: readonly AgentRun[]): AgentStats {
  const times = runs.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const costs = runs.map(({ cost }) => cost)
  const known = costs.filter((cost) => cost !== null)
  return {
    agent,
    runs: runs.length,
    failures: runs.filter(({ hasFailed }) => hasFailed).length,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    meanCost: known.length < costs.length ? null : known.reduce((sum, cost) => sum + cost, 0) / runs.length,
    recent: runs
      .toSorted((a, b) => b.time - a.time)
      .slice(0, MAX_POINTS)
      .toReversed()
      .map(({ rootRunId, time, ms, cost, hasFailed }) => ({ rootRunId, time, ms, cost, hasFailed })),
  }
}

function callStats(
  runs: readonly AgentRun[],
  byAgent: ReadonlyMap<string, readonly AgentRun[]>,
): readonly CallStats[] {
  const [first] = runs
  if (first?.from === undefined) return []
  const { from, agent: to } = first
  const failures = runs.filter(({ hasFailed }) => hasFailed).length
  const callers = byAgent.get(from)?.length ?? 1
  return [{ from, to, calls: runs.length, failures, perRun: runs.length / callers }]
}

/** Returns the value that a share of the sorted values does not exceed (nearest rank). */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
