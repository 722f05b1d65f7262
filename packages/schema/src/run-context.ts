import type { Json, JsonObject } from './json.ts'
import type { Message } from './message.ts'
import type { RunRequest, RunResult } from './run.ts'
import type { CallSite } from './tool.ts'

/** A request for a child run. */
export interface ChildCall {
  readonly site: CallSite
  readonly attempt: number
  /** The single user message of the child run. */
  readonly input: string
}

/**
 * Operations of a tool or composition within its run. Implemented by core, so that no caller can skip its
 * checks.
 */
export interface RunContext {
  readonly request: RunRequest
  readonly depth: number
  /** Messages before the answer that contains the current calls. A fork may copy them. */
  readonly history: readonly Message[]
  /** Hook state with scope `root`, shared by all runs of the tree. */
  readonly rootState: Map<string, unknown>
  /** Returns a variable of the session's environment. */
  env(name: string): string | undefined
  /**
   * Opens a child run and waits for its end. Handles identity, cycle and depth checks, run count, deadline,
   * history, cancellation and usage. `limits.childTimeout` and `historyMode` are those of the calling agent.
   * Never rejects.
   */
  child(agent: { readonly name: string; readonly digest: string }, call: ChildCall): Promise<RunResult>
  /** Emits a `log` event. */
  log(text: string, data?: JsonObject | Json): void
}
