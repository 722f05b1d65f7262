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
  ExampleOptions,
} from './headend.ts'
export type { HandlerContext, Handler, HeadendApp, HeadendEnv } from './handler.ts'
export { errorBody, errorResponse, retryHeader, type ErrorBody } from './error-response.ts'
export { failureFor } from './failure-for.ts'
export type { EventProducer } from './event-producer.ts'
export { eventStream } from './event-stream.ts'
export { isFailure } from './is-failure.ts'
export { BodyTooLargeError } from './read-json.ts'
export { postCommand, shellQuote } from './shell-quote.ts'
export { statusOf } from './status-of.ts'
export type { ListedApproval } from './run-service/approval-tracker.ts'
export type { StartedRun } from './run-service/await-start.ts'
export type { ApprovalList } from './run-service/list-approvals.ts'
export type { RunFilter, RunPage, RunPageRequest } from './run-service/list-runs.ts'
export type { OpenApproval } from './run-service/open-approval.ts'
export { createRunService, type RunService } from './run-service/run-service.ts'
export type { RunHost } from './run-service/run-host.ts'
export type { RunPrompt } from './run-service/run-prompts.ts'
export type { RunState, RunSummary } from './run-service/run-summary.ts'
export type { RunView } from './run-service/run-view.ts'
export type { StartRunRequest } from './run-service/start-run.ts'
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
export type { ToolPrompt } from './tools/fill-prompt.ts'
export type { ToolEdit, ToolList, ToolRepository } from './tools/tool-repository.ts'
export type { ArgumentsBody, ToolBody } from './tools/tool-bodies.ts'
