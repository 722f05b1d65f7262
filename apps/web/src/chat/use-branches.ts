import type { RunSummary, SessionBranch } from '@troupe/client'
import { useCallback, useMemo, useState } from 'react'
import { client } from '../api/client.ts'
import type { ApiQuery } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import type { SessionLink } from './conversation-tree.ts'

/** The branches of a conversation. */
export interface KnownBranches {
  readonly branches: readonly SessionBranch[]
  /** False until the server has responded. */
  readonly isKnown: boolean
  /** Adds a branch that was started in this page. */
  add(branch: SessionBranch): void
}

/** Returns the branches of the conversation that a session belongs to. */
export function useBranches(sessionId: string | undefined): KnownBranches {
  const { value, failure } = useRequest(
    sessionId === undefined
      ? undefined
      : { key: `session ${sessionId}`, load: (options) => client.sessions.get(sessionId, options) },
  )
  const [added, setAdded] = useState<readonly SessionBranch[]>([])
  const add = useCallback((branch: SessionBranch) => setAdded((before) => [...before, branch]), [])
  const branches = useMemo(() => {
    const stored = value?.branches ?? []
    const known = new Set(stored.map((branch) => branch.sessionId))
    return [...stored, ...added.filter((branch) => !known.has(branch.sessionId))]
  }, [value, added])
  const isMember = branches.some(
    (branch) => branch.sessionId === sessionId || branch.branchOf.sessionId === sessionId,
  )
  const isKnown = sessionId === undefined || value !== undefined || failure !== undefined || isMember
  return { branches, isKnown, add }
}

/** Runs of one session, the oldest first. */
export interface SessionRuns {
  readonly sessionId: string
  readonly runs: readonly RunSummary[]
}

/** Page size of the list of runs. */
const PAGE = 200
/** Maximum number of runs that are read of one session. */
const MAX_RUNS = 1000

/** Returns the runs of the sessions that a branch starts with; `undefined` until they are loaded. */
export function useAncestors(chain: readonly SessionLink[]): readonly SessionRuns[] | undefined {
  const key = JSON.stringify(chain)
  const query: ApiQuery<readonly SessionRuns[]> = {
    key: `ancestors ${key}`,
    load: ({ signal }) => Promise.all(chain.map((link) => readUntil(link, signal))),
  }
  const { value } = useRequest(chain.length === 0 ? undefined : query)
  return chain.length === 0 ? NONE : value
}

const NONE: readonly SessionRuns[] = []

async function readUntil(
  { sessionId, until }: SessionLink,
  signal: AbortSignal | undefined,
): Promise<SessionRuns> {
  const runs: RunSummary[] = []
  let before: string | undefined
  do {
    const page = await client.sessions.runs(sessionId, {
      limit: PAGE,
      signal,
      ...(before === undefined ? {} : { before }),
    })
    runs.push(...page.runs)
    before = page.next
  } while (before !== undefined && runs.length < MAX_RUNS)
  const at = runs.findIndex(({ runId }) => runId === until)
  return { sessionId, runs: runs.slice(at + 1).toReversed() }
}
