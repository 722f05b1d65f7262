export type {
  Caller,
  Channel,
  ChannelEnd,
  Headend,
  HeadendContext,
  HeadendExample,
  HeadendSocket,
  Operation,
  OperationTable,
  ServedPlace,
} from './headend.ts'
export { errorBody, errorResponse, retryHeader, type ErrorBody } from './error-response.ts'
export type { EventSource } from './event-source.ts'
export { BEAT, BEAT_MS, PATIENCE_MS } from './event-stream.ts'
export { isFailure } from './is-failure.ts'
export { BodyTooLargeError } from './read-json.ts'
export { postCommand, shellQuote } from './shell-quote.ts'
export { statusOf } from './status-of.ts'
export { createEventFeeds, type EventFeeds } from './runs/event-feeds.ts'
export {
  createRunDesk,
  type DeskRun,
  type RunDesk,
  type RunPurse,
  type RunPrompt,
  type StartedRun,
} from './runs/run-desk.ts'
export type { RunHost } from './runs/run-host.ts'
export type { OpenApproval, RunState, RunSummary, RunView } from './runs/run-summary.ts'
export { createRunsHeadend, type RunsHeadendOptions } from './runs/create-runs-headend.ts'
export { createA2AHeadend } from './a2a/create-a2a-headend.ts'
export { createAguiHeadend } from './agui/create-agui-headend.ts'
export { createAnthropicHeadend } from './anthropic/create-anthropic-headend.ts'
export { createChatHeadend } from './chat/create-chat-headend.ts'
export { createAgentMcp, type AgentMcp } from './mcp/create-agent-mcp.ts'
export { createMcpHeadend } from './mcp/create-mcp-headend.ts'
export { createOpenAIHeadend } from './openai/create-openai-headend.ts'
export { createRestHeadend } from './rest/create-rest-headend.ts'
export { createToolsHeadend, type ToolsHeadendOptions } from './tools/create-tools-headend.ts'
export type { FilledPrompt } from './tools/filled-prompt.ts'
export type { ShelfChange, ShelfView, ToolShelf } from './tools/tool-shelf.ts'
export type { ArgumentsWish, ToolWish } from './tools/tool-wish.ts'
