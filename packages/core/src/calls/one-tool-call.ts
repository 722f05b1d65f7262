import { NO_USAGE, type Usage } from '@troupe/schema'

/** Usage of one tool call. */
export const ONE_TOOL_CALL: Usage = Object.freeze({ ...NO_USAGE, toolCalls: 1 })
