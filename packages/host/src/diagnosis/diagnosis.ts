import type { Failure } from '@troupe/schema'
import type { PlannedVariable, PlanProblem } from '../plan/plan-types.ts'

/** The key of a provider, used or not. Never its value. */
export interface DiagnosedKey {
  readonly provider: string
  /** The variable. */
  readonly name: string
  /** `override`, the file, or `process`; none: it is not set. */
  readonly origin?: string
}

/** A model that agents name. */
export interface DiagnosedModel {
  readonly id: string
  readonly agents: readonly string[]
  /** Why it cannot be called; none: it resolves. No request is made. */
  readonly failure?: Failure
}

/** An MCP server that agents have: it was started or reached, asked for its tools, and let go. */
export interface DiagnosedServer {
  readonly name: string
  readonly agents: readonly string[]
  /** How many it lists; none: it could not be had. */
  readonly tools?: number
  readonly failure?: Failure
  readonly warnings: readonly string[]
  readonly durationMs: number
}

/** Whether all that a team relies on is there. Plain data, without secrets. */
export interface Diagnosis {
  readonly configFile?: string
  readonly agents: readonly string[]
  readonly keys: readonly DiagnosedKey[]
  readonly variables: readonly PlannedVariable[]
  readonly models: readonly DiagnosedModel[]
  readonly servers: readonly DiagnosedServer[]
  /** `none`: runs are not kept. */
  readonly store: 'none' | 'usable' | Failure
  /** How commands and MCP servers are kept together with what they start, and why there is no namespace. */
  readonly processes: { readonly containment: 'namespace' | 'group'; readonly reason?: string }
  readonly problems: readonly PlanProblem[]
}
