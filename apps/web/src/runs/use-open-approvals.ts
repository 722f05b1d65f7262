import type { OpenApproval, RunSummary, RunView } from '@troupe/headends'
import { useEffect, useState } from 'react'
import { request } from '../api/request.ts'
import { isOpenRun, runPath, type RunList } from '../api/runs.ts'
import { useAnswer } from '../api/use-answer.ts'

/** A call that waits for a person, and the run that waits with it. */
export interface WaitingCall {
  readonly run: RunSummary
  readonly approval: OpenApproval
}

const EVERY_MS = 3000
const MOST = 50

/** All calls that wait for a person; undefined: not known yet. */
export function useOpenApprovals(): {
  readonly calls: readonly WaitingCall[] | undefined
  refresh(): void
} {
  const { value, refresh } = useAnswer<RunList>(`api/runs?limit=${MOST}`, { everyMs: EVERY_MS })
  const [calls, setCalls] = useState<readonly WaitingCall[]>()
  useEffect(() => {
    if (value === undefined) return undefined
    const aborted = new AbortController()
    void readWaiting(value.runs.filter(isOpenRun), aborted.signal).then((found) => {
      if (!aborted.signal.aborted) setCalls(found)
    })
    return () => aborted.abort()
  }, [value])
  return { calls, refresh }
}

async function readWaiting(
  runs: readonly RunSummary[],
  signal: AbortSignal,
): Promise<readonly WaitingCall[]> {
  const views = await Promise.all(runs.map((run) => request<RunView>(runPath(run.runId), { signal })))
  return views.flatMap((view, index) => {
    const run = runs[index]
    if (!view.ok || run === undefined) return []
    return view.value.approvals.map((approval) => ({ run, approval }))
  })
}
