export type { CallRecord } from './calls/call-record.ts'
export {
  createMetaMcp,
  type MetaMcp,
  type MetaMcpOptions,
  type DirectCallOptions,
} from './server/create-meta-mcp.ts'
export {
  createMetaMcpHandler,
  type MetaMcpHandler,
  type MetaMcpHandlerOptions,
} from './server/create-meta-mcp-handler.ts'
export {
  createPendingCalls,
  createRunningCall,
  type CallAnswer,
  type PendingCall,
  type PendingCalls,
  type RunningCall,
} from './calls/running-call.ts'
export { readCallTrace, readContextId } from './calls/answer-call.ts'
export {
  INPUT_REQUIRED_OPTIONS,
  questionForm,
  readAnswer,
  supportsForms,
  type FormAnswer,
} from './human-input/forms.ts'
export { readExportedTools, type ExportedTool } from './tools/exported-tool.ts'
export { resourceContent, runFileUri } from './calls/file-content.ts'
export { PROMPT_CAPABILITIES, servePrompts, type PromptTool } from './tools/tool-prompts.ts'
export { RESOURCE_CAPABILITIES, serveResources, type ResourceSource } from './server/serve-resources.ts'
export { readWaitingAnswer, waitingForms, type CallAwaitingForm } from './human-input/stored-questions.ts'
export {
  declaresTasks,
  serveTasks,
  supportsTasks,
  TASK_CAPABILITIES,
  toTaskNotification,
  toTaskResult,
  type CallTask,
  type TaskSource,
} from './server/serve-tasks.ts'
export { failedResult, toCallResult, type ResultContext } from './calls/to-call-result.ts'
export { serveMetaMcpStdio, type StdioConnection } from './server/serve-meta-mcp-stdio.ts'
