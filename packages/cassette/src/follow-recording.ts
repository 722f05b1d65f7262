import {
  failure,
  type Failure,
  type Json,
  type EventDraft,
  type EventType,
  type JsonObject,
  type Clock,
} from '@troupe/schema'
import { eventEnvelope, type LogEntry, type RunTreeLog } from '@troupe/schema/ports'
import type { Cassette, CassetteEntry } from './cassette.ts'
import type { ReplayParts } from './create-replay.ts'
import { entryName, toEntry } from './to-entry.ts'
import { differenceText, firstDifference } from './first-change.ts'
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

/**
 * Puts events in the recorded order. Concurrent runs may be faster or slower than when they were recorded.
 */
interface EntrySequence {
  /** Starts to emit the events that are taken from the recording. */
  begin(emit: (event: EventDraft) => void): void
  /**
   * Returns the index of the next recorded entry of the same run and call, which this entry must match;
   * `undefined` if there is none.
   */
  next(entry: CassetteEntry): number | undefined
  /** Marks an entry as ready. `release` is called when all entries before it have happened. */
  markReady(index: number, release: () => void): void
  /** Resolves when all entries before this one have happened. */
  waitForTurn(index: number): Promise<void>
  /** Gives up the order and releases everything that waits. */
  releaseAll(): void
}

/** Time in ms without progress after which the replay has stalled. Nothing in a replay takes long. */
const STALL_MS = 10_000

/** Creates the sequence of a cassette. `onStall` is called with the entry that everything waits for. */
function createEntrySequence(
  entries: readonly CassetteEntry[],
  parts: {
    readonly clock: Clock
    restore(entry: CassetteEntry): EventDraft | undefined
    onStall(entry: CassetteEntry): void
  },
): EntrySequence {
  const indexes = indexBySequence(entries)
  const releases = new Map<number, () => void>()
  const waiters = new Map<number, () => void>()
  let emit: ((event: EventDraft) => void) | undefined
  let at = 0
  let isOpen = false

  /** Lets the next entry happen. Returns false if it is not ready. */
  function advance(): boolean {
    const entry = entries[at]
    if (emit === undefined || isOpen || entry === undefined) return false
    if (isReplayedEvent(entry.event)) {
      at += 1
      const event = parts.restore(entry)
      if (event !== undefined) emit(event)
      return true
    }
    const release = releases.get(at)
    if (release === undefined) return false
    releases.delete(at)
    at += 1
    release()
    return true
  }

  function advanceAll(): void {
    while (advance()) {
      // advance one entry at a time
    }
    waiters.get(at)?.()
  }

  /** Reports a stall after the timeout. Returns a function that cancels the watch. */
  function watch(): () => void {
    const seen = at
    let off = parts.clock.after(STALL_MS, () => {
      const entry = entries[at]
      if (at !== seen) off = watch()
      else if (entry !== undefined && !isOpen) parts.onStall(entry)
    })
    return () => off()
  }

  return {
    begin: (emitEvent) => {
      emit = emitEvent
      advanceAll()
    },
    next: (entry) => indexes.get(sequenceKeyOf(entry))?.shift(),
    markReady: (index, release) => {
      releases.set(index, release)
      advanceAll()
    },
    waitForTurn: async (index) => {
      if (at >= index || isOpen) return
      const off = watch()
      await new Promise<void>((resolve) => waiters.set(index, resolve))
      waiters.delete(index)
      off()
    },
    releaseAll: () => {
      if (isOpen) return
      isOpen = true
      for (const [, release] of [...releases].toSorted(([a], [b]) => a - b)) release()
      for (const resolve of waiters.values()) resolve()
      releases.clear()
    },
  }
}

/** Returns the key of the run or call: entries with the same key happen in order. */
function sequenceKeyOf({ run, call = '' }: CassetteEntry): string {
  return `${run} ${call}`
}

function indexBySequence(entries: readonly CassetteEntry[]): ReadonlyMap<string, number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, entry] of entries.entries()) {
    if (isReplayedEvent(entry.event)) continue
    const key = sequenceKeyOf(entry)
    const known = indexes.get(key)
    if (known === undefined) indexes.set(key, [index])
    else known.push(index)
  }
  return indexes
}

/**
 * Events that a replay takes from the recording. Hooks, tools, people and servers caused them, and none of
 * those runs again. All other events come from the agent loop and are compared with the recording.
 */
const REPLAYED_EVENTS: ReadonlySet<string> = new Set([
  'tool-start',
  'approval-request',
  'approval-result',
  'run-waiting',
  'warning',
])

/** Returns true for an event that is taken from the recording. */
function isReplayedEvent(event: string): boolean {
  return REPLAYED_EVENTS.has(event)
}
