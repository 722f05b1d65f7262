import { troupeError } from '@troupe/schema'
import { searchText, type RootRunQuery, type RunLabel } from '@troupe/schema/ports'
import { findOwner, findRun, ownedBy, readRequest } from './stored-run.ts'
import type { LiveRun, RunServiceContext } from './run-service-context.ts'
import { readSummary, type RunState, type RunSummary, type RunView, type SummaryContext } from './run-view.ts'

/** Conditions of a list of runs. A run is listed if it meets all of them. */
export interface RunFilter {
  readonly session?: string | undefined
  /** If true, only runs of a conversation are listed: those whose session id differs from their run id. */
  readonly inConversation?: true | undefined
  readonly agent?: string | undefined
  readonly states?: readonly RunState[] | undefined
  /** Text in the first 1,000 characters of the input, the agent name or the run id, in any letter case. */
  readonly text?: string | undefined
  readonly label?: RunLabel['value'] | undefined
}

/** A request for one page of runs. */
export interface RunPageRequest {
  /** Owner of the runs; `undefined` for the runs of all principals. */
  readonly principal: string | undefined
  readonly filter?: RunFilter
  /** Run id. The page begins with the run that started before it. */
  readonly before?: string | undefined
  readonly limit: number
  readonly signal?: AbortSignal
}

/** A page of runs, the newest first. */
export interface RunPage {
  readonly runs: readonly RunSummary[]
  /**
   * The `before` of the next page; `undefined` if there is none. A page may hold fewer runs than requested
   * and still have a next one.
   */
  readonly next?: string
}

type ListContext = SummaryContext & Pick<RunServiceContext, 'store' | 'live' | 'memoryRuns' | 'connected'>

/** Maximum number of runs that one request reads from the store. The rest is left to the next page. */
const MAX_READ = 2000
/** Maximum number of runs read in one turn of the event loop. */
const READ_AT_ONCE = 100

/**
 * Returns a page of runs: those in memory only first, then those in the store, the newest
 * first. Rejects with `request_invalid` for an unknown `before`.
 */
export async function listRuns(request: RunPageRequest, context: ListContext): Promise<RunPage> {
  const { principal, filter = {}, before, limit } = request
  const inMemory = await runsInMemory(principal, context)
  const index = inMemory.findIndex(({ runId }) => runId === before)
  const isInStore = before !== undefined && index < 0
  if (isInStore) await requireRun(before, request, context)
  const found = isInStore ? [] : inMemory.slice(index + 1).filter((run) => matchesFilter(run, filter))
  const stoppedAt = await readStored(found, { ...request, before: isInStore ? before : undefined }, context)
  const runs = found.slice(0, limit)
  const next = found.length > limit ? runs.at(-1)?.runId : stoppedAt
  return next === undefined ? { runs } : { runs, next }
}

/**
 * Adds runs from the store until there is one more than requested. Returns the id of the last run it has read
 * if it stops at the read limit.
 */
async function readStored(
  found: RunSummary[],
  { principal, filter = {}, before: first, limit, signal }: RunPageRequest,
  context: ListContext,
): Promise<string | undefined> {
  const { store } = context
  const query = toQuery(principal, filter)
  const known = new Set(found.map(({ runId }) => runId))
  let before = first
  let count = 0
  while (found.length <= limit) {
    const size = Math.max(READ_AT_ONCE, limit + 1 - found.length)
    const roots = await store.list({
      ...query,
      limit: size,
      ...(before === undefined ? {} : { before }),
      ...(signal === undefined ? {} : { signal }),
    })
    for (const root of roots) {
      count += 1
      before = root.rootRunId
      const run = known.has(before) ? undefined : await readSummary(context, root)
      const isListed = run !== undefined && matchesFilter(run, filter)
      if (isListed && found.push({ ...run, ...ownerField(principal, root.session) }) > limit) return undefined
      if (count % READ_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    if (roots.length < size) return undefined
    if (count >= MAX_READ) return before
  }
  return undefined
}

/** Returns the runs that are not in the store, the newest first. */
async function runsInMemory(
  principal: string | undefined,
  context: ListContext,
): Promise<readonly RunSummary[]> {
  const { store, live, memoryRuns } = context
  const queued: RunSummary[] = []
  for (const run of live.values())
    if (
      (principal === undefined || run.principal === principal) &&
      run.queued !== undefined &&
      (await readRequest(store, run.queued.runId)) === undefined
    )
      queued.push({ ...toSummary(run.queued), ...ownerField(principal, run) })
  const others = await Promise.all(
    memoryRuns.roots(ownedBy(principal)).map(async (root) => {
      const run = await readSummary(context, root)
      return run === undefined ? [] : [{ ...run, ...ownerField(principal, root.session) }]
    }),
  )
  return [...others.flat(), ...queued].toReversed()
}

/** Returns the owner of a run as a field of its summary if the runs of all principals are listed. */
function ownerField(
  listed: string | undefined,
  owner: Pick<LiveRun, 'principal'> | undefined,
): Pick<RunSummary, 'principal'> {
  return listed === undefined && owner !== undefined ? { principal: owner.principal } : {}
}

function toSummary({ runId, agent, state, sessionId, startedAt, input, detail }: RunView): RunSummary {
  return { runId, agent, state, sessionId, startedAt, input, detail }
}

async function requireRun(runId: string, { principal }: RunPageRequest, context: ListContext): Promise<void> {
  try {
    await findRun({ runId, principal: principal ?? (await findOwner(runId, context)) ?? '' }, context)
  } catch (cause) {
    throw troupeError('request_invalid', `before: there is no run ${runId.slice(0, 100)}.`, {
      fix: 'Send the `next` of the last page, or start again without `before`.',
      cause,
    })
  }
}

/**
 * Returns the conditions that the store can check. The state of a damaged or unfinished run is only known
 * once it is read.
 */
function toQuery(
  principal: string | undefined,
  { session, inConversation, agent, states, text, label }: RunFilter,
): Omit<RootRunQuery, 'limit'> {
  const outcomes =
    states === undefined || states.includes('damaged') ? undefined : [...new Set(states.map(outcomeOf))]
  return {
    ...ownedBy(principal),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(inConversation === undefined ? {} : { inConversation }),
    ...(agent === undefined ? {} : { agent }),
    ...(outcomes === undefined ? {} : { outcomes }),
    ...(text === undefined ? {} : { text }),
    ...(label === undefined ? {} : { label }),
  }
}

function outcomeOf(state: RunState): NonNullable<RootRunQuery['outcomes']>[number] {
  switch (state) {
    case 'queued':
    case 'running':
    case 'waiting':
    case 'interrupted':
    case 'damaged':
      return 'none'
    default:
      return state
  }
}

function matchesFilter(
  run: RunSummary,
  { session, inConversation, agent, states, text, label }: RunFilter,
): boolean {
  return (
    (session === undefined || run.sessionId === session) &&
    (inConversation === undefined || run.sessionId !== run.runId) &&
    (agent === undefined || run.agent === agent) &&
    (states === undefined || states.includes(run.state)) &&
    (text === undefined || searchText(run).includes(text.toLowerCase())) &&
    (label === undefined || run.label?.value === label)
  )
}
