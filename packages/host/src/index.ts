export { createHost } from './create-host.ts'
export type { Host, HostOptions, ToolLease } from './host-types.ts'
export type { HostPlan, PlannedAgent, PlannedVariable, PlanProblem } from './plan-types.ts'
