export { createAccount, type RunAccount } from './run/account.ts'
export {
  carriedMessages,
  passedRequest,
  pastConversation,
  resultFromEnd,
  storedResult,
} from './log/past-conversation.ts'
export { countProblems } from './log/restore-account.ts'
export { createResumeState, type IdleSpan, type ResumeStateParts } from './log/resume-state.ts'
export { createDiscardingLog, createEventQueue, type EventQueue } from './log/run-log.ts'
export { createProviderLimiter } from './limiter/provider-limiter.ts'
export {
  createRunTreeContext,
  openSession,
  toToolMap,
  type Session,
  type SessionOptions,
  type SessionRunOptions,
} from './session/open-session.ts'
export { embedTexts, type EmbeddingCall, type EmbeddingContext } from './model/embed-texts.ts'
export { createPermission, ruleReach } from './tools/create-permission.ts'
export { createOnceCalls, type OpenOnceCalls } from './tools/once-calls.ts'
export {
  capsOf,
  closingAfter,
  decideCall,
  hasCap,
  reserveClosing,
  runLimitName,
  settleCall,
  tooSmallFor,
  type Balance,
  type BalanceChange,
  type BudgetChain,
  type BudgetLink,
  type CallGrant,
} from './budget/balance.ts'
export {
  createBudgetLedger,
  createSpendingLimit,
  type OpenSpendingLimit,
  type SpendEntry,
  type SpendingLimitOptions,
} from './budget/budget-ledger.ts'
export { childRunId, randomId } from './run/run.ts'
export { buildSystemPrompt, runSession, toStoredRequest, type SessionInput } from './session/run-session.ts'
export { createCancellation, type Cancellation } from './run/cancellation.ts'
export { systemClock } from './run/clock.ts'
export { createApprovalGate, type ApprovalGateControl } from './tools/human-input.ts'
export { createOpenRequests, type OpenRequestsControl } from './tools/open-requests.ts'
