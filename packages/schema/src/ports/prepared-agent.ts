import type { AgentDefinition } from '../agent.ts'
import type { Compose } from '../compose.ts'
import type { LoopHooks, ToolHook } from '../hook.ts'
import type { Json, JsonObject, MaybePromise } from '../json.ts'
import type { PermissionPolicy } from '../permission.ts'
import type { ToolDefinition } from '../tool.ts'
import type { ModelHandle } from './model-handle.ts'

/**
 * Validates arguments, or any JSON value, against a schema. Returns the value with defaults filled in, or the
 * problems. Each schema object is compiled only once.
 */
export type ValidateArguments = <Value extends Json>(
  schema: JsonObject,
  args: Value,
) =>
  | { readonly ok: true; readonly args: Value }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The parts of a session that do not depend on the run. A pool reuses these, never whole sessions. */
export interface PreparedAgent {
  readonly definition: AgentDefinition
  /** System message; empty if there is none. */
  readonly system: string
  /** Models in fallback order; at least one. */
  readonly models: readonly ModelHandle[]
  /** Model that summarises dropped messages. Default: the first of `models`. */
  readonly contextModel?: ModelHandle
  /** Tools by wire name, in the order in which the model sees them. */
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly hooks: readonly ToolHook[]
  readonly loopHooks: LoopHooks
  readonly validate: ValidateArguments
  /** Runs instead of the loop if the agent is a composition. */
  readonly compose?: Compose
  /** The rules of the agent and of those above it. */
  readonly permission: PermissionPolicy
  /** Returns a variable of the session's environment. */
  env(name: string): string | undefined
  /** True if an optional server was not available. The session then serves one run and is not reused. */
  readonly isDegraded?: boolean
  /** Releases what the session leased. Called once, at the end of the run. */
  release(): MaybePromise<void>
}
