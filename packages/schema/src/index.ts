export type { AgentFields } from './agents/agent-keys.ts'
export type { LimitsInput } from './agents/key-schemas.ts'
export type {
  AgentDefinition,
  AgentMode,
  AgentTool,
  AgentToolLimits,
  AgentType,
  AnyFunction,
  FunctionToolUse,
  HttpToolUse,
  LoopHookSpecs,
  McpServerAuth,
  McpServerConfig,
  InputContract,
  OutputContract,
  ProviderTool,
  Reasoning,
  RuntimeTool,
  StockHookUse,
  ToolFilter,
} from './agents/agent.ts'
export type { ClientTool, ClientTools, ClientTurn, ToolChoice } from './agents/client-tools.ts'
export type {
  GuardAction,
  GuardAgentUse,
  GuardContext,
  GuardFinding,
  GuardFunction,
  GuardPlace,
  GuardSpec,
  GuardSpecs,
  GuardSubject,
  GuardUse,
} from './agents/guard.ts'
export type { CallNext, HookContext, LoopHookContext, LoopHooks, ToolHook } from './agents/hook.ts'
export type {
  ArraySchema,
  BooleanSchema,
  JsonSchema,
  NumericSchema,
  ObjectSchema,
  StringSchema,
  ToolInputSchema,
} from './agents/json-schema.ts'
export type { Limits } from './agents/limits.ts'
export type { ArgumentRule } from './agents/permission.ts'
export { isStandardSchema, type StandardSchema } from './agents/standard-schema.ts'
export {
  TOOL_SOURCES,
  type ToolCapability,
  type SampleAnswer,
  type SampleRequest,
  type ToolContext,
  type ToolDefinition,
  type ToolEffect,
  type ToolSource,
} from './agents/tool.ts'
export type { SchemaInput } from './agents/key-schemas.ts'
export {
  defineAgent,
  defineHook,
  defineTool,
  type DefineAgentFields,
  type TypedAgent,
  type TypedRunReport,
  type ValueOf,
} from './define/define.ts'
export { ERRORS, FAILURE_CLASSES, type ErrorCode, type FailureClass } from './errors/error-table.ts'
export {
  endSentence,
  errorMessage,
  failure,
  hasAnswer,
  outcomeOf,
  OUTCOMES,
  toFailure,
  TroupeError,
  troupeError,
  type Failure,
  type Outcome,
} from './errors/errors.ts'
export {
  EVENT_TYPES,
  TRANSIENT_EVENTS,
  type EventBase,
  type EventDraft,
  type EventPayloads,
  type EventType,
  type RunEvent,
  type RunListener,
  type RunOutput,
} from './events/event.ts'
export { openApprovals, openRequests, requestExpiry, type ApprovalRequest } from './events/event.ts'
export type { AnswerScope, ApprovalDecision, Approver, Asker } from './ports/approver.ts'
export { DECISION_CHANNELS, type DecisionChannel, type Decider } from './values/decider.ts'
export type { Budget } from './ports/budget-ledger.ts'
export type { LanguageModel } from './ports/model-handle.ts'
export {
  LOCAL_PRINCIPAL,
  toUsageReport,
  type AgentRunner,
  type Conversation,
  type EarlierCall,
  type EarlierMessage,
  type ModelChoice,
  type RunOptions,
  type RunReport,
  type UsageReport,
} from './runner/runner.ts'
export { parseDuration } from './text/duration.ts'
export { getOwn, isJsonObject, type Json, type JsonObject, type MaybePromise } from './text/json.ts'
export {
  agentToolName,
  clientToolName,
  mcpToolName,
  readClientToolName,
  toWireName,
} from './text/tool-name.ts'
export type { Citation } from './values/citation.ts'
export type { Clock } from './values/clock.ts'
export {
  messageText,
  userMessage,
  type AssistantMessage,
  type Attachment,
  type OutputFile,
  type Message,
  type ToolMessage,
  type ToolResultOutput,
  type ToolResultPart,
  type UserMessage,
} from './values/message.ts'
export { matchChoice, type PersonAnswer, type Question } from './values/question.ts'
export { NO_PROBLEMS, type RunProblem, type RunProblems } from './values/run-problem.ts'
export {
  coerceToolResult,
  resultText,
  toolResult,
  type ContentPart,
  type ToolResult,
} from './values/tool-result.ts'
export { readTraceContext, type TraceContext } from './values/trace-context.ts'
export { addUsage, NO_USAGE, sumUsage, type Usage } from './values/usage.ts'
export type { WriteTarget } from './values/write-target.ts'
