import { toUsageReport, type Outcome, type RunEvent, type RunStore, type StoredRoot } from '@troupe/schema'

/** What stands of a run in a list. */
export interface RunSummary {
  readonly runId: string
  readonly agent: string
  /** The conversation that it is part of; of one run alone: its id. */
  readonly sessionId: string
  /** Whom it worked for. */
  readonly principal?: string
  /** How it ended; `running`: a process works on it; `waiting`: for a person who decides; `interrupted`: no process works on it any more. */
  readonly state: Outcome | 'running' | 'waiting' | 'interrupted'
  /** Wall time in ms. */
  readonly startedAt: number
  readonly durationMs?: number
  /** In USD; null: a price is not known. None: it has not ended. */
  readonly cost?: number | null
  readonly input: string
  readonly detail: StoredRoot['detail']
  readonly owner?: StoredRoot['owner']
}

/** Reads the two ends of a root; undefined: nothing had begun. */
export async function summarise(store: RunStore, root: StoredRoot): Promise<RunSummary | undefined> {
  const { rootRunId, lastSeq, detail, open, owner, session } = root
  const [first] = await store.events(rootRunId, { limit: 1 })
  const [last] = await store.events(rootRunId, { after: lastSeq - 1, limit: 1 })
  if (first?.type !== 'run-start') return undefined
  return {
    runId: rootRunId,
    agent: first.agent,
    sessionId: session?.sessionId ?? first.sessionId,
    ...(session === undefined ? {} : { principal: session.principal }),
    startedAt: first.time,
    ...endOf(last, rootRunId, open),
    input: first.input,
    detail,
    ...(owner === undefined ? {} : { owner }),
  }
}

function endOf(
  last: RunEvent | undefined,
  rootRunId: string,
  open: boolean,
): Pick<RunSummary, 'state' | 'durationMs' | 'cost'> {
  if (last?.type !== 'run-end' || last.runId !== rootRunId) {
    if (open) return { state: 'running' }
    return { state: last?.type === 'run-waiting' ? 'waiting' : 'interrupted' }
  }
  const { cost } = toUsageReport(last.usage, last.unpriced)
  return { state: last.outcome, durationMs: last.durationMs, cost }
}
