import { createPlaces, createStepKeys, parsePlace } from '@troupe/cassette'
import { childRunId } from '@troupe/core'
import {
  isJsonObject,
  type AgentDefinition,
  type EventDraft,
  type Json,
  type JsonObject,
  type LogEntry,
  type RunEvent,
  type RunRequest,
} from '@troupe/schema'

/**
 * Returns what a fork takes over: the first events of a root and the steps that were saved with them, under the ids of a new root. All of it
 * happens at the start of the fork and takes no time there, so that the fork has a start and a duration of its own.
 */
export async function copyPrefix(
  events: readonly RunEvent[],
  parts: {
    readonly count: number
    /** Start of the fork, wall time in ms. */
    readonly now: number
    /** That of the new root. */
    readonly request: RunRequest
    /** The agent of a name as it is now. */
    definition(name: string): AgentDefinition | undefined
    steps(runId: string): Promise<ReadonlyMap<string, Json>>
  },
): Promise<readonly LogEntry[]> {
  const taken = events.slice(0, parts.count)
  const ids = new Map([...sessionIds(taken, parts.request), ...newIds(taken, parts.request.runId)])
  const keyOf = createStepKeys(events)
  const ended = new Set(taken.flatMap((event) => (event.type === 'run-end' ? event.runId : [])))
  const entries: LogEntry[] = []
  for (const event of taken) {
    const steps = await parts.steps(event.runId)
    const runId = ids.get(event.runId) ?? event.runId
    const stepOf = (key: string | undefined): Pick<LogEntry, 'step'> => {
      const value = key === undefined ? undefined : steps.get(key)
      if (key === undefined || value === undefined) return {}
      const isRoot = key === 'begin' && runId === parts.request.runId
      return {
        step: {
          key,
          value: isRoot ? { ...asJson(value), ...headOf(parts.request) } : renamed(timeless(key, value), ids),
        },
      }
    }
    // what its answer was not good enough for stands with the turn that asks again
    const asked = event.type === 'turn-start' ? stepOf(`ask:${event.turn}`) : {}
    if (asked.step !== undefined) entries.push({ runId, ...asked })
    const told = { ...(renamed(withoutPlace(event), ids) as unknown as EventDraft), time: parts.now }
    const goesOn = told.type === 'run-start' && !ended.has(event.runId)
    const now = goesOn ? parts.definition(told.definition.name) : undefined
    entries.push({
      runId,
      event: now === undefined ? told : withDefinition(told, now),
      ...stepOf(keyOf(event)),
    })
  }
  return entries
}

function withoutPlace(event: RunEvent): Json {
  const { seq: _seq, after: _after, ...draft } = event
  return timeless(event.type === 'run-end' ? 'end' : '', draft as unknown as Json)
}

/** The end of a run that is taken over, as its event or its step: it took no time in the fork. */
function timeless(key: string, value: Json): Json {
  return key === 'end' && isJsonObject(value) ? { ...value, durationMs: 0, activeMs: 0 } : value
}

/** A run that goes on does so with the card of now. */
function withDefinition(event: EventDraft, { name, digest, version }: AgentDefinition): EventDraft {
  return { ...event, definition: { name, digest, version } } as EventDraft
}

function asJson(value: Json): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** What is other in the request of a fork; the rest of it stays sealed as it is. */
function headOf({ runId, rootRunId, sessionId, agent, note, team }: RunRequest): JsonObject {
  const changes = team === undefined ? {} : { team: team as JsonObject }
  return { runId, rootRunId, sessionId, agent, ...changes, ...(note === undefined ? {} : { note }) }
}

/** The conversation of the root, which is another one now. */
function sessionIds(events: readonly RunEvent[], { sessionId }: RunRequest): ReadonlyMap<string, string> {
  const [first] = events
  return new Map(first?.type === 'run-start' ? [[first.sessionId, sessionId]] : [])
}

/** The id of each run in the new tree. */
function newIds(events: readonly RunEvent[], newRunId: string): ReadonlyMap<string, string> {
  const rootRunId = events[0]?.rootRunId ?? ''
  const ids = new Map([[rootRunId, newRunId]])
  const places = createPlaces(rootRunId)
  for (const event of events) {
    places.see(event)
    const site = event.type === 'run-start' ? parsePlace(places.of(event.runId)) : undefined
    const parentRunId = ids.get(event.parentRunId ?? '')
    if (site !== undefined && parentRunId !== undefined)
      ids.set(event.runId, childRunId({ ...site, parentRunId }))
  }
  return ids
}

const ID_KEYS: ReadonlySet<string> = new Set(['runId', 'rootRunId', 'parentRunId', 'childRunId', 'sessionId'])

/** The value with the new ids where ids stand. */
function renamed(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((member: Json) => renamed(member, ids))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, renamedMember(key, member, ids)]),
  )
}

function renamedMember(key: string, value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value !== 'string') return renamed(value, ids)
  if (ID_KEYS.has(key)) return ids.get(value) ?? value
  if (key !== 'approvalId') return value
  const end = value.lastIndexOf(':')
  const runId = ids.get(value.slice(0, end))
  return runId === undefined ? value : `${runId}${value.slice(end)}`
}
