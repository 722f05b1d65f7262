import { createRunPaths, createStepKeys, parseRunPath } from '@troupe/cassette'
import { childRunId } from '@troupe/core'
import {
  isJsonObject,
  troupeError,
  type AgentDefinition,
  type EventDraft,
  type Json,
  type JsonObject,
  type RunEvent,
} from '@troupe/schema'
import type { LogEntry, RunRequest } from '@troupe/schema/ports'

/**
 * Returns the number of events before a step. A step is a turn: `2` of the root run, `1.2/3` of the run
 * opened by its call 1.2. Throws `run_step_unknown`.
 */
export function findStep(events: readonly RunEvent[], step: string): number {
  const [, path = '', turn = ''] = STEP.exec(step) ?? []
  if (turn === '') throw unknownStepError(`"${step}" is not a step`)
  const targetPath = `/${path}`
  const paths = createRunPaths(events[0]?.rootRunId ?? '')
  const known: string[] = []
  let last = 0
  let ended: RunEvent | undefined
  for (const [index, event] of events.entries()) {
    paths.addEvent(event)
    const runPath = paths.pathOf(event.runId)
    if (event.type === 'run-start') known.push(`${runPath} (${event.instance})`)
    if (runPath !== targetPath) continue
    if (event.type === 'turn-start') last = event.turn
    if (event.type === 'turn-start' && event.turn === Number(turn)) return index
    if (event.type === 'run-end') ended = event
  }
  if (!known.some((run) => run.startsWith(`${targetPath} `)))
    throw unknownStepError(
      `the run ${targetPath} of the step ${step} does not exist; known runs: ${known.join(', ')}`,
    )
  const end = ended === undefined ? 'is in' : 'ended in'
  throw unknownStepError(
    `${ended?.instance ?? `the run ${targetPath}`} ${end} turn ${last} and has no turn ${turn}`,
  )
}

const STEP = /^\/?(?:(\d+\.\d+(?:#\d+)?(?:\/\d+\.\d+(?:#\d+)?)*)\/)?(\d+)$/u

function unknownStepError(why: string): Error {
  return troupeError('run_step_unknown', `The run cannot be forked: ${why}.`)
}

/**
 * Copies the first events of a root run and their steps to the ids of a new one. All copied events get the
 * start time of the fork and no duration, so that its own duration is correct.
 */
export async function copyPrefix(
  events: readonly RunEvent[],
  parts: {
    readonly count: number
    /** Start of the fork, wall time in ms. */
    readonly now: number
    /** Request of the new root run. */
    readonly request: RunRequest
    /** Returns the current definition of an agent. */
    definition(name: string): AgentDefinition | undefined
    steps(runId: string): Promise<ReadonlyMap<string, Json>>
  },
): Promise<readonly LogEntry[]> {
  const copied = events.slice(0, parts.count)
  const ids = new Map([...sessionIds(copied, parts.request), ...newIds(copied, parts.request.runId)])
  const keyOf = createStepKeys(events)
  const ended = new Set(copied.flatMap((event) => (event.type === 'run-end' ? event.runId : [])))
  const entries: LogEntry[] = []
  for (const event of copied) {
    const steps = await parts.steps(event.runId)
    const runId = ids.get(event.runId) ?? event.runId
    const stepOf = (key: string | undefined): Pick<LogEntry, 'step'> => {
      const value = key === undefined ? undefined : steps.get(key)
      if (key === undefined || value === undefined) return {}
      const isRoot = key === 'begin' && runId === parts.request.runId
      return {
        step: {
          key,
          value: isRoot
            ? { ...withoutTrace(value), ...changedFields(parts.request) }
            : replaceIds(withoutDuration(key, value), ids),
        },
      }
    }
    // The request to correct an answer is stored as a step of the turn that follows.
    const correction = event.type === 'turn-start' ? stepOf(`ask:${event.turn}`) : {}
    if (correction.step !== undefined) entries.push({ runId, ...correction })
    const draftEvent = { ...(replaceIds(toDraft(event), ids) as unknown as EventDraft), time: parts.now }
    const isUnfinished = draftEvent.type === 'run-start' && !ended.has(event.runId)
    const now = isUnfinished ? parts.definition(draftEvent.definition.name) : undefined
    entries.push({
      runId,
      event: now === undefined ? draftEvent : withDefinition(draftEvent, now),
      ...stepOf(keyOf(event)),
    })
  }
  return entries
}

function toDraft(event: RunEvent): Json {
  const { seq: _seq, after: _after, ...draft } = event
  return withoutDuration(event.type === 'run-end' ? 'end' : '', draft as unknown as Json)
}

/** Sets the duration of a copied run end, event or step, to 0. */
function withoutDuration(key: string, value: Json): Json {
  return key === 'end' && isJsonObject(value) ? { ...value, durationMs: 0, activeMs: 0 } : value
}

/** Sets the current definition, because an unfinished run continues with it. */
function withDefinition(event: EventDraft, { name, digest, version }: AgentDefinition): EventDraft {
  return { ...event, definition: { name, digest, version } } as EventDraft
}

/** Removes the trace context of the caller of the original run. */
function withoutTrace(value: Json): JsonObject {
  if (!isJsonObject(value)) return {}
  const { traceContext: _traceContext, ...rest } = value
  return rest
}

/** Returns the fields that change in the request of a fork. The others stay sealed as they are. */
function changedFields({ runId, rootRunId, sessionId, agent, note, team }: RunRequest): JsonObject {
  const changes = team === undefined ? {} : { team: team as JsonObject }
  return { runId, rootRunId, sessionId, agent, ...changes, ...(note === undefined ? {} : { note }) }
}

/** Maps the old session id to the new one. */
function sessionIds(events: readonly RunEvent[], { sessionId }: RunRequest): ReadonlyMap<string, string> {
  const [first] = events
  return new Map(first?.type === 'run-start' ? [[first.sessionId, sessionId]] : [])
}

/** Maps the id of each run to its id in the new run tree. */
function newIds(events: readonly RunEvent[], newRunId: string): ReadonlyMap<string, string> {
  const rootRunId = events[0]?.rootRunId ?? ''
  const ids = new Map([[rootRunId, newRunId]])
  const paths = createRunPaths(rootRunId)
  for (const event of events) {
    paths.addEvent(event)
    const site = event.type === 'run-start' ? parseRunPath(paths.pathOf(event.runId)) : undefined
    const parentRunId = ids.get(event.parentRunId ?? '')
    if (site !== undefined && parentRunId !== undefined)
      ids.set(event.runId, childRunId({ ...site, parentRunId }))
  }
  return ids
}

const ID_KEYS: ReadonlySet<string> = new Set(['runId', 'rootRunId', 'parentRunId', 'childRunId', 'sessionId'])

/** Replaces the ids in a value. */
function replaceIds(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((member: Json) => replaceIds(member, ids))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaceMemberIds(key, member, ids)]),
  )
}

function replaceMemberIds(key: string, value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value !== 'string') return replaceIds(value, ids)
  if (ID_KEYS.has(key)) return ids.get(value) ?? value
  if (key !== 'approvalId') return value
  const end = value.lastIndexOf(':')
  const runId = ids.get(value.slice(0, end))
  return runId === undefined ? value : `${runId}${value.slice(end)}`
}
