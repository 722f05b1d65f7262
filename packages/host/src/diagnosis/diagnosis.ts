import type { Failure } from '@troupe/schema'
import type { PlannedVariable, PlanProblem } from '../plan/plan-types.ts'

/** The API key of a provider, without its value. */
export interface DiagnosedKey {
  readonly provider: string
  /** Name of the variable. */
  readonly name: string
  /** `override`, the file, or `process`. `undefined` if the variable is not set. */
  readonly origin?: string
}

/** A model that agents name. */
export interface DiagnosedModel {
  readonly id: string
  readonly agents: readonly string[]
  /** Reason why the model cannot be called. `undefined` if it resolves; no request is made. */
  readonly failure?: Failure
}

/** An MCP server that was connected to list its tools, then released. */
export interface DiagnosedServer {
  readonly name: string
  readonly agents: readonly string[]
  /** Number of tools. `undefined` if the server could not be connected. */
  readonly tools?: number
  readonly failure?: Failure
  readonly warnings: readonly string[]
  readonly durationMs: number
}

/** Result of checking everything that a team depends on. Plain data without secrets. */
export interface Diagnosis {
  readonly configFile?: string
  readonly agents: readonly string[]
  readonly keys: readonly DiagnosedKey[]
  readonly variables: readonly PlannedVariable[]
  readonly models: readonly DiagnosedModel[]
  readonly servers: readonly DiagnosedServer[]
  /** `none` if runs are not stored. */
  readonly store: 'none' | 'usable' | Failure
  /** How commands and MCP servers are contained with their child processes, and why there is no namespace. */
  readonly processes: { readonly containment: 'namespace' | 'group'; readonly reason?: string }
  readonly problems: readonly PlanProblem[]
}
