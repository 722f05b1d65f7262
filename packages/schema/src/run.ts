import type { OutputContract } from './agent.ts'
import type { Attachment } from './attachment.ts'
import { outcomeOf, type Failure } from './errors.ts'
import type { Json, JsonObject } from './json.ts'
import type { Message } from './message.ts'
import type { Outcome } from './outcome.ts'
import { NO_PROBLEMS, type RunProblems } from './run-problem.ts'
import type { CallSite } from './tool.ts'
import { NO_USAGE, type Usage } from './usage.ts'

/** One link of the way from the root to a run. */
export interface Ancestor {
  readonly runId: string
  readonly name: string
  readonly digest: string
}

/** What a root runs with in place of what its cards say. */
export interface TeamChanges {
  /** Asked by every agent, in place of the models of the cards. */
  readonly model?: string
  /** Prompts by the names of their agents. */
  readonly prompts?: Readonly<Record<string, string>>
}

/** Everything that starts a run. Plain JSON: the same words start a child in this process and on another machine. */
export interface RunRequest {
  readonly runId: string
  readonly rootRunId: string
  readonly parentRunId?: string
  /** The call of the parent that opened this run. */
  readonly site?: CallSite
  readonly agent: { readonly name: string; readonly digest: string }
  /** `NAME` for a root, `NAME[i]` for a child. */
  readonly instance: string
  readonly input: string
  /** Files that go with the input. */
  readonly attachments?: readonly Attachment[]
  /** The form its caller wants the answer in, in place of the agent's own. */
  readonly output?: OutputContract
  /** Messages the conversation starts from. */
  readonly history?: readonly Message[]
  /** The root whose conversation this one goes on with; its `history` is read from what is kept of that one and is not kept again. */
  readonly continues?: string
  /** The agent is a composition: what others go on from is what it was asked and what it answered. */
  readonly composed?: true
  /** From the root to the parent. */
  readonly ancestry: readonly Ancestor[]
  /** Active time left in ms; none: no limit. Time spent waiting for an approval does not count. */
  readonly remainingMs?: number
  readonly sessionId: string
  readonly principal: string
  /** Of a root: nobody can be asked, so tools that need an approval are not offered; also when it is resumed (R16). */
  readonly headless?: true
  /** Of a root; also when it is resumed. */
  readonly team?: TeamChanges
  /** What the caller of the root wants to be kept with it. */
  readonly note?: JsonObject
}

/** What a run ends with. Never a rejection: a failure is a value. */
export interface RunResult extends RunProblems {
  readonly runId: string
  readonly agent: string
  readonly outcome: Outcome
  readonly text: string
  readonly value?: Json
  readonly failure?: Failure
  /** Of the run and everything below it. */
  readonly usage: Usage
  /** Each agent's own part of `usage`; the rows sum to it. */
  readonly byAgent: Readonly<Record<string, Usage>>
  /** Models called whose price is not known. */
  readonly unpriced: readonly string[]
  /** The messages of the run after its history. */
  readonly messages: readonly Message[]
  /** What the parent appends after its tool results, where its history mode is `fork_and_merge`. */
  readonly merge?: readonly Message[]
  /** Wall time from the first start of the run to its end, in ms. */
  readonly durationMs: number
  /** The part of `durationMs` in which the run was at work, in ms. */
  readonly activeMs: number
}

/** The result of a run that was refused before it opened: nothing ran and nothing was used. */
export function refusedRun(request: RunRequest, reason: Failure): RunResult {
  return {
    runId: request.runId,
    agent: request.agent.name,
    outcome: outcomeOf(reason),
    text: '',
    failure: reason,
    usage: NO_USAGE,
    byAgent: {},
    unpriced: [],
    messages: [],
    ...NO_PROBLEMS,
    durationMs: 0,
    activeMs: 0,
  }
}
