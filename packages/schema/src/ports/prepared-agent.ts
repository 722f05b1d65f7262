import type { AgentDefinition } from '../agent.ts'
import type { Compose } from '../compose.ts'
import type { LoopHooks, ToolHook } from '../hook.ts'
import type { Json, JsonObject, MaybePromise } from '../json.ts'
import type { PermissionPolicy } from '../permission.ts'
import type { ToolDefinition } from '../tool.ts'
import type { ModelHandle } from './model-handle.ts'

/** Compiled once per schema identity: gives the arguments, or any JSON value, with defaults filled in, or what is wrong with them. */
export type ValidateArguments = <Value extends Json>(
  schema: JsonObject,
  args: Value,
) =>
  | { readonly ok: true; readonly args: Value }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Everything of a session that does not depend on the run; a pool keeps these warm, never sessions. */
export interface PreparedAgent {
  readonly definition: AgentDefinition
  /** The system message; empty: none. */
  readonly system: string
  /** In order of fallback; at least one. */
  readonly models: readonly ModelHandle[]
  /** Summarises what its conversations leave out; none: the first of `models`. */
  readonly contextModel?: ModelHandle
  /** By wire name, in the order the model is shown. */
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly hooks: readonly ToolHook[]
  readonly loopHooks: LoopHooks
  readonly validate: ValidateArguments
  /** Runs in place of the loop: the agent is a composition of others (R20). */
  readonly compose?: Compose
  /** The rules of the agent and of those above it. */
  readonly permission: PermissionPolicy
  /** A variable of the overlay. */
  env(name: string): string | undefined
  /** A server that the agent can do without could not be had: the session serves one run and is not kept for others. */
  readonly isDegraded?: boolean
  /** Gives back what the session leased. Called once, at the end of the run. */
  release(): MaybePromise<void>
}
