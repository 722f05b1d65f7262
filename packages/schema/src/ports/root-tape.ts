import type { Failure } from '../errors.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ToolResult } from '../tool-result.ts'
import type { Usage } from '../usage.ts'
import type { PreparedAgent } from './prepared-agent.ts'

/** Stands beside a root that is recorded or replayed and is shown what it asks. Requests hold `{{secret:NAME}}` in place of secrets. */
export interface RootTape {
  /** The session of a run is ready. */
  ready(runId: string, prepared: PreparedAgent): void
  /** A model is about to be asked. */
  asked(runId: string, request: JsonObject): void
  /** Answers in place of everything outside; none: the root is only recorded. */
  readonly replay?: RootReplay
}

/** What a recording gives in place of models, tools and persons. Promises stay open where nothing fits: the root is stopped then. */
export interface RootReplay {
  /** The answer to what was just asked, when its turn has come. */
  answer(runId: string): Promise<ReplayedAnswer>
  call(runId: string, callId: string): ReplayedCall
}

/** A recorded answer of a model. */
export interface ReplayedAnswer {
  /** The value of its `llm:` step; none: the call failed. */
  readonly step?: Json
  readonly failure?: Failure
  readonly partialText?: string
  /** It failed and was tried again. */
  readonly isRetried: boolean
  readonly usage: Usage
}

/** A recorded call of a tool. */
export interface ReplayedCall {
  /** The children that it opened, in order. */
  readonly children: readonly {
    readonly attempt: number
    readonly agent: string
    readonly input: string
    /** What the agent was called with, where a hook had changed it. */
    readonly args?: JsonObject
  }[]
  /** What its caller got, when the turn of that has come. */
  result(): Promise<{
    readonly result: ToolResult
    readonly attempts: number
    /** Of its arguments, where a secret stands in them; none: it follows from them. */
    readonly bytesIn?: number
  }>
}
