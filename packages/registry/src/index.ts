export {
  freshSessionProvider,
  createPooledSessionProvider,
  type AcquireRequest,
  type SessionProvider,
} from './session-provider.ts'
export {
  agentTool,
  acceptedInputSchema,
  childInputSchema,
  PERMISSIVE_INPUT,
  toChildInput,
  toFilledInput,
  type FilledInput,
  toToolResult,
} from './agent-tool.ts'
export { handoffTool } from './handoff-tool.ts'
export {
  createCatalogue,
  type Catalogue,
  createInProcessExecutor,
  type ExecutorOptions,
  type InProcessExecutor,
  type PrepareOptions,
  type RunWarning,
  type Warn,
} from './in-process-executor.ts'
export {
  compositionProblem,
  compositionReferences,
  createComposition,
  isComposed,
  needsModel,
} from './compositions/composition.ts'
export type { Member, Members } from './compositions/delegate.ts'
export { preloadAgents } from './preload.ts'
