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
export type {
  FunctionKind,
  PythonCallOptions,
  PythonFunction,
  PythonLoader,
  WantedFunction,
} from './python-loader.ts'
export { createFunctionWorkers, type FunctionWorkers } from './function-workers.ts'
export type { WorkerCall } from './function-worker.ts'
export {
  loadGuards,
  type AgentGuardReference,
  type GuardLoadOptions,
  type LoadedGuard,
  type StockGuardFactory,
} from './load-guards.ts'
export {
  loadLoopHooks,
  loadToolHooks,
  type StockHookFactory,
  type ToolHookLoadOptions,
} from './load-hooks.ts'
export { neededNames, needProblems, type NeedProblem } from './needed-tools.ts'
export { schemaProblem } from './validation/compile-schema.ts'
export { parseFunctionSpec, type FunctionSpec } from './locate-module.ts'
