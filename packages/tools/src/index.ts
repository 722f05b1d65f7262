export { createValidator } from './validation/create-validator.ts'
export {
  createLinearPatterns,
  type LinearPattern,
  type LinearPatterns,
} from './validation/linear-patterns.ts'
export { loadFunction, type LoadedExport, type LoadOptions } from './load-function.ts'
export {
  loadFunctionTools,
  type AgentLoadOptions,
  type FunctionToolLoadOptions,
} from './load-function-tools.ts'
export { createFunctionWorkers, type FunctionWorkers } from './function-workers.ts'
export type { WorkerCall } from './worker-call.ts'
export { loadLoopHooks } from './load-loop-hooks.ts'
export { loadToolHooks, type StockHookFactory, type ToolHookLoadOptions } from './load-tool-hooks.ts'
export { neededNames, needProblems, type NeedProblem } from './needed-tools.ts'
export { schemaProblem } from './validation/schema-problem.ts'
export { parseFunctionSpec, type FunctionSpec } from './parse-function-spec.ts'
