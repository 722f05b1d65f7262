import type { Clock, Failure, ReplayedCall, RootLog, RootReplay, RootTape } from '@troupe/schema'
import type { Cassette, CassetteEntry } from './cassette.ts'
import { followRecording, type Follower } from './follow-recording.ts'
import { NEVER } from './never.ts'
import { replayedAnswers } from './replayed-answers.ts'
import { findCall, toResult } from './replayed-call.ts'
import { toTapedAgent } from './taped-agent.ts'
import type { ChildId } from './taped-runs.ts'

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
  const follower = followRecording(cassette, parts)
  const { asked, answer } = replayedAnswers(follower)
  return {
    get mismatch() {
      return follower.mismatch
    },
    refusal: (runId) => refusalOf(follower.entries, follower.placeOf(runId)),
    ready: (_, prepared) => {
      const { name } = prepared.definition
      const recorded = Object.hasOwn(cassette.agents, name) ? cassette.agents[name] : undefined
      if (recorded === undefined) return
      const sealed: unknown = JSON.parse(parts.seal(JSON.stringify(toTapedAgent(prepared))))
      follower.compare(JSON.parse(JSON.stringify(recorded)), sealed, `agents.${name}`)
    },
    asked,
    replay: { answer, call: (runId, callId) => replayedCall({ runId, callId }, follower, parts.childId) },
    log: (inner) => follower.log(inner),
  }
}

/** A recorded call of a tool. */
function replayedCall(
  { runId, callId }: { readonly runId: string; readonly callId: string },
  follower: Follower,
  childId: ChildId,
): ReplayedCall {
  const { entries, placeOf } = follower
  const { children, index } = findCall(entries, { run: placeOf(runId), call: callId })
  const entry = index === undefined ? undefined : entries[index]
  return {
    children,
    result: async () => {
      if (index === undefined || entry === undefined) {
        follower.fail(`the call ${callId} of the run ${placeOf(runId)} is not in the recording`)
        return NEVER
      }
      await follower.turn(index)
      const attempt = children.at(-1)?.attempt
      const [turn = 0, ordinal = 0] = callId.split('.').map(Number)
      const child =
        attempt === undefined ? undefined : childId({ parentRunId: runId, turn, ordinal, attempt })
      return follower.mismatch === undefined ? toResult(entry, child) : NEVER
    },
  }
}

/** The failure of a run of which nothing is recorded but its beginning and end. */
function refusalOf(entries: readonly CassetteEntry[], place: string): Failure | undefined {
  const own = entries.filter(({ run, event }) => run === place && event !== 'warning')
  const error = own.length === 2 ? own[1]?.['error'] : undefined
  return error as unknown as Failure | undefined
}
