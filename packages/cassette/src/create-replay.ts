import type {
  Clock,
  Failure,
  ReplayedCall,
  RunTreeLog,
  RunTreeReplay,
  RunTreeRecording,
} from '@troupe/schema'
import type { Cassette, CassetteEntry } from './cassette.ts'
import { followRecording, type RecordingFollower } from './follow-recording.ts'
import { NEVER, replayedAnswers } from './replayed-answers.ts'
import { findCall, toResult } from './replayed-call.ts'
import { toRecordedAgent } from './to-recorded-agent.ts'
import type { ChildId } from './cassette-runs.ts'

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
