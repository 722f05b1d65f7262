// Interfaces between the parts that execute a run: session, executor, store, budget, limiter and recording.

export {
  MAX_GUARDS,
  type AgentGuard,
  type FunctionGuard,
  type Guard,
  type Guards,
  type PatternGuard,
  type StockGuard,
  type TextMatch,
} from './agents/guard.ts'
export type {
  CallPermission,
  CommandLine,
  PermissionDecision,
  PermissionPolicy,
  PermissionRule,
  ReachedPaths,
  RuleArgument,
} from './agents/permission.ts'
export {
  DEFAULT_PRIORITY,
  refusedRun,
  type Ancestor,
  type ChildCall,
  type RunContext,
  type RunRequest,
  type RunResult,
  type TeamOverrides,
  type AgentOverrides,
} from './agents/run.ts'
export type { CallSite, ToolLister } from './agents/tool.ts'
export {
  assignSequence,
  EVENT_ENVELOPE_KEYS,
  eventEnvelope,
  type EventEnvelope,
} from './events/event-envelope.ts'
export { APPROVAL_EXPIRY_MS } from './events/event.ts'
export type { ApprovalGate, PresentRequests, RunTreeApprover } from './ports/approver.ts'
export type {
  BudgetExceeded,
  BudgetLedger,
  BudgetScope,
  CallBound,
  Reservation,
  Spend,
  SpendingLimit,
} from './ports/budget-ledger.ts'
export type { EmbeddingHandle, EmbeddingModel, Embeddings } from './ports/embedding-handle.ts'
export { requireModelVersion, type ModelHandle, type ModelPrice } from './ports/model-handle.ts'
export type {
  Compose,
  ComposeContext,
  ComposedEnd,
  PreparedAgent,
  ValidateArguments,
} from './ports/prepared-agent.ts'
export type {
  ModelCallOutcome,
  Permit,
  PermitRefusal,
  PermitRequest,
  ProviderLimiter,
  ReleaseNotice,
} from './ports/provider-limiter.ts'
export type {
  PersistedRun,
  ReplayedAnswer,
  ReplayedCall,
  ResumeState,
  RunTreeRecording,
  RunTreeReplay,
  TimeBeforeResume,
} from './ports/recording.ts'
export type { Redactor, StreamRedactor } from './ports/redactor.ts'
export type {
  RunDecision,
  RunDispatcher,
  RunTask,
  RunTaskState,
  RunTreeSettings,
  SettledTask,
  TaskResult,
  TaskRunner,
  TaskServices,
} from './ports/run-dispatcher.ts'
export type { Account, RunControl, RunExecutor } from './ports/run-executor.ts'
export {
  isUsage,
  LEASE_MS,
  NOTE_STEP,
  QUEUED_STEP,
  searchText,
  type LogEntry,
  type RootRunFilter,
  type RootRunQuery,
  type RootRunRecord,
  type RunStore,
  type RunTreeLog,
  type StoreDetail,
  type StoreWriter,
} from './ports/run-store.ts'
export { notifyListener, RunListeners } from './ports/run-listeners.ts'
export { metadataEvent } from './ports/metadata-event.ts'
export {
  factsOf,
  factsOfEntry,
  runUnknownError,
  sessionBusyError,
  type RootRunFacts,
} from './ports/root-run-facts.ts'
export {
  MAX_FIRINGS,
  type Firing,
  type FiringClaim,
  type FiringKey,
  type FiringState,
  type ScheduleTable,
  type StoredSchedule,
} from './ports/schedule-table.ts'
export {
  MAX_SESSION_NAME,
  type BranchOrigin,
  type SessionChange,
  type SessionEntry,
  type SessionKey,
  type SessionTable,
} from './ports/session-table.ts'
export type { InterceptedCall, ModelCaller, RunInterceptor } from './ports/run-interceptor.ts'
export type { RunTrace, RunTracer, TracedExecution, TraceSettings } from './ports/run-tracer.ts'
export type { OnceCalls, RunTreeContext } from './ports/run-tree-context.ts'
export { isAccepted, type AcceptedRun, type StartOptions } from './runner/accepted-run.ts'
export type { CancellationToken, Deadline } from './values/clock.ts'
export { fileText, inputMessage } from './values/message.ts'
export { MAX_LABEL_NOTE, type RunLabel } from './values/run-label.ts'
export { MAX_PROBLEM_MESSAGE, MAX_PROBLEMS, problemMessage, problemOf } from './values/run-problem.ts'
