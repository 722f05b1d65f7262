export type { Caller } from './caller.ts'
export type {
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
export type { CallContext, Handler } from './handler.ts'
export { errorBody, errorResponse, retryHeader, type ErrorBody } from './error-response.ts'
export { failureFor } from './failure-for.ts'
export type { EventSource } from './event-source.ts'
export { BEAT, BEAT_MS, PATIENCE_MS } from './event-stream.ts'
export { isFailure } from './is-failure.ts'
export { BodyTooLargeError } from './read-json.ts'
export { postCommand, shellQuote } from './shell-quote.ts'
export { statusOf } from './status-of.ts'
export type { ListedApproval } from './desk/approval-tracker.ts'
export type { StartedRun } from './desk/await-begin.ts'
export type { ApprovalList } from './desk/list-approvals.ts'
export type { RunFilter, RunPage, RunPageRequest } from './desk/list-runs.ts'
export type { OpenApproval } from './desk/open-approval.ts'
export { createRunDesk, type RunDesk } from './desk/run-desk.ts'
export type { RunHost } from './desk/run-host.ts'
export type { RunPrompt } from './desk/run-prompts.ts'
export type { RunState, RunSummary } from './desk/run-summary.ts'
export type { RunView } from './desk/run-view.ts'
export type { DeskRun } from './desk/start-run.ts'
export { createEventFeeds, type EventFeeds } from './feeds/event-feeds.ts'
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
