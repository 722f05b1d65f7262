export type { CallRecord } from './call-record.ts'
export { createMetaMcp, type MetaMcp, type MetaMcpOptions, type TriedCall } from './create-meta-mcp.ts'
export {
  createMetaMcpHandler,
  type MetaMcpHandler,
  type MetaMcpHandlerOptions,
} from './create-meta-mcp-handler.ts'
export { createHeldCalls, type CallAnswer, type HeldCall, type HeldCalls } from './held-calls.ts'
export { givenContext } from './given-context.ts'
export { canBeAsked } from './person/can-be-asked.ts'
export { PERSON_ROUNDS } from './person/person-rounds.ts'
export { createRunningCall, type RunningCall } from './running-call.ts'
export type { ExportedTool } from './exported-tool.ts'
export { readExportedTools } from './read-exported-tools.ts'
export { failedResult, toCallResult, type ResultPlace } from './to-call-result.ts'
export { serveMetaMcpStdio, type StdioConnection } from './serve-meta-mcp-stdio.ts'
