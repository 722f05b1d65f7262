export type { CallRecord } from './call-record.ts'
export {
  createMetaMcp,
  type MetaMcp,
  type MetaMcpOptions,
  type DirectCallOptions,
} from './create-meta-mcp.ts'
export {
  createMetaMcpHandler,
  type MetaMcpHandler,
  type MetaMcpHandlerOptions,
} from './create-meta-mcp-handler.ts'
export { createPendingCalls, type CallAnswer, type PendingCall, type PendingCalls } from './pending-calls.ts'
export { readContextId } from './read-context-id.ts'
export { supportsForms } from './human-input/supports-forms.ts'
export { INPUT_REQUIRED_OPTIONS } from './human-input/input-required-options.ts'
export { createRunningCall, type RunningCall } from './running-call.ts'
export type { ExportedTool } from './exported-tool.ts'
export { readExportedTools } from './read-exported-tools.ts'
export { failedResult, toCallResult, type ResultContext } from './to-call-result.ts'
export { serveMetaMcpStdio, type StdioConnection } from './serve-meta-mcp-stdio.ts'
