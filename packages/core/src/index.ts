export { createAccount, type RunAccount } from './account.ts'
export { carriedMessages } from './conversation/carried-messages.ts'
export { pastConversation } from './conversation/past-conversation.ts'
export { createPast } from './create-past.ts'
export { createDiscardingLog } from './discarding-log.ts'
export { createEventQueue, type EventQueue } from './event-queue.ts'
export { createLanes } from './lanes.ts'
export {
  openSession,
  toToolMap,
  type Session,
  type SessionOptions,
  type SessionRunOptions,
} from './open-session.ts'
export { fromEnd } from './past-result.ts'
export { createPermission } from './permission.ts'
export { createPurse } from './purse.ts'
export { createRootScope } from './root-scope.ts'
export { childRunId, randomId } from './run-id.ts'
export { runSession, type SessionInput } from './run-session.ts'
export { buildSystemPrompt } from './system-prompt.ts'
export { systemClock } from './system-clock.ts'
export { WAITING_MS } from './wait-for-person.ts'
export { createWaitingRoom, type OpenWaitingRoom } from './waiting-room.ts'
