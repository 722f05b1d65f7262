export { freshSessionProvider, type AcquireRequest, type SessionProvider } from './session-provider.ts'
export { agentTool } from './agent-tool.ts'
export { createCatalogue, type Catalogue } from './catalogue.ts'
export { acceptedInputSchema, childInputSchema, PERMISSIVE_INPUT, toChildInput } from './child-input.ts'
export {
  compositionProblem,
  compositionReferences,
  createComposition,
  needsModel,
} from './compositions/composition.ts'
export type { Member, Members } from './compositions/member.ts'
export { toToolResult } from './child-result.ts'
export {
  createInProcessExecutor,
  type ExecutorOptions,
  type InProcessExecutor,
  type PrepareOptions,
} from './in-process-executor.ts'
export { createPooledSessionProvider } from './pooled-session-provider.ts'
export { preloadAgents } from './preload.ts'
export type { RunWarning, Warn } from './run-warning.ts'
