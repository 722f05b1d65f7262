export { configJsonSchema } from './config/config-json-schema.ts'
export type { SurfaceKey } from './config/surface-settings.ts'
export { createHost } from './create-host.ts'
export { storedHistory } from './conversation/stored-history.ts'
export { expiredRuns, type Retention } from './retention/expired-runs.ts'
export type { FieldOrigin } from './definition/field-origin.ts'
export type {
  Fork,
  ForkOptions,
  Host,
  HostOptions,
  ReplayOptions,
  ResumeOptions,
  RunAgent,
  StreamAgent,
  ToolLease,
  TypedRunOptions,
} from './host-types.ts'
export type { Reload } from './reload/reload.ts'
export type { HostWatch, WatchedReload, WatchOptions } from './reload/watch-team.ts'
export type {
  HostPlan,
  PlannedAgent,
  PlannedCard,
  PlannedTool,
  PlannedVariable,
  PlanProblem,
  ReachedTool,
  WorstCase,
} from './plan/plan-types.ts'
export type {
  HostServers,
  ListedServer,
  LockedServer,
  OfferedPrompt,
  OfferedPrompts,
  OfferedTools,
} from './servers/host-servers.ts'
export type { PreflightOptions } from './diagnosis/preflight.ts'
export type { DiagnosedKey, DiagnosedModel, DiagnosedServer, Diagnosis } from './diagnosis/diagnosis.ts'
export type { FilledPrompt, PromptArgument, PromptMessage, ServerPrompt } from '@troupe/mcp'
