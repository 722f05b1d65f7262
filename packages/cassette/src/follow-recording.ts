import { failure, type Failure, type Json, type LogEntry, type RootLog } from '@troupe/schema'
import type { Cassette, CassetteEntry } from './cassette.ts'
import type { ReplayParts } from './create-replay.ts'
import { entryName } from './entry-name.ts'
import { differenceText, firstDifference } from './first-difference.ts'
import { isGiven } from './given-events.ts'
import { restoreEvent } from './restore-event.ts'
import { createSequence } from './sequence.ts'
import { tapedRuns } from './taped-runs.ts'
import { toEntry } from './to-entry.ts'

/** Compares a run tree with its recording, in the recorded order. */
export interface Follower {
  readonly entries: readonly CassetteEntry[]
  /** The first difference from the recording; `undefined` if there is none so far. */
  readonly mismatch: Failure | undefined
  /** Returns the path of a run in the recording. */
  placeOf(runId: string): string
  /** Reports a difference from the recording. Only the first one counts. */
  fail(what: string): void
  /** Fails if the two values differ. `place` says where in the recording, for the message. */
  compare(recorded: Json | undefined, now: unknown, place: string): void
  /** Resolves when all entries before this one have happened. */
  turn(index: number): Promise<void>
  /** Returns a log that appends events in the recorded order. */
  log(inner: RootLog): RootLog
}

/** Creates a follower at the start of the recording. */
export function followRecording(cassette: Cassette, parts: ReplayParts): Follower {
  const { entries, runId: rootRunId } = cassette
  const runs = tapedRuns(cassette, parts.childId)
  const byPlace = new Map(Array.from(runs.values(), (run) => [run.place, run]))
  let mismatch: Failure | undefined

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

  /** Appends an entry to the log when its turn has come. Skips events that are taken from the recording. */
  function take({ event, runId }: LogEntry, write: () => void): void {
    if (event !== undefined && mismatch === undefined && isGiven(event.type)) return
    const index =
      event === undefined || mismatch !== undefined ? undefined : find(toEntry(event, placeOf(runId)))
    if (index === undefined || mismatch !== undefined) write()
    else sequence.arrived(index, write)
  }

  /** Returns the index of the recorded entry that matches, and fails if there is none or it differs. */
  function find(told: CassetteEntry): number | undefined {
    const index = sequence.next(told)
    const recorded = index === undefined ? undefined : entries[index]
    if (recorded === undefined) fail(`${entryName(told)} is not in the recording`)
    else compare(withoutExtras(recorded), told, entryName(recorded))
    return index
  }

  return {
    entries,
    get mismatch() {
      return mismatch
    },
    placeOf,
    fail,
    compare,
    turn: (index) => sequence.turn(index),
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

const EXTRAS: ReadonlySet<string> = new Set(['asked', 'answer', 'structured', 'merge', 'bytesIn'])

function withoutExtras(entry: CassetteEntry): Json {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !EXTRAS.has(key))) as Json
}

/** Converts a value to what it would be after a round trip through a file. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
