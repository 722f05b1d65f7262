import './library/require-node.ts'
export { openSession, type Session, type SessionOptions } from '@troupe/core'
export type { Host, HostOptions, RunAgent } from '@troupe/host'
export {
  defineAgent,
  defineHook,
  defineTool,
  messageText,
  toolResult,
  type CallNext,
  type ContentPart,
  type Failure,
  type HookContext,
  type Json,
  type JsonObject,
  type LanguageModel,
  type LoopHookContext,
  type LoopHooks,
  type Message,
  type Outcome,
  type RunEvent,
  type RunReport,
  type ToolContext,
  type ToolDefinition,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
export type { RunStore } from '@troupe/schema/ports'
export { createHost, type LibraryOptions } from './library/create-host.ts'
export { openStore } from './library/open-store.ts'
export { resolveModel, type LibraryModelOptions } from './library/resolve-model.ts'
export {
  runAgent,
  type RunAgentFacts,
  type RunAgentOptions,
  type RunAgentResult,
} from './library/run-agent.ts'
