import { NO_USAGE, type Failure, type JsonObject, type ReplayedAnswer } from '@troupe/schema'
import { createRequestShortener, type RequestShortener } from './request-shortener.ts'
import type { CassetteEntry } from './cassette.ts'
import { entryName } from './to-entry.ts'
import { getOrCreate } from './get-or-create.ts'
import type { RecordingFollower } from './follow-recording.ts'

/** Recorded model answers of a run tree, in call order for each run. */
export interface ReplayedAnswers {
  /** Compares a request with the recorded one. */
  compareRequest(runId: string, request: JsonObject): void
  /** Resolves with the answer to the next model call of a run when its turn has come. */
  answer(runId: string): Promise<ReplayedAnswer>
}

/** Creates the answers of a recording. None is used yet. */
export function replayedAnswers(follower: RecordingFollower): ReplayedAnswers {
  const { entries } = follower
  const calls = modelCalls(entries)
  const shorteners = new Map<string, RequestShortener>()
  const madeCalls = new Map<string, number>()

  /** Returns the index of the model call that a run makes next. */
  function nextCall(runId: string): number | undefined {
    return calls.get(follower.runPathOf(runId))?.[madeCalls.get(runId) ?? 0]
  }

  return {
    compareRequest(runId, request) {
      const shortened = getOrCreate(shorteners, runId, createRequestShortener)(request)
      const index = nextCall(runId)
      const recorded = index === undefined ? undefined : entries[index]
      if (recorded === undefined)
        follower.fail(`the run ${follower.runPathOf(runId)} asks its model once more than was recorded`)
      else follower.compare(recorded['asked'], shortened, `what ${entryName(recorded)} asked`)
    },
    async answer(runId) {
      const index = nextCall(runId)
      if (index === undefined) return NEVER
      madeCalls.set(runId, (madeCalls.get(runId) ?? 0) + 1)
      await follower.waitForTurn(index)
      return follower.mismatch === undefined ? toAnswer(entries, index) : NEVER
    },
  }
}

/** Maps the path of each run to the indexes of its model calls in the cassette. */
function modelCalls(entries: readonly CassetteEntry[]): ReadonlyMap<string, readonly number[]> {
  const calls = new Map<string, number[]>()
  for (const [index, { run, event }] of entries.entries())
    if (event === 'usage') getOrCreate(calls, run, () => []).push(index)
  return calls
}

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

/** A promise that never settles, for callers in a replay that has been cancelled. */
export const NEVER: Promise<never> = new Promise<never>(() => {
  // the cancelled run does not need a result
})
