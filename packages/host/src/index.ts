export { configJsonSchema, type Retention } from './config/config-schema.ts'
export type { SurfaceKey } from './config/read-config.ts'
export { configuredServer, configuredStore, type ConfiguredStore } from './plan/team-config.ts'
export { createHost } from './host/create-host.ts'
export { storedHistory } from './conversations/stored-conversations.ts'
export { expiredRuns } from './runs/expired-runs.ts'
export type { FieldOrigin } from './team/field-origin.ts'
export type { EmbedOptions } from './runs/embed-texts.ts'
export type { Fork, ForkOptions } from './runs/fork-run.ts'
export type { Host, RunAgent, StreamAgent, TypedRunOptions } from './host/host.ts'
export type { HostOptions } from './config/host-options.ts'
export type { ReplayOptions } from './runs/replay-recording.ts'
export type { ResumeOptions } from './runs/resume-run.ts'
export type { ToolLease } from './runs/call-tool.ts'
export type { CheckedEdit } from './snapshot/check-edit.ts'
export type { UnsavedCard } from './cards/card-pool.ts'
export type { Reload } from './snapshot/compare-teams.ts'
export type { HostWatch, WatchedReload, WatchOptions } from './watch/watch-team.ts'
export type {
  HostPlan,
  PlannedAgent,
  PlannedCard,
  PlannedTool,
  PlannedVariable,
  ReachedTool,
  WorstCase,
} from './plan/host-plan.ts'
export type { PendingWrite } from './plan/write-target.ts'
export type { PlanProblem } from './config/plan-problem.ts'
export type {
  CallerServer,
  HostServers,
  ListedServer,
  LockedServer,
  OpenedServer,
  OfferedPrompt,
  OfferedPrompts,
  OfferedTools,
} from './servers/host-servers.ts'
export type { PreflightOptions } from './diagnosis/preflight.ts'
export type { DiagnosedKey, DiagnosedModel, DiagnosedServer, Diagnosis } from './diagnosis/diagnose.ts'
export type { FilledPrompt, PromptArgument, PromptMessage, ServerPrompt } from '@troupe/mcp'
