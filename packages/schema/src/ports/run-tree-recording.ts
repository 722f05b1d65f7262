import type { Failure } from '../errors.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ToolResult } from '../tool-result.ts'
import type { Usage } from '../usage.ts'
import type { PreparedAgent } from './prepared-agent.ts'

/**
 * Observes a run tree that is recorded or replayed. Requests contain `{{secret:NAME}}` in place of secrets.
 */
export interface RunTreeRecording {
  /** Called when the session of a run is ready. */
  onSessionReady(runId: string, prepared: PreparedAgent): void
  /** Called before a model request. */
  onModelRequest(runId: string, request: JsonObject): void
  /** Replaces models, tools and people; `undefined` if the run tree is only recorded. */
  readonly replay?: RunTreeReplay
}

/**
 * Recorded answers of models, tools and people. A promise stays pending if the run differs from the
 * recording, because the run tree is then cancelled.
 */
export interface RunTreeReplay {
  /** Resolves with the answer to the last request when its turn has come. */
  answer(runId: string): Promise<ReplayedAnswer>
  call(runId: string, callId: string): ReplayedCall
}

/** A recorded answer of a model. */
export interface ReplayedAnswer {
  /** Value of its `llm:` step; `undefined` if the call failed. */
  readonly step?: Json
  readonly failure?: Failure
  readonly partialText?: string
  /** True if the call failed and was retried. */
  readonly isRetried: boolean
  readonly usage: Usage
}

/** A recorded call of a tool. */
export interface ReplayedCall {
  /** The child runs that the call opened, in order. */
  readonly children: readonly {
    readonly attempt: number
    readonly agent: string
    readonly input: string
    /** Arguments of the call if a hook changed them. */
    readonly args?: JsonObject
  }[]
  /** Resolves with the result of the call when its turn has come. */
  result(): Promise<{
    readonly result: ToolResult
    readonly attempts: number
    /** Size of the arguments in bytes if they contain a secret; otherwise it is computed from them. */
    readonly bytesIn?: number
  }>
}
