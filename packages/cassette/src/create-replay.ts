import {
  type Clock,
  type Failure,
  isJsonObject,
  type JsonObject,
  type ToolResult,
  NO_USAGE,
} from '@troupe/schema'
import type {
  ReplayedCall,
  RunTreeLog,
  RunTreeReplay,
  RunTreeRecording,
  ReplayedAnswer,
} from '@troupe/schema/ports'
import type { Cassette, CassetteEntry } from './cassette.ts'
import { followRecording, type RecordingFollower } from './follow-recording.ts'
import { toRecordedAgent, getOrCreate } from './recorded-agent.ts'
import { type ChildId, parseRunPath } from './run-paths.ts'
import { textOf, entryName } from './to-entry.ts'
import { createRequestShortener, type RequestShortener } from './create-recorder.ts'

/** Replays a cassette: answers in place of models and tools, and compares the run tree with the recording. */
export interface CassetteReplay extends RunTreeRecording {
  readonly replay: RunTreeReplay
  /** Returns a log that appends events in the recorded order. */
  log(inner: RunTreeLog): RunTreeLog
  /** The first difference from the recording; `undefined` if there is none so far. */
  readonly mismatch: Failure | undefined
  /** Returns why the session of a run could not be prepared when it was recorded; `undefined` if it could. */
  refusal(runId: string): Failure | undefined
}

/** Dependencies of a replay. */
export interface ReplayParts {
  readonly childId: ChildId
  readonly clock: Clock
  /** Replaces secrets in values that are compared with the recording. */
  seal(text: string): string
  /** Called once, at the first difference from the recording. The run tree must then be cancelled. */
  onMismatch(reason: Failure): void
}

/** Creates a replay of one run tree from its start. */
export function createReplay(cassette: Cassette, parts: ReplayParts): CassetteReplay {
  const follower = followRecording(cassette, parts)
  const { compareRequest, answer } = replayedAnswers(follower)
  return {
    get mismatch() {
      return follower.mismatch
    },
    refusal: (runId) => refusalOf(follower.entries, follower.runPathOf(runId)),
    onSessionReady: (_, prepared) => {
      const { name } = prepared.definition
      const recorded = Object.hasOwn(cassette.agents, name) ? cassette.agents[name] : undefined
      if (recorded === undefined) return
      const sealed: unknown = JSON.parse(parts.seal(JSON.stringify(toRecordedAgent(prepared))))
      follower.compare(JSON.parse(JSON.stringify(recorded)), sealed, `agents.${name}`)
    },
    onModelRequest: compareRequest,
    replay: { answer, call: (runId, callId) => replayedCall({ runId, callId }, follower, parts.childId) },
    log: (inner) => follower.log(inner),
  }
}

function replayedCall(
  { runId, callId }: { readonly runId: string; readonly callId: string },
  follower: RecordingFollower,
  childId: ChildId,
): ReplayedCall {
  const { entries, runPathOf } = follower
  const { children, index } = findCall(entries, { run: runPathOf(runId), call: callId })
  const entry = index === undefined ? undefined : entries[index]
  return {
    children,
    result: async () => {
      if (index === undefined || entry === undefined) {
        follower.fail(`the call ${callId} of the run ${runPathOf(runId)} is not in the recording`)
        return NEVER
      }
      await follower.waitForTurn(index)
      const attempt = children.at(-1)?.attempt
      const [turn = 0, ordinal = 0] = callId.split('.').map(Number)
      const child =
        attempt === undefined ? undefined : childId({ parentRunId: runId, turn, ordinal, attempt })
      return follower.mismatch === undefined ? toResult(entry, child) : NEVER
    },
  }
}

/**
 * Returns the failure of a run of which only the start and the end are recorded: its session could not be
 * prepared.
 */
function refusalOf(entries: readonly CassetteEntry[], runPath: string): Failure | undefined {
  const own = entries.filter(({ run, event }) => run === runPath && event !== 'warning')
  const error = own.length === 2 ? own[1]?.['error'] : undefined
  return error as unknown as Failure | undefined
}

/** The recorded data of one call. */
interface RecordedCall {
  readonly children: ReplayedCall['children']
  /** Index of its result entry; `undefined` if there is none. */
  readonly index: number | undefined
}

/** Finds a call by the path of its run. */
function findCall(
  entries: readonly CassetteEntry[],
  { run, call }: { readonly run: string; readonly call: string },
): RecordedCall {
  const index = entries.findIndex(
    (entry) => entry.event === 'tool-result' && entry.run === run && entry.call === call,
  )
  const starts = entries.filter(
    (entry) => entry.event === 'tool-start' && entry.run === run && entry.call === call,
  )
  const children = entries.flatMap((entry) => {
    const site = entry.event === 'run-start' ? parseRunPath(entry.run) : undefined
    if (site?.parent !== run || `${site.turn}.${site.ordinal}` !== call) return []
    const { attempt } = site
    const args = starts.find((start) => start['attempt'] === attempt)?.['args']
    return [
      {
        attempt,
        agent: textOf(entry['agent']),
        input: textOf(entry['input']),
        ...(isJsonObject(args) ? { args } : {}),
      },
    ]
  })
  return { children, index: index === -1 ? undefined : index }
}

/**
 * Restores the result of a call as its caller got it. `childRunId` is the id of the last child run it opened.
 */
function toResult(
  entry: CassetteEntry,
  childRunId: string | undefined,
): { readonly result: ToolResult; readonly attempts: number; readonly bytesIn?: number } {
  const { outcome, content, error, structured, merge, attempts, bytesIn } = entry as JsonObject
  const result = {
    outcome,
    content,
    ...(structured === undefined ? {} : { structured }),
    ...(error === undefined ? {} : { failure: error }),
    ...(childRunId === undefined ? {} : { childRunId }),
    ...(merge === undefined ? {} : { merge }),
  }
  return {
    result: result as unknown as ToolResult,
    attempts: Number(attempts ?? 0),
    ...(typeof bytesIn === 'number' ? { bytesIn } : {}),
  }
}

/** Recorded model answers of a run tree, in call order for each run. */
interface ReplayedAnswers {
  /** Compares a request with the recorded one. */
  compareRequest(runId: string, request: JsonObject): void
  /** Resolves with the answer to the next model call of a run when its turn has come. */
  answer(runId: string): Promise<ReplayedAnswer>
}

/** Creates the answers of a recording. None is used yet. */
function replayedAnswers(follower: RecordingFollower): ReplayedAnswers {
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
        follower.fail(`the run ${follower.runPathOf(runId)} calls its model more often than the recording`)
      else follower.compare(recorded['asked'], shortened, `the request recorded as ${entryName(recorded)}`)
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
const NEVER: Promise<never> = new Promise<never>(() => {
  // the cancelled run does not need a result
})
