export { configJsonSchema } from './config-json-schema.ts'
export { createHost } from './create-host.ts'
export type { Host, HostOptions, ToolLease } from './host-types.ts'
export type { FieldOrigin } from './field-origin.ts'
export type {
  HostPlan,
  PlannedAgent,
  PlannedTool,
  PlannedVariable,
  PlanProblem,
  ReachedTool,
  WorstCase,
} from './plan-types.ts'
export type { DiagnosedKey, DiagnosedModel, DiagnosedServer, Diagnosis } from './diagnosis.ts'
