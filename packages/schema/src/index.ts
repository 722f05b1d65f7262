export {
  limitsSchema,
  mcpServerSchema,
  agentFieldsSchema,
  AGENT_KEYS,
  LIMIT_KEYS,
  type SchemaInput,
  type LimitsInput,
  type AgentFields,
  type ParsedAgentFields,
  permissionRulesSchema,
} from './agent-fields.ts'
export {
  AGENT_TYPES,
  AGENT_MODES,
  HISTORY_MODES,
  RUNTIME_TOOLS,
  REASONING_LEVELS,
  type AgentType,
  type AgentMode,
  type HistoryMode,
  type RuntimeTool,
  type Reasoning,
  type ReasoningLevel,
  type ModelSettings,
  type InputContract,
  type OutputContract,
  type McpServerAuth,
  type McpServerConfig,
  type ToolFilter,
  type FunctionToolUse,
  type StockHookUse,
  type LoopHookSpecs,
  type AgentTool,
  type AgentToolLimits,
  type NeededTool,
  type AgentSkill,
  type Composition,
  type AgentSource,
  type AgentDefinition,
  type AnyFunction,
} from './agent.ts'
export { coerceToolResult } from './coerce-tool-result.ts'
export {
  defineAgent,
  defineTool,
  defineHook,
  type DefineAgentFields,
  type DefineOptions,
  type ToolFields,
} from './define.ts'
export { parseDuration } from './duration.ts'
export { MODEL_ALIASES } from './model-aliases.ts'
export { ERRORS, type ErrorCode } from './error-table.ts'
export { FAILURE_CLASSES, type FailureClass } from './error-table/failure-classes.ts'
export {
  failure,
  outcomeOf,
  TroupeError,
  troupeError,
  toFailure,
  errorMessage,
  type Failure,
} from './errors.ts'
export {
  publicEvent,
  publicFailure,
  publicReport,
  reportHiddenFailures,
  runForPublic,
  type OnHiddenFailure,
} from './public-failure.ts'
export {
  EVENT_TYPES,
  TRANSIENT_EVENTS,
  type EventBase,
  type RunOutput,
  type EventPayloads,
  type EventType,
  type EventDraft,
  type RunEvent,
  type RunListener,
} from './event.ts'
export { EVENT_ENVELOPE_KEYS, eventEnvelope, type EventEnvelope, type EventOrigin } from './event-envelope.ts'
export { sha256Hex, canonicalJson } from './hash.ts'
export type { CallNext, ToolHook, HookContext, LoopHookContext, LoopHooks } from './hook.ts'
export type {
  SchemaBase,
  StringSchema,
  NumericSchema,
  BooleanSchema,
  NullSchema,
  ArraySchema,
  ObjectSchema,
  EnumSchema,
  ConstSchema,
  AnyOfSchema,
  OneOfSchema,
  AllOfSchema,
  RefSchema,
  AnySchema,
  NeverSchema,
  JsonSchema,
  SchemaKind,
  SchemaKinds,
  ToolInputSchema,
} from './json-schema/json-schema.ts'
export { isJsonTextTooDeep, isJsonTooDeep, MAX_JSON_DEPTH } from './json-depth.ts'
export { isJsonObject, isJsonText, getOwn, type Json, type JsonObject, type MaybePromise } from './json.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export { inputMessage, type Attachment } from './attachment.ts'
export {
  userMessage,
  messageText,
  type AssistantMessage,
  type Message,
  type ToolMessage,
  type ToolResultOutput,
  type ToolResultPart,
  type UserMessage,
} from './message.ts'
export { OUTCOMES, hasAnswer, type Outcome } from './outcome.ts'
export type { AnswerScope, ApprovalDecision, Approver, RunTreeApprover } from './ports/approver.ts'
export type { Asker } from './ports/asker.ts'
export type { Clock } from './ports/clock.ts'
export {
  requireModelVersion,
  type LanguageModel,
  type ModelHandle,
  type ModelPrice,
} from './ports/model-handle.ts'
export { closest } from './closest.ts'
export type {
  ArgumentRule,
  CallPermission,
  CommandLine,
  PermissionDecision,
  PermissionPolicy,
  PermissionRule,
  PermissionRules,
  ReachedPaths,
  RuleArgument,
} from './permission.ts'
export type { OnceCalls } from './ports/once-calls.ts'
export type { PreparedAgent, ValidateArguments } from './ports/prepared-agent.ts'
export type {
  ModelCallOutcome,
  Permit,
  PermitRefusal,
  PermitRequest,
  ProviderLimiter,
  ReleaseNotice,
} from './ports/provider-limiter.ts'
export type {
  Budget,
  CallBound,
  BudgetScope,
  BudgetScopeRequest,
  BudgetLedger,
  Reservation,
  BudgetExceeded,
  Spend,
} from './ports/budget-ledger.ts'
export type { StreamRedactor, Redactor } from './ports/redactor.ts'
export { assignSequence, type EventSequence } from './assign-sequence.ts'
export type { LogEntry, RunTreeLog } from './ports/run-tree-log.ts'
export type { PersistedRun, TimeBeforeResume, ResumeState } from './ports/resume-state.ts'
export type { SpendingLimit } from './ports/spending-limit.ts'
export type { RunTreeContext } from './ports/run-tree-context.ts'
export type {
  ReplayedAnswer,
  ReplayedCall,
  RunTreeReplay,
  RunTreeRecording,
} from './ports/run-tree-recording.ts'
export type { Account, Deadline, RunControl, RunExecutor, CancellationToken } from './ports/run-executor.ts'
export {
  LEASE_MS,
  type RootRunFilter,
  type RootRunQuery,
  type RunStore,
  type SessionKey,
  type StoreDetail,
  type RootRunRecord,
} from './ports/run-store.ts'
export type { ApprovalGate } from './ports/approval-gate.ts'
export { matchChoice, type PersonAnswer, type Question } from './question.ts'
export type { Compose, ComposeContext, ComposedEnd } from './compose.ts'
export type { ChildCall, RunContext } from './run-context.ts'
export {
  MAX_PROBLEM_MESSAGE,
  MAX_PROBLEMS,
  NO_PROBLEMS,
  problemOf,
  problemMessage,
  type RunProblem,
  type RunProblems,
} from './run-problem.ts'
export { refusedRun, type Ancestor, type RunRequest, type RunResult, type TeamOverrides } from './run.ts'
export {
  LOCAL_PRINCIPAL,
  toUsageReport,
  type AgentRunner,
  type Conversation,
  type ConversationOwner,
  type EarlierMessage,
  type ModelChoice,
  type RunOptions,
  type RunReport,
  type UsageReport,
} from './runner.ts'
export { isStandardSchema, type StandardSchema } from './standard-schema.ts'
export { TOOL_CAPABILITIES, type ToolCapability } from './tool-capability.ts'
export { toDefinition } from './to-definition.ts'
export { agentToolName, mcpToolName, toWireName, withHash } from './tool-name.ts'
export { toolResult, isToolResult, resultText, type ContentPart, type ToolResult } from './tool-result.ts'
export {
  TOOL_SOURCES,
  type ToolSource,
  type ToolEffect,
  type ToolDefinition,
  type ToolLister,
  type CallSite,
  type ToolContext,
} from './tool.ts'
export type { InputOf, TypedAgent, TypedRunReport, ValueOf } from './typed-agent.ts'
export { NO_USAGE, addUsage, sumUsage, type Usage } from './usage.ts'
export { hasInvisibleText, visibleText } from './visible-text.ts'
export { APPROVAL_EXPIRY_MS, openApprovals, type ApprovalRequest } from './open-approvals.ts'
export { LONGEST_SEARCH_TEXT, searchText, type SearchableRun } from './search-text.ts'
