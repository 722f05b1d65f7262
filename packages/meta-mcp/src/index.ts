export type { CallRecord } from './call-record.ts'
export { createMetaMcp, type MetaMcp, type MetaMcpOptions } from './create-meta-mcp.ts'
export {
  createMetaMcpHandler,
  type MetaMcpHandler,
  type MetaMcpHandlerOptions,
} from './create-meta-mcp-handler.ts'
export type { ExportedTool } from './exported-tool.ts'
export { readExportedTools } from './read-exported-tools.ts'
export { reportProgress } from './report-progress.ts'
export { failedResult, toCallResult, type ResultPlace } from './to-call-result.ts'
export { serveMetaMcpStdio, type StdioConnection } from './serve-meta-mcp-stdio.ts'
