export { createAccount, type RunAccount } from './budget/account.ts'
export { carriedMessages } from './conversation/carried-messages.ts'
export { pastConversation } from './conversation/past-conversation.ts'
export { createPast, type PastParts } from './journal/create-past.ts'
export type { IdleSpan } from './journal/past-times.ts'
export { createDiscardingLog } from './journal/discarding-log.ts'
export { createEventQueue, type EventQueue } from './journal/event-queue.ts'
export { createProviderLimiter } from './limiter/provider-limiter.ts'
export {
  openSession,
  toToolMap,
  type Session,
  type SessionOptions,
  type SessionRunOptions,
} from './session/open-session.ts'
export { resultFromEnd } from './journal/past-result.ts'
export { createPermission, ruleReach } from './permissions/create-permission.ts'
export { createOnceCalls, type OpenOnceCalls } from './calls/once-calls.ts'
export {
  createSpendingLimit,
  type OpenSpendingLimit,
  type SpendEntry,
  type SpendingLimitOptions,
} from './budget/spending-limit.ts'
export { createBudgetLedger } from './budget/budget-ledger.ts'
export { createRootScope } from './session/root-scope.ts'
export { childRunId, randomId } from './session/run-id.ts'
export { runSession, type SessionInput } from './session/run-session.ts'
export { buildSystemPrompt } from './session/system-prompt.ts'
export { createCancellation, type Cancellation } from './time/cancellation.ts'
export { systemClock } from './time/system-clock.ts'
export { createApprovalGate, type ApprovalGateControl } from './human-input/approval-gate.ts'
