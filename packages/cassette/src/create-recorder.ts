import type {
  Json,
  JsonObject,
  LogEntry,
  Message,
  PreparedAgent,
  RootLog,
  RootTape,
  RunEvent,
} from '@troupe/schema'
import { createAsked, type Asked } from './asked.ts'
import type { Cassette, TapedAgent } from './cassette.ts'
import { entryOf } from './entry-of.ts'
import { toTapedAgent } from './taped-agent.ts'
import { toCassette } from './to-cassette.ts'

/** Records a run tree while it runs. */
export interface Recorder extends RootTape {
  /** Returns a log that records everything appended to it. */
  log(inner: RootLog): RootLog
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
  const asking = new Map<string, Asked>()
  const asked = new Map<string, JsonObject[]>()
  const agents = new Map<string, TapedAgent>()
  const stepsOf = (runId: string): Map<string, Json> => entryOf(steps, runId, () => new Map())
  return {
    ready: (_, prepared: PreparedAgent) => {
      const { name } = prepared.definition
      if (!agents.has(name))
        agents.set(name, JSON.parse(seal(JSON.stringify(toTapedAgent(prepared)))) as TapedAgent)
    },
    asked: (runId, request) => {
      const short = entryOf(asking, runId, createAsked)
      entryOf(asked, runId, () => []).push(short(request))
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
        asked,
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
function tapLog(inner: RootLog, see: (entry: LogEntry) => void): RootLog {
  return {
    active: true,
    keeps: true,
    get watched() {
      return inner.watched
    },
    write: (entry) => {
      see(entry)
      inner.write(entry)
    },
    tell: (event) => inner.tell(event),
    durable: () => inner.durable(),
    steps: (runId) => inner.steps(runId),
    subscribe: (listener, options) => inner.subscribe(listener, options),
    close: () => inner.close(),
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
