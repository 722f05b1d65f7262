export { createAccount, type RunAccount } from './run/account.ts'
export { carriedMessages } from './log/past-conversation.ts'
export { pastConversation } from './log/past-conversation.ts'
export { createPast, type PastParts } from './log/resume-state.ts'
export type { IdleSpan } from './log/resume-state.ts'
export { createDiscardingLog } from './log/run-log.ts'
export { createEventQueue, type EventQueue } from './log/run-log.ts'
export { createProviderLimiter } from './limiter/provider-limiter.ts'
export {
  openSession,
  toToolMap,
  type Session,
  type SessionOptions,
  type SessionRunOptions,
} from './session/open-session.ts'
export { resultFromEnd } from './log/past-conversation.ts'
export { createPermission, ruleReach } from './tools/create-permission.ts'
export { createOnceCalls, type OpenOnceCalls } from './tools/once-calls.ts'
export {
  createSpendingLimit,
  type OpenSpendingLimit,
  type SpendEntry,
  type SpendingLimitOptions,
} from './budget/budget-ledger.ts'
export { createBudgetLedger } from './budget/budget-ledger.ts'
export { createRootScope } from './session/open-session.ts'
export { childRunId, randomId } from './run/run.ts'
export { runSession, type SessionInput } from './session/run-session.ts'
export { buildSystemPrompt } from './session/run-session.ts'
export { createCancellation, type Cancellation } from './run/cancellation.ts'
export { systemClock } from './run/clock.ts'
export { createApprovalGate, type ApprovalGateControl } from './tools/human-input.ts'
