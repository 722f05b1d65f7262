export type { AllowanceLimits } from './config/allowance.ts'
export { checkSlack, type SlackFinding } from './check-slack.ts'
export { createSlackApp, type SlackApp } from './create-slack-app.ts'
export { readSlackConfig, type ChannelRule, type SlackConfig } from './config/slack-config.ts'
export type { SlackAppOptions, SlackHost } from './context/slack-context.ts'
export {
  openSlackState,
  type StateOwner,
  type StoredSlackRequest,
  type SlackState,
  type RequestSpending,
  type SubjectUsage,
} from './state/slack-state.ts'
export type { AnswerProgress, SlackRequest } from './intake/slack-request.ts'
