import { NO_USAGE, type Usage } from '@troupe/schema'

/** What a call of a tool adds to an account. */
export const ONE_TOOL_CALL: Usage = Object.freeze({ ...NO_USAGE, toolCalls: 1 })
