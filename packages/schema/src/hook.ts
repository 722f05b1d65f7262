import type { JsonObject, MaybePromise } from './json.ts'
import type { Message } from './message.ts'
import type { Clock } from './ports/clock.ts'
import type { ToolEffect, ToolSource } from './tool.ts'
import type { ToolResult } from './tool-result.ts'

/**
 * Runs the rest of the chain with these arguments. A tool that fails is a result; rejects only with what a later hook threw. May be called
 * again; each call is a new attempt.
 */
export type CallNext = (args: JsonObject) => Promise<ToolResult>

/**
 * Middleware around one tool call (B32): before, instead of, or after the call.
 * May throw: earlier hooks get the exception from their `callNext`, and a call whose exception no hook catches fails with `hook_failed`. Must return a result: its own or that of `callNext`.
 */
export type ToolHook = (ctx: HookContext, args: JsonObject, callNext: CallNext) => MaybePromise<ToolResult>

/** What a hook knows of the call (B30). Frozen. */
export interface HookContext {
  readonly agentName: string
  readonly instanceName: string
  readonly serverName?: string
  /** The canonical name (R2). */
  readonly toolName: string
  readonly toolSource: ToolSource
  /** What may be repeated: hooks that call again ask for it. */
  readonly toolEffect: ToolEffect
  /** The id of the call in the conversation with the model. */
  readonly toolUseId: string
  /** Unique over all runs: names this call in logs and events. */
  readonly correlationId: string
  /** The innermost link: validated, permitted, timed. Skips the later hooks only (B39). */
  readonly originalToolFunc: CallNext
  readonly signal: AbortSignal
  /** State that dies with its scope. Hooks keep no module state. */
  state(scope: 'run' | 'root'): Map<string, unknown>
  /** Tells watchers something; becomes a `log` event. */
  log(text: string): void
  /** The time of the run; what a hook waits counts as its own time. */
  readonly clock: Clock
  /** 0 ≤ x < 1; for jitter. */
  random(): number
  /** Known secret values of the session replaced by `{{secret:NAME}}`. */
  hideSecrets(text: string): string
  /** From now on every attempt of this call asks a person first, unless a rule denies it; cannot be taken back. `reason` is shown to the person. */
  requireApproval(reason?: string): void
  /** Returns true if a rule denies a call of the tool with these arguments. For hooks that answer without making the call. */
  isDenied(args: JsonObject): MaybePromise<boolean>
}

/** What a loop hook knows (B49). */
export interface LoopHookContext {
  readonly agentName: string
  readonly instanceName: string
  readonly runId: string
  readonly turn: number
  readonly signal: AbortSignal
  log(text: string): void
}

/** Hooks around the loop itself, independent of tool hooks (B49). What `beforeModel` returns replaces the messages of that one model call; the others observe. */
export interface LoopHooks {
  readonly beforeTurn?: (ctx: LoopHookContext) => MaybePromise<void>
  readonly beforeModel?: (
    ctx: LoopHookContext,
    messages: readonly Message[],
  ) => MaybePromise<readonly Message[] | undefined | void>
  readonly afterModel?: (ctx: LoopHookContext, message: Message) => MaybePromise<void>
  readonly afterTurn?: (ctx: LoopHookContext) => MaybePromise<void>
  readonly onEnd?: (ctx: LoopHookContext, outcome: string) => MaybePromise<void>
}
