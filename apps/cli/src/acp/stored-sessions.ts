import { resolve } from 'node:path'
import { RequestError, type ListSessionsResponse, type SessionInfo } from '@agentclientprotocol/sdk'
import type { Host } from '@troupe/host'
import {
  isJsonObject,
  LOCAL_PRINCIPAL,
  troupeError,
  type AgentDefinition,
  type Conversation,
  type JsonObject,
} from '@troupe/schema'
import type { RunRequest, RunStore } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'

/** The conversations of editors in a run store. */
export interface StoredSessions {
  /** Lists the sessions that editors started with one of the agents, the last changed first, a page at a time. */
  list(filter: {
    readonly cwd?: string | null | undefined
    readonly cursor?: string | null | undefined
  }): Promise<ListSessionsResponse>
  /** Returns a session that an editor started with one of the agents in this folder; `undefined` if there is none. */
  find(sessionId: string, cwd: string): Promise<StoredSession | undefined>
  /** Deletes a session with its runs. Does nothing if there is none. Throws `session_busy` while it runs. */
  delete(sessionId: string): Promise<void>
}

/** A stored conversation that an editor started. */
export interface StoredSession {
  readonly agent: AgentDefinition
  /** Model of the last run instead of that of the card. */
  readonly model?: string
  /** Ids of the root runs with a full log, oldest first. */
  readonly runIds: readonly string[]
}

const PAGE = 50
/** Maximum number of conversations that one request reads. */
const MAX_READ = 500
const MAX_TITLE = 80

/** Creates access to the sessions that editors started with these agents. */
export function createStoredSessions({
  agents,
  host,
  store,
}: {
  readonly agents: readonly AgentDefinition[]
  readonly host: Pick<Host, 'session' | 'sessions'>
  readonly store: RunStore
}): StoredSessions {
  const names = new Set(agents.map(({ name }) => name))

  /** Returns where a conversation was started; `undefined` unless an editor started it with one of the agents. */
  async function readOrigin({
    agent: name,
    lastRunId,
  }: Conversation): Promise<
    { readonly agent: AgentDefinition; readonly cwd: string; readonly request: RunRequest } | undefined
  > {
    const agent = agents.find((candidate) => candidate.name === name)
    const request = await readRequest(store, lastRunId)
    const { cwd, card } = noteOf(request)
    if (agent === undefined || request === undefined || cwd === undefined) return undefined
    return card === agent.source.path ? { agent, cwd, request } : undefined
  }

  async function toInfo(conversation: Conversation): Promise<SessionInfo | undefined> {
    const origin = await readOrigin(conversation)
    if (origin === undefined) return undefined
    const { sessionId, changedAt, lastRunId } = conversation
    const [firstRunId = lastRunId] = await fullRunIds(store, sessionId)
    const [start] = await store.events(firstRunId, { limit: 1 })
    const title = start?.type === 'run-start' ? plainText(start.input, { max: MAX_TITLE }) : ''
    return {
      sessionId,
      cwd: origin.cwd,
      ...(title === '' ? {} : { title }),
      updatedAt: new Date(changedAt).toISOString(),
    }
  }

  return {
    async list({ cwd, cursor }) {
      const after = cursor === null || cursor === undefined ? undefined : readCursor(cursor)
      const conversations = (await host.sessions())
        .filter(({ agent }) => names.has(agent))
        .filter((conversation) => after === undefined || compare(conversation, after) > 0)
        .toSorted(compare)
      const sessions: SessionInfo[] = []
      for (const [index, conversation] of conversations.entries()) {
        if (sessions.length === PAGE || index === MAX_READ) {
          const last = conversations[index - 1]
          return { sessions, ...(last === undefined ? {} : { nextCursor: toCursor(last) }) }
        }
        const info = await toInfo(conversation)
        if (info !== undefined && (cwd === null || cwd === undefined || isSameFolder(info.cwd, cwd)))
          sessions.push(info)
      }
      return { sessions }
    },
    async find(sessionId, cwd) {
      const conversation = await host.session(sessionId)
      const origin = conversation && (await readOrigin(conversation))
      if (origin === undefined || !isSameFolder(origin.cwd, cwd)) return undefined
      const model = origin.request.team?.model
      const runIds = await fullRunIds(store, sessionId)
      return { agent: origin.agent, runIds, ...(model === undefined ? {} : { model }) }
    },
    async delete(sessionId) {
      const conversation = await host.session(sessionId)
      if (conversation === undefined || (await readOrigin(conversation)) === undefined) return
      const roots = await store.roots({ principal: LOCAL_PRINCIPAL, sessionId })
      if (roots.some(({ open }) => open))
        throw troupeError('session_busy', `A run of the conversation ${sessionId} has not ended.`)
      await store.purge(roots.map(({ rootRunId }) => rootRunId))
    },
  }
}

/** Returns the data that is stored with each run of a session: its working folder, and the card of its agent. */
export function sessionNote(cwd: string, { source }: Pick<AgentDefinition, 'source'>): JsonObject {
  return { acp: { cwd, card: source.path } }
}

/** Returns the data that `sessionNote` stored with a run; empty if no editor started it. */
function noteOf(request: Pick<RunRequest, 'note'> | undefined): {
  readonly cwd?: string
  readonly card?: string
} {
  const note = request?.note?.['acp']
  if (!isJsonObject(note)) return {}
  const { cwd, card } = note
  return typeof cwd === 'string' && typeof card === 'string' ? { cwd, card } : {}
}

function isSameFolder(one: string, other: string): boolean {
  return resolve(one) === resolve(other)
}

async function readRequest(store: RunStore, runId: string): Promise<RunRequest | undefined> {
  // written by a host as a request
  return (await store.steps(runId, runId)).get('begin') as unknown as RunRequest | undefined
}

async function fullRunIds(store: RunStore, sessionId: string): Promise<readonly string[]> {
  const roots = await store.roots({ principal: LOCAL_PRINCIPAL, sessionId })
  return roots.flatMap(({ rootRunId, detail, lastSeq }) =>
    detail === 'full' && lastSeq > 0 ? [rootRunId] : [],
  )
}

type ListPosition = Pick<Conversation, 'changedAt' | 'sessionId'>

/** Orders conversations by their last change, the latest first. */
function compare(a: ListPosition, b: ListPosition): number {
  if (a.changedAt !== b.changedAt) return b.changedAt - a.changedAt
  return a.sessionId < b.sessionId ? -1 : Number(a.sessionId > b.sessionId)
}

function toCursor({ changedAt, sessionId }: ListPosition): string {
  return Buffer.from(JSON.stringify([changedAt, sessionId])).toString('base64url')
}

function readCursor(cursor: string): ListPosition {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const [changedAt, sessionId]: readonly unknown[] = Array.isArray(position) ? position : []
    if (typeof changedAt === 'number' && typeof sessionId === 'string') return { changedAt, sessionId }
  } catch {
    // reported below
  }
  throw RequestError.invalidParams(undefined, 'cursor: it must be a `nextCursor` of session/list.')
}
