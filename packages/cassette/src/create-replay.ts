import {
  failure,
  NO_USAGE,
  type Clock,
  type Failure,
  type Json,
  type LogEntry,
  type ReplayedAnswer,
  type RootLog,
  type RootReplay,
  type RootTape,
} from '@troupe/schema'
import { createAsked, type Asked } from './asked.ts'
import type { Cassette, CassetteEntry } from './cassette.ts'
import { differenceText, firstDifference } from './first-difference.ts'
import { isGiven } from './given-events.ts'
import { entryName } from './entry-name.ts'
import { entryOf } from './entry-of.ts'
import { findCall, toResult } from './replayed-call.ts'
import { restoreEvent } from './restore-event.ts'
import { createSequence } from './sequence.ts'
import { toTapedAgent } from './taped-agent.ts'
import { tapedRuns, type ChildId } from './taped-runs.ts'
import { toEntry } from './to-entry.ts'

/** Plays a cassette: answers in place of models and tools, and holds what the root does against what it did. */
export interface Replay extends RootTape {
  readonly replay: RootReplay
  /** The same log; events go into it in the recorded order. */
  log(inner: RootLog): RootLog
  /** What was not as recorded; undefined: nothing so far. */
  readonly mismatch: Failure | undefined
  /** Why the session of a run could not be prepared when it was recorded; undefined: it could. */
  refusal(runId: string): Failure | undefined
}

/** What a replay needs beside its cassette. */
export interface ReplayParts {
  readonly childId: ChildId
  readonly clock: Clock
  /** Takes secrets out of what is held against the recording. */
  seal(text: string): string
  /** Something is not as it was recorded: the root must be stopped. Called once. */
  onMismatch(reason: Failure): void
}

/** A replay of one root, from its beginning. */
export function createReplay(cassette: Cassette, parts: ReplayParts): Replay {
  const { entries, agents, runId: rootRunId } = cassette
  const runs = tapedRuns(cassette, parts.childId)
  const calls = modelCalls(entries)
  const asking = new Map<string, Asked>()
  const made = new Map<string, number>()
  let mismatch: Failure | undefined

  const byPlace = new Map(Array.from(runs.values(), (run) => [run.place, run]))
  const sequence = createSequence(entries, {
    clock: parts.clock,
    restore: (entry) => {
      const run = byPlace.get(entry.run)
      return run && restoreEvent(entry, run, { rootRunId, time: parts.clock.now() })
    },
    onStall: (entry) => fail(`${entryName(entry)} was recorded and did not happen`),
  })

  function fail(what: string): void {
    if (mismatch !== undefined) return
    mismatch = failure('replay_mismatch', `The run is not as it was recorded: ${what}.`)
    parts.onMismatch(mismatch)
    sequence.open()
  }

  function compare(recorded: Json | undefined, now: unknown, place: string): void {
    const found = recorded === undefined ? undefined : firstDifference(recorded, plain(now))
    if (found !== undefined) fail(differenceText(found, place))
  }

  const placeOf = (runId: string): string => runs.get(runId)?.place ?? 'that was not recorded'

  /** The recorded call of a model that a run makes next. */
  function nextCall(runId: string): number | undefined {
    return calls.get(placeOf(runId))?.[made.get(runId) ?? 0]
  }

  function take(entry: LogEntry, write: () => void): void {
    const { event, runId } = entry
    if (event !== undefined && mismatch === undefined && isGiven(event.type)) return
    const index =
      event === undefined || mismatch !== undefined ? undefined : place(toEntry(event, placeOf(runId)))
    if (index === undefined || mismatch !== undefined) write()
    else sequence.arrived(index, write)
  }

  /** Where the entry stands in the recording. */
  function place(told: CassetteEntry): number | undefined {
    const index = sequence.next(told)
    const recorded = index === undefined ? undefined : entries[index]
    if (recorded === undefined) fail(`${entryName(told)} is not in the recording`)
    else compare(withoutExtras(recorded), told, entryName(recorded))
    return index
  }

  return {
    get mismatch() {
      return mismatch
    },
    refusal: (runId) => refusalOf(entries, placeOf(runId)),
    ready: (_, prepared) => {
      const { name } = prepared.definition
      const recorded = Object.hasOwn(agents, name) ? agents[name] : undefined
      if (recorded !== undefined)
        compare(
          plain(recorded),
          JSON.parse(parts.seal(JSON.stringify(toTapedAgent(prepared)))),
          `agents.${name}`,
        )
    },
    asked: (runId, request) => {
      const short = entryOf(asking, runId, createAsked)(request)
      const index = nextCall(runId)
      const recorded = index === undefined ? undefined : entries[index]
      if (recorded === undefined) fail(`the run ${placeOf(runId)} asks its model once more than was recorded`)
      else compare(recorded['asked'], short, `what ${entryName(recorded)} asked`)
    },
    replay: {
      answer: async (runId) => {
        const index = nextCall(runId)
        const entry = index === undefined ? undefined : entries[index]
        if (index === undefined || entry === undefined) return NEVER
        made.set(runId, (made.get(runId) ?? 0) + 1)
        await sequence.turn(index)
        return mismatch === undefined ? toAnswer(entries, index) : NEVER
      },
      call: (runId, callId) => {
        const { children, index } = findCall(entries, { run: placeOf(runId), call: callId })
        const entry = index === undefined ? undefined : entries[index]
        return {
          children,
          result: async () => {
            if (index === undefined || entry === undefined) {
              fail(`the call ${callId} of the run ${placeOf(runId)} is not in the recording`)
              return NEVER
            }
            await sequence.turn(index)
            const attempt = children.at(-1)?.attempt
            const [turn = 0, ordinal = 0] = callId.split('.').map(Number)
            const child =
              attempt === undefined
                ? undefined
                : parts.childId({ parentRunId: runId, turn, ordinal, attempt })
            return mismatch === undefined ? toResult(entry, child) : NEVER
          },
        }
      },
    },
    log: (inner) => {
      sequence.begin((event) => inner.write({ runId: event.runId, event }))
      return {
        active: true,
        keeps: false,
        get watched() {
          return inner.watched
        },
        write: (entry) => take(entry, () => inner.write(entry)),
        tell: (event) => inner.tell(event),
        durable: () => inner.durable(),
        steps: (runId) => inner.steps(runId),
        subscribe: (listener, options) => inner.subscribe(listener, options),
        close: () => inner.close(),
      }
    },
  }
}

