import type { AgentDefinition } from '../agents/agent.ts'
import type { ToolSource } from '../agents/tool.ts'
import type { JsonObject, MaybePromise } from '../text/json.ts'
import type { ToolResult } from '../values/tool-result.ts'
import type { LanguageModel, ModelHandle } from './model-handle.ts'

/** Answers model calls and tool calls of one run tree in place of its models and tools. */
export interface RunInterceptor {
  /** Returns the model that a run calls instead of `handle`. Called once per run and model. */
  openModel?(handle: ModelHandle, run: ModelCaller): LanguageModel
  /**
   * Returns the result of a call instead of its tool, or `undefined` to call the tool. Called after hooks,
   * permission and approval.
   */
  callTool?(call: InterceptedCall): MaybePromise<ToolResult | undefined>
}

/** The run that opens a model. */
export interface ModelCaller {
  readonly definition: AgentDefinition
  readonly runId: string
  /** Number of calls that a resumed run has made already. */
  readonly calls?: number
}

/** A permitted tool call. */
export interface InterceptedCall {
  readonly agent: string
  /** Canonical name of the tool. */
  readonly toolName: string
  readonly source: ToolSource
  readonly args: JsonObject
}
