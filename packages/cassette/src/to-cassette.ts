import {
  isJsonObject,
  troupeError,
  type Json,
  type JsonObject,
  type Message,
  type RunEvent,
} from '@troupe/schema'
import type { RunRequest } from '@troupe/schema/ports'
import type { Cassette, CassetteEntry, RecordedAgent } from './cassette.ts'
import { createRunPaths } from './run-paths.ts'
import { toEntry } from './to-entry.ts'

/** The data that a cassette is made of. */
export interface RecordedRun {
  /** Events of the run tree, in order. */
  readonly events: readonly RunEvent[]
  readonly steps: StepsOf
  /**
   * Shortened model requests by run id, in order. Absent for a run from a store, which does not persist them.
   */
  readonly modelRequests?: ReadonlyMap<string, readonly JsonObject[]>
  readonly agents?: Readonly<Record<string, RecordedAgent>>
  readonly headless?: boolean
  /** Messages that the root run started from, if its request does not hold them. */
  readonly history?: readonly Message[]
}

/**
 * Creates the cassette of a run that has ended. Throws `run_not_resumable` if it has not, or if only metadata
 * is stored.
 */
export function toCassette({
  events,
  steps,
  modelRequests = new Map(),
  agents = {},
  headless = false,
  history: before,
}: RecordedRun): Cassette {
  const [first] = events
  const rootRunId = first?.rootRunId ?? ''
  const begin = steps(rootRunId).get('begin') as unknown as RunRequest | undefined
  const last = events.at(-1)
  if (begin === undefined || last?.type !== 'run-end' || last.runId !== rootRunId)
    throw troupeError(
      'run_not_resumable',
      `The run ${rootRunId} cannot be exported as a recording: ${begin === undefined ? 'only its metadata is stored' : 'it has not ended'}.`,
      { fix: 'Finish it with `--resume`, or record a new run with `--record`.' },
    )
  const sampled = events.find((event) => event.type === 'usage' && event.callId !== undefined)
  if (sampled !== undefined)
    throw troupeError(
      'run_not_resumable',
      `The run ${rootRunId} cannot be exported as a recording: an MCP server used the model of ${sampled.agent}.`,
      { fix: 'Record a new run with `--record`, in which servers cannot use the model.' },
    )
  const { sessionId, agent, input, values, history = before, attachments, output } = begin
  return {
    cassette: 1,
    runId: rootRunId,
    ...(sessionId === rootRunId ? {} : { sessionId }),
    agent: agent.name,
    input,
    ...(values === undefined ? {} : { values }),
    ...(history === undefined ? {} : { history }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(output === undefined ? {} : { output }),
    ...(headless ? { headless } : {}),
    agents,
    entries: toEntries(events, { rootRunId, steps, modelRequests }),
  }
}

function toEntries(
  events: readonly RunEvent[],
  parts: {
    readonly rootRunId: string
    readonly steps: StepsOf
    readonly modelRequests: ReadonlyMap<string, readonly JsonObject[]>
  },
): readonly CassetteEntry[] {
  const runPaths = createRunPaths(parts.rootRunId)
  const keyOf = createStepKeys(events)
  const calls = new Map<string, number>()
  const args = new Map<string, Json>()
  return events.map((event) => {
    runPaths.addEvent(event)
    const entry = toEntry(event, runPaths.pathOf(event.runId))
    const key = keyOf(event)
    const step = key === undefined ? undefined : parts.steps(event.runId).get(key)
    if (event.type === 'tool-call') args.set(`${event.runId} ${event.callId}`, event.args)
    if (event.type === 'usage') {
      const index = calls.get(event.runId) ?? 0
      calls.set(event.runId, index + 1)
      const request = parts.modelRequests.get(event.runId)?.[index]
      return {
        ...entry,
        ...(request === undefined ? {} : { asked: request }),
        ...(step === undefined ? {} : { answer: step }),
      }
    }
    if (!isJsonObject(step)) return entry
    const given = args.get(`${event.runId} ${event.callId}`)
    if (event.type === 'tool-result')
      return { ...entry, ...pick(step, ['structured', 'merge']), ...hiddenBytes(event.bytesIn, given) }
    const ran = step['args']
    const isChanged = event.type === 'tool-start' && JSON.stringify(ran) !== JSON.stringify(given)
    return isChanged ? ({ ...entry, args: ran } as CassetteEntry) : entry
  })
}

/** Returns the byte size of arguments that hold redacted secrets, because it cannot be computed from them. */
function hiddenBytes(bytesIn: number, args: Json | undefined): JsonObject {
  return args !== undefined && JSON.stringify(args).includes('[redacted:') ? { bytesIn } : {}
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = from[key]
      return value === undefined ? [] : [[key, value]]
    }),
  )
}

/** Returns the key of the step that was stored with an event; `undefined` if there was none. */
export type StepKeys = (event: RunEvent) => string | undefined

/**
 * Creates a function that finds the step of an event when only the events and the steps are known. The last
 * successful model call of a turn is the turn's own; earlier ones were made beside the conversation. Those of a tool
 * call have no key.
 */
export function createStepKeys(events: readonly RunEvent[]): StepKeys {
  const answers = Map.groupBy(
    events.filter(
      (event) => event.type === 'usage' && event.error === undefined && event.callId === undefined,
    ),
    (event) => `${event.runId} ${event.type === 'usage' ? event.turn : ''}`,
  )
  return (event) => {
    switch (event.type) {
      case 'run-start':
        return 'begin'
      case 'run-end':
        return 'end'
      case 'tool-start':
        return `start:${event.callId}#${event.attempt}`
      case 'tool-result':
        return `tool:${event.callId}`
      case 'approval-result':
        return `approval:${event.approvalId.slice(event.runId.length + 1)}`
      case 'context-shortened':
        return `context:${event.turn}`
      case 'usage': {
        const all = answers.get(`${event.runId} ${event.turn}`) ?? []
        const index = all.indexOf(event)
        if (index === -1) return undefined
        return index === all.length - 1 ? `llm:${event.turn}` : `aside:${event.turn}.${index + 1}`
      }
      default:
        return undefined
    }
  }
}

/** Returns the steps of a run by key. */
type StepsOf = (runId: string) => ReadonlyMap<string, Json>
