// Export everything, because the hooks are public as a whole.
export * from '@troupe/hooks'
export {
  defineHook,
  toolResult,
  type CallNext,
  type ContentPart,
  type HookContext,
  type Json,
  type JsonObject,
  type LoopHookContext,
  type LoopHooks,
  type Message,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
