import { type Json, type JsonObject, type Message, type RunEvent, isJsonObject } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { LogEntry, PreparedAgent, RunTreeLog, RunTreeRecording } from '@troupe/schema/ports'
import type { Cassette, RecordedAgent } from './cassette.ts'
import { getOrCreate, toRecordedAgent } from './recorded-agent.ts'
import { toCassette } from './to-cassette.ts'

/** Records a run tree while it runs. */
export interface Recorder extends RunTreeRecording {
  /** Returns a log that records everything appended to it. */
  log(inner: RunTreeLog): RunTreeLog
  /** Returns the recording. Throws `run_not_resumable` before the root run has ended. */
  cassette(): Cassette
}

/**
 * Creates an empty recorder for one run tree. `seal` replaces secrets in the agents; requests and log entries
 * must be sealed already. `history` holds the sealed messages that the root run starts from.
 */
export function createRecorder({
  seal,
  headless,
  history,
}: {
  readonly seal: (text: string) => string
  readonly headless: boolean
  readonly history?: readonly Message[]
}): Recorder {
  const events: RunEvent[] = []
  const steps = new Map<string, Map<string, Json>>()
  const shorteners = new Map<string, RequestShortener>()
  const modelRequests = new Map<string, JsonObject[]>()
  const agents = new Map<string, RecordedAgent>()
  const stepsOf = (runId: string): Map<string, Json> => getOrCreate(steps, runId, () => new Map())
  return {
    onSessionReady: (_, prepared: PreparedAgent) => {
      const { name } = prepared.definition
      if (!agents.has(name))
        agents.set(name, JSON.parse(seal(JSON.stringify(toRecordedAgent(prepared)))) as RecordedAgent)
    },
    onModelRequest: (runId, request) => {
      const shorten = getOrCreate(shorteners, runId, createRequestShortener)
      getOrCreate(modelRequests, runId, () => []).push(shorten(request))
    },
    log: (inner) =>
      tapLog(inner, ({ runId, step, event }) => {
        if (step !== undefined) stepsOf(runId).set(step.key, step.value)
        if (event !== undefined) events.push({ ...event, seq: events.length + 1 })
      }),
    cassette: () =>
      toCassette({
        events,
        steps: stepsOf,
        modelRequests,
        headless,
        ...(history === undefined ? {} : { history }),
        agents: Object.fromEntries([...agents].toSorted(byName)),
      }),
  }
}

/**
 * Wraps a log and passes each entry to `see`. The wrapper always asks for steps, even if the log does not
 * persist them.
 */
function tapLog(inner: RunTreeLog, see: (entry: LogEntry) => void): RunTreeLog {
  return {
    isActive: true,
    isPersistent: true,
    get hasDeltaListeners() {
      return inner.hasDeltaListeners
    },
    append: (entry) => {
      see(entry)
      inner.append(entry)
    },
    emitTransient: (event) => inner.emitTransient(event),
    waitForCommit: () => inner.waitForCommit(),
    steps: (runId) => inner.steps(runId),
    subscribe: (listener, options) => inner.subscribe(listener, options),
    close: () => inner.close(),
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Shortens the model requests of one run: each result holds only what the request before it did not. */
export type RequestShortener = (request: JsonObject) => JsonObject

/**
 * Creates the function for one run. A shortened request holds the number of messages it repeats from the
 * previous one, the messages it adds, and its tools and settings if they changed.
 */
export function createRequestShortener(): RequestShortener {
  let previousTexts: readonly string[] = []
  let previousRest = ''
  return ({ prompt, tools, ...settings }) => {
    const messages = Array.isArray(prompt) ? (prompt as readonly Json[]) : []
    const texts = messages.map((message) => canonicalJson(message))
    let repeated = 0
    while (repeated < previousTexts.length && previousTexts[repeated] === texts[repeated]) repeated += 1
    previousTexts = texts
    const names = { ...(Array.isArray(tools) ? { tools: tools.map(nameOf) } : {}), ...settings }
    const isNew = canonicalJson(names) !== previousRest
    previousRest = canonicalJson(names)
    return {
      messages: messages.slice(repeated),
      ...(repeated === 0 ? {} : { after: repeated }),
      ...(isNew ? names : {}),
    }
  }
}

function nameOf(tool: unknown): Json {
  return isJsonObject(tool) ? (tool['name'] ?? null) : null
}