const NEVER = new Promise<never>(() => {
  // the root is stopped: nobody waits for this any more
})

function toAnswer(entries: readonly CassetteEntry[], index: number): ReplayedAnswer {
  const entry = entries[index]
  if (entry === undefined) return { isRetried: false, usage: NO_USAGE }
  const { run, error, answer, partialText, tokens } = entry
  const after = entries.slice(index + 1).find((next) => next.run === run && next.call === undefined)
  return {
    ...(answer === undefined ? {} : { step: answer }),
    ...(error === undefined ? {} : { failure: error as unknown as Failure }),
    ...(typeof partialText === 'string' ? { partialText } : {}),
    isRetried: after?.event === 'model-retry',
    usage: { ...NO_USAGE, ...(tokens as object | undefined) },
  }
}

/** The failure of a run of which nothing is recorded but its beginning and end. */
function refusalOf(entries: readonly CassetteEntry[], place: string): Failure | undefined {
  const own = entries.filter(({ run, event }) => run === place && event !== 'warning')
  const error = own.length === 2 ? own[1]?.['error'] : undefined
  return error as unknown as Failure | undefined
}

/** The calls of models of each run, in order: their places in the cassette. */
function modelCalls(entries: readonly CassetteEntry[]): ReadonlyMap<string, readonly number[]> {
  const calls = new Map<string, number[]>()
  for (const [index, { run, event }] of entries.entries())
    if (event === 'usage') entryOf(calls, run, () => []).push(index)
  return calls
}

const EXTRAS: ReadonlySet<string> = new Set(['asked', 'answer', 'structured', 'merge', 'bytesIn'])

function withoutExtras(entry: CassetteEntry): Json {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !EXTRAS.has(key))) as Json
}

/** As it would be read from a file. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
