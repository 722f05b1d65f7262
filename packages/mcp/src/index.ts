export { createMcpPool } from './create-mcp-pool.ts'
export { filterTools, type FilteredTools } from './filter-tools.ts'
export type { McpLease, McpLeaseRequest, McpPool, McpPoolOptions, McpServerRequest } from './mcp-pool.ts'
