import { toFailure, troupeError } from '@troupe/schema'
import type { RootRunRecord, SessionEntry } from '@troupe/schema/ports'
import type { RunServiceContext } from './run-service-context.ts'
import { readSummary, type RunState, type RunSummary, type SummaryContext } from './run-view.ts'
import { createSessionFamilies, type SessionFamilies } from './session-families.ts'

/** A conversation with all of its branches, as a list shows it. */
export interface SessionSummary {
  /** The session with the newest run: the conversation itself, or one of its branches. */
  readonly sessionId: string
  readonly agent: string
  /** The name that a person gave it. */
  readonly name?: string
  /** The start of the first message; empty if only metadata is stored. */
  readonly title: string
  readonly archived: boolean
  /** Start of the newest run, wall time in ms. */
  readonly changedAt: number
  /** State of the newest run. */
  readonly state: RunState
}

/** A request for one page of sessions. */
export interface SessionPageRequest {
  readonly principal: string
  readonly agent?: string | undefined
  /** Text in a name or in the start of a message, in any letter case. */
  readonly text?: string | undefined
  readonly archived: boolean
  /** The `next` of the last page. */
  readonly before?: string | undefined
  readonly limit: number
  readonly signal?: AbortSignal
}

/** A page of sessions, the one with the newest run first. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[]
  /** The `before` of the next page; `undefined` if there is none. */
  readonly next?: string
}

type SessionListContext = Pick<RunServiceContext, 'store' | 'host' | 'sessions'>

/** Maximum number of root runs that one request reads from the store. The rest is left to the next page. */
const MAX_READ = 5000
/** Number of root runs that are read at once. */
const READ_AT_ONCE = 200
/** Maximum number of characters of a title. */
const MAX_TITLE = 200
/** Maximum number of sessions that are found by their names. */
const MAX_NAMED = 100

/**
 * Returns a page of the stored sessions of a principal. A session whose runs are on several pages may be on
 * each of them. Rejects with `request_invalid` for an unknown `before`. With `text`, the first page begins with the sessions that have it in their names.
 */
export async function listSessions(
  request: SessionPageRequest,
  context: SessionListContext,
): Promise<SessionPage> {
  const { principal, text, archived, before: first, limit } = request
  const families = createSessionFamilies(await context.sessions.list(principal))
  const named = text === undefined ? [] : families.named(text)
  const seen = new Set(named.map(({ sessionId }) => sessionId))
  const found: SessionSummary[] = []
  if (first === undefined) found.push(...(await readNamed(named, families, { request, context })))
  const fullLength = found.length + limit
  let before = first
  let count = 0
  for (;;) {
    const roots = await readRoots(request, before, context)
    for (const root of roots) {
      const family = families.rootOf(root.session?.sessionId ?? '')
      const isNew = !seen.has(family) && families.isArchived(family) === archived
      if (isNew && found.length === fullLength) return toPage(found, before)
      before = root.rootRunId
      count += 1
      if (!isNew) continue
      seen.add(family)
      const summary = await readSession(root, families, context)
      if (summary !== undefined) found.push(summary)
    }
    if (roots.length < READ_AT_ONCE) return { sessions: found }
    if (count >= MAX_READ) return toPage(found, before)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function toPage(sessions: readonly SessionSummary[], next: string | undefined): SessionPage {
  return next === undefined ? { sessions } : { sessions, next }
}

/** Reads root runs before a run. Rejects with `request_invalid` if the run is unknown. */
async function readRoots(
  request: SessionPageRequest,
  before: string | undefined,
  { store }: SessionListContext,
): Promise<readonly RootRunRecord[]> {
  try {
    return await store.list(toQuery(request, before))
  } catch (cause) {
    if (before === undefined || toFailure(cause).code !== 'run_unknown') throw cause
    throw troupeError('request_invalid', `before: there is no run ${before.slice(0, 100)}.`, {
      fix: 'Send the `next` of the last page, or start again without `before`.',
      cause,
    })
  }
}

function toQuery(
  { principal, agent, text, signal }: SessionPageRequest,
  before: string | undefined,
): Parameters<RunServiceContext['store']['list']>[0] {
  return {
    principal,
    inConversation: true,
    limit: READ_AT_ONCE,
    ...(agent === undefined ? {} : { agent }),
    ...(text === undefined ? {} : { text }),
    ...(before === undefined ? {} : { before }),
    ...(signal === undefined ? {} : { signal }),
  }
}

/** Reads the sessions with names that match, the one with the newest run first. */
async function readNamed(
  named: readonly SessionEntry[],
  families: SessionFamilies,
  { request, context }: { readonly request: SessionPageRequest; readonly context: SessionListContext },
): Promise<readonly SessionSummary[]> {
  const { principal, agent, archived } = request
  const found: SessionSummary[] = []
  for (const { sessionId } of named.slice(0, MAX_NAMED)) {
    const members = families.membersOf(sessionId)
    const roots: RootRunRecord[] = []
    for (const id of members)
      roots.push(...(await context.store.list({ principal, sessionId: id, inConversation: true, limit: 1 })))
    const [newest] = roots.toSorted((a, b) => (b.changedAt ?? 0) - (a.changedAt ?? 0))
    const summary = newest && (await readSession(newest, families, context))
    if (summary === undefined || summary.archived !== archived) continue
    if (agent === undefined || summary.agent === agent) found.push(summary)
  }
  return found.toSorted((a, b) => b.changedAt - a.changedAt)
}

/** Returns the summary of the session of a root run; `undefined` if the run was neither started nor accepted. */
async function readSession(
  root: RootRunRecord,
  families: SessionFamilies,
  context: SessionListContext,
): Promise<SessionSummary | undefined> {
  const newest = await readSummary(context, root)
  if (newest === undefined || root.session === undefined) return undefined
  const { principal, sessionId } = root.session
  const family = families.rootOf(sessionId)
  const oldest =
    (await firstRun({ principal, sessionId: family }, context)) ??
    (await firstRun({ principal, sessionId }, context))
  const name = families.nameOf(family)
  return {
    sessionId,
    agent: newest.agent,
    ...(name === undefined ? {} : { name }),
    title: (oldest ?? newest).input.slice(0, MAX_TITLE),
    archived: families.isArchived(family),
    changedAt: newest.startedAt,
    state: newest.state,
  }
}

/** Returns the first run of a session. A session that was created before its first run has a root without one. */
export async function firstRun(
  session: NonNullable<RootRunRecord['session']>,
  context: SummaryContext,
): Promise<RunSummary | undefined> {
  for (const root of (await context.store.roots(session)).slice(0, 2)) {
    const summary = await readSummary(context, root)
    if (summary !== undefined) return summary
  }
  return undefined
}
