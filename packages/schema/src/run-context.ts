import type { Json, JsonObject } from './json.ts'
import type { Message } from './message.ts'
import type { RunRequest, RunResult } from './run.ts'
import type { CallSite } from './tool.ts'

/** What a child call says of itself. */
export interface ChildCall {
  readonly site: CallSite
  readonly attempt: number
  /** The one user message of the child. */
  readonly input: string
}

/** What a tool or a composition may do in its run. Core implements it: the guards live there, so no caller can skip them. */
export interface RunContext {
  readonly request: RunRequest
  readonly depth: number
  /** The messages before the answer that holds the current calls: what a fork may copy. */
  readonly history: readonly Message[]
  /** The state of the whole root, shared by all its runs: that of hooks with scope `root`. */
  readonly rootState: Map<string, unknown>
  /** A variable of the session's overlay. */
  env(name: string): string | undefined
  /**
   * Opens a child run and waits for its end. Owns identity, cycle and depth check, run count, deadline, history, cancel and usage:
   * `limits.childTimeout` and `historyMode` are those of the calling agent. Never rejects.
   */
  child(agent: { readonly name: string; readonly digest: string }, call: ChildCall): Promise<RunResult>
  /** Tells watchers something; becomes a `log` event. */
  log(text: string, data?: JsonObject | Json): void
}
