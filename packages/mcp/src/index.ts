export { createFileLoginStore, type LoginKey, type LoginStore, type SavedLogin } from './auth/login-store.ts'
export { logIn, logOut, type LogInOptions } from './login/log-in.ts'
export {
  compareTools,
  lockTools,
  parseToolLock,
  toolLockText,
  type ToolDrift,
  type LockedTools,
  type ToolLock,
} from './lock/tool-lock.ts'
export { withToolLock, type ToolLockOptions } from './lock/tool-lock.ts'
export {
  createMcpPool,
  type McpLease,
  type McpLeaseRequest,
  type McpPool,
  type McpPoolOptions,
  type McpServerRequest,
} from './pool/mcp-pool.ts'
export { listMcpTools, type McpToolsOptions, type SdkClient } from './client/list-mcp-tools.ts'
export { filterTools, type FilteredTools, type UnmatchedEntry } from './tools/filter-tools.ts'
export type { FilledPrompt, PromptArgument, PromptMessage, ServerPrompt } from './tools/server-prompt.ts'
