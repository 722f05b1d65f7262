export { createFileLoginStore } from './auth/file-login-store.ts'
export { logIn, logOut, type LogInOptions } from './login/log-in.ts'
export type { LoginKey, LoginStore, SavedLogin } from './auth/saved-login.ts'
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
export { createMcpPool } from './pool/create-mcp-pool.ts'
export { filterTools, type FilteredTools } from './tools/filter-tools.ts'
export type { McpLease, McpLeaseRequest, McpPool, McpPoolOptions, McpServerRequest } from './pool/mcp-pool.ts'
export type { FilledPrompt, PromptArgument, PromptMessage, ServerPrompt } from './tools/server-prompt.ts'
