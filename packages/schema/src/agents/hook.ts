import type { JsonObject, MaybePromise } from '../text/json.ts'
import type { Clock } from '../values/clock.ts'
import type { AssistantMessage, Message, ToolMessage } from '../values/message.ts'
import type { ToolResult } from '../values/tool-result.ts'
import type { ToolEffect, ToolSource } from './tool.ts'

/**
 * Runs the rest of the chain with these arguments. A failing tool returns a failed result; the promise
 * rejects only with the error of a later hook. May be called again; each call is a new attempt.
 */
export type CallNext = (args: JsonObject) => Promise<ToolResult>

/**
 * Middleware around one tool call. It can act before or after the call, or replace it. Must return a result:
 * its own or that of `callNext`. May throw: earlier hooks get the error from their `callNext`, and a call
 * whose error no hook catches fails with `hook_failed`.
 */
export type ToolHook = (ctx: HookContext, args: JsonObject, callNext: CallNext) => MaybePromise<ToolResult>

/** Information about the tool call, and operations on it. Frozen. */
export interface HookContext {
  /** Name of the agent that makes the call. */
  readonly agentName: string
  /** Name of the run of that agent, such as `Lead` or `Helper[2]`. */
  readonly instanceName: string
  /** Server of the tool, as in `ToolDefinition`. Absent for functions. */
  readonly serverName?: string
  /** Canonical name of the tool. */
  readonly toolName: string
  /** Kind of tool, such as `mcp` or `function`. */
  readonly toolSource: ToolSource
  /** The effect of the tool. Decides if a hook may repeat the call. */
  readonly toolEffect: ToolEffect
  /** Id of the call in the conversation with the model. */
  readonly toolUseId: string
  /** Id of the call in logs and events. Unique across all runs. */
  readonly correlationId: string
  /** Calls the tool directly, with validation, permissions and timeout. Skips only the later hooks. */
  readonly originalToolFunc: CallNext
  /** Aborts when the run ends. */
  readonly signal: AbortSignal
  /** Returns hook state that lives as long as the run or the run tree. Use it instead of module state. */
  state(scope: 'run' | 'root'): Map<string, unknown>
  /** Emits a `log` event. */
  log(text: string): void
  /** Clock of the run. Time that a hook waits counts as its own time. */
  readonly clock: Clock
  /** Returns a random number 0 ≤ x < 1, for jitter. */
  random(): number
  /** Replaces known secrets of the session by `{{secret:NAME}}`. */
  hideSecrets(text: string): string
  /**
   * Requires approval for all further attempts of this call, unless a rule denies them. Cannot be undone.
   * `reason` is shown to the approver.
   */
  requireApproval(reason?: string): void
  /**
   * Returns true if a rule denies a call of the tool with these arguments. For hooks that return a result
   * without calling the tool.
   */
  isDenied(args: JsonObject): MaybePromise<boolean>
}

/** Information for a loop hook, and its log. */
export interface LoopHookContext {
  /** Name of the agent. */
  readonly agentName: string
  /** Name of the run, such as `Lead` or `Helper[2]`. */
  readonly instanceName: string
  /** Unique id of the run. */
  readonly runId: string
  /** Number of the turn, from 1. */
  readonly turn: number
  /** Aborts when the run ends. */
  readonly signal: AbortSignal
  /** The conversation so far, without the system prompt. */
  readonly history: readonly Message[]
  /** Emits a `log` event. */
  log(text: string): void
}

/**
 * Hooks of the agent loop, independent of tool hooks. The return value of `beforeModel` replaces the messages
 * of that model call. `beforeTools` and `afterTools` may return the message of the turn with changed tool calls
 * or results; changed calls are validated and need permission like any other. The other hooks only observe.
 */
export interface LoopHooks {
  /** Called before each turn. */
  readonly beforeTurn?: (ctx: LoopHookContext) => MaybePromise<void>
  /** Called before each model call. May return other messages for it. */
  readonly beforeModel?: (
    ctx: LoopHookContext,
    messages: readonly Message[],
  ) => MaybePromise<readonly Message[] | undefined | void>
  /** Called with each answer of the model. */
  readonly afterModel?: (ctx: LoopHookContext, message: Message) => MaybePromise<void>
  /** Called before the tool calls of an answer. */
  readonly beforeTools?: (
    ctx: LoopHookContext,
    message: AssistantMessage,
  ) => MaybePromise<AssistantMessage | undefined | void>
  /** Called with the results of these calls. */
  readonly afterTools?: (
    ctx: LoopHookContext,
    message: ToolMessage,
  ) => MaybePromise<ToolMessage | undefined | void>
  /** Called after each turn. */
  readonly afterTurn?: (ctx: LoopHookContext) => MaybePromise<void>
  /** Called when the run ends. */
  readonly onEnd?: (ctx: LoopHookContext, outcome: string) => MaybePromise<void>
}
