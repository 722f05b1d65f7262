import {
  failure,
  type Failure,
  type Json,
  type EventDraft,
  type EventType,
  type JsonObject,
} from '@troupe/schema'
import { eventEnvelope, type LogEntry, type RunTreeLog } from '@troupe/schema/ports'
import type { Cassette, CassetteEntry } from './cassette.ts'
import type { ReplayParts } from './create-replay.ts'
import { entryName, toEntry } from './to-entry.ts'
import { differenceText, firstDifference } from './first-change.ts'
import { isReplayedEvent, createEntrySequence } from './entry-sequence.ts'
import { cassetteRuns, type CassetteRun } from './run-paths.ts'

/** Compares a run tree with its recording, in the recorded order. */
export interface RecordingFollower {
  readonly entries: readonly CassetteEntry[]
  /** The first difference from the recording; `undefined` if there is none so far. */
  readonly mismatch: Failure | undefined
  /** Returns the path of a run in the recording. */
  runPathOf(runId: string): string
  /** Reports a difference from the recording. Only the first one counts. */
  fail(what: string): void
  /** Fails if the two values differ. `place` says where in the recording, for the message. */
  compare(recorded: Json | undefined, now: unknown, location: string): void
  /** Resolves when all entries before this one have happened. */
  waitForTurn(index: number): Promise<void>
  /** Returns a log that appends events in the recorded order. */
  log(inner: RunTreeLog): RunTreeLog
}

/** Creates a follower at the start of the recording. */
export function followRecording(cassette: Cassette, parts: ReplayParts): RecordingFollower {
  const { entries, runId: rootRunId } = cassette
  const runs = cassetteRuns(cassette, parts.childId)
  const byPath = new Map(Array.from(runs.values(), (run) => [run.place, run]))
  let mismatch: Failure | undefined

  const sequence = createEntrySequence(entries, {
    clock: parts.clock,
    restore: (entry) => {
      const run = byPath.get(entry.run)
      return run && restoreEvent(entry, run, { rootRunId, time: parts.clock.now() })
    },
    onStall: (entry) => fail(`${entryName(entry)} is in the recording but did not happen`),
  })

  function fail(what: string): void {
    if (mismatch !== undefined) return
    mismatch = failure('replay_mismatch', `The run differs from its recording: ${what}.`)
    parts.onMismatch(mismatch)
    sequence.releaseAll()
  }

  function compare(recorded: Json | undefined, now: unknown, location: string): void {
    const found = recorded === undefined ? undefined : firstDifference(recorded, toPlainJson(now))
    if (found !== undefined) fail(differenceText(found, location))
  }

  const runPathOf = (runId: string): string => runs.get(runId)?.place ?? 'which is not in the recording'

  /** Appends an entry to the log when its turn has come. Skips events that are taken from the recording. */
  function take({ event, runId }: LogEntry, write: () => void): void {
    if (event !== undefined && mismatch === undefined && isReplayedEvent(event.type)) return
    const index =
      event === undefined || mismatch !== undefined
        ? undefined
        : findRecorded(toEntry(event, runPathOf(runId)))
    if (index === undefined || mismatch !== undefined) write()
    else sequence.markReady(index, write)
  }

  /** Returns the index of the recorded entry that matches, and fails if there is none or it differs. */
  function findRecorded(entry: CassetteEntry): number | undefined {
    const index = sequence.next(entry)
    const recorded = index === undefined ? undefined : entries[index]
    if (recorded === undefined) fail(`${entryName(entry)} is not in the recording`)
    else compare(withoutExtras(recorded), entry, entryName(recorded))
    return index
  }

  return {
    entries,
    get mismatch() {
      return mismatch
    },
    runPathOf,
    fail,
    compare,
    waitForTurn: (index) => sequence.waitForTurn(index),
    log: (inner) => {
      sequence.begin((event) => inner.append({ runId: event.runId, event }))
      return {
        isActive: true,
        isPersistent: false,
        get hasDeltaListeners() {
          return inner.hasDeltaListeners
        },
        append: (entry) => take(entry, () => inner.append(entry)),
        emitTransient: (event) => inner.emitTransient(event),
        waitForCommit: () => inner.waitForCommit(),
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
function toPlainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}

/** Restores the event of an entry that is taken from the recording. */
function restoreEvent(
  entry: CassetteEntry,
  run: CassetteRun,
  { rootRunId, time }: { readonly rootRunId: string; readonly time: number },
): EventDraft {
  const { run: _, event: type, call: callId, ...payload } = entry
  return {
    ...eventEnvelope({ ...run, rootRunId, callId }, type as EventType, time),
    ...restorePayload(payload, type, run.runId),
  } as unknown as EventDraft
}

function restorePayload(payload: JsonObject, type: string, runId: string): JsonObject {
  const { approvalId } = payload
  if (typeof approvalId === 'string') return { ...payload, approvalId: `${runId}:${approvalId}` }
  if (type !== 'tool-start') return payload
  // The arguments that a hook changed are recorded, but are not part of the event.
  const { args: _, ...rest } = payload
  return rest
}
