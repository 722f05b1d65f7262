export {
  isOperator,
  postCommand,
  shellQuote,
  type AuthenticationScheme,
  type Caller,
  type CallerRole,
  type Channel,
  type ChannelEnd,
  type ErrorFormat,
  type ExampleOptions,
  type Handler,
  type HandlerContext,
  type Headend,
  type HeadendApp,
  type HeadendContext,
  type HeadendEnv,
  type HeadendExample,
  type HeadendSocket,
  type Operation,
  type OperationAnswer,
} from './headend/headend.ts'
export {
  errorBody,
  errorResponse,
  failureFor,
  isFailure,
  retryHeader,
  statusOf,
  type ErrorBody,
} from './headend/errors.ts'
export { BodyTooLargeError } from './request/read-json.ts'
export { bodyTooLarge, createByteLimit } from './request/byte-limit.ts'
export { eventStream, type EventProducer } from './sse/event-stream.ts'
export {
  createApprovalTracker,
  type ApprovalList,
  type ListedApproval,
  type OpenApproval,
} from './run-service/approvals.ts'
export {
  createApprovalLink,
  linkUrl,
  LINK_LIFETIME_MS,
  type ApprovalLink,
  type ApprovalLinkRequest,
} from './run-service/approval-links.ts'
export type { StartedRun, StartRunRequest } from './run-service/start-run.ts'
export type { RunFilter, RunPage, RunPageRequest } from './run-service/list-runs.ts'
export { createRunService, type RunService } from './run-service/run-service.ts'
export type { RunHost } from './run-service/run-service-context.ts'
export type { RunState, RunSummary, RunPrompt, RunView } from './run-service/run-view.ts'
export { createEventFeeds, type EventFeeds } from './feeds/event-feeds.ts'
export type { WatchedList } from './changes/watch-changes.ts'
export { createRunsHeadend, type RunsHeadendOptions } from './runs/create-runs-headend.ts'
export { isLinkPath } from './runs/link-handlers.ts'
export { createA2AHeadend, isOpenA2APath, type A2AOptions } from './a2a/create-a2a-headend.ts'
export { createAguiHeadend } from './agui/create-agui-headend.ts'
export { createAnthropicHeadend } from './anthropic/create-anthropic-headend.ts'
export { createChatHeadend } from './chat/create-chat-headend.ts'
export { createAgentMcp, type AgentMcp, type CallerRuns } from './mcp/create-agent-mcp.ts'
export { createMcpHeadend, type McpHeadendOptions } from './mcp/create-mcp-headend.ts'
export { createRunResources } from './mcp/run-resources.ts'
export { createReadableRuns, type ReadableRuns } from './run-service/readable-runs.ts'
export { bearerChallenge, isOAuthMetadataPath, type McpAuthorization } from './mcp/resource-server.ts'
export { createOpenAIHeadend } from './openai/create-openai-headend.ts'
export type { EmbeddingRunner } from './openai/embeddings.ts'
export { createHooksHeadend, isHookPath, type Webhook } from './hooks/create-hooks-headend.ts'
export { createEvalsHeadend } from './evals/create-evals-headend.ts'
export { createPushHeadend, type WebPushOptions } from './push/create-push-headend.ts'
export {
  storedWebPush,
  type StoredWebPush,
  type WebPushKeys,
  type WebPushStorage,
  type WebPushSubscription,
} from './push/web-push-store.ts'
export { createRestHeadend } from './rest/create-rest-headend.ts'
export {
  createSchedulesHeadend,
  type ScheduleList,
  type ServedSchedule,
} from './schedules/create-schedules-headend.ts'
export type { TeamStats } from './run-service/agent-stats.ts'
export type { CardSave, CardRepository, CardRevision, CardSource } from './cards/card-repository.ts'
export type { CardTrialBody } from './cards/card-routes.ts'
export { createToolsHeadend, type ToolsHeadendOptions } from './tools/create-tools-headend.ts'
export type { ToolPrompt, ArgumentsBody, StartedTrial, ToolBody, TrialBody } from './tools/tool-handlers.ts'
export type { ToolEdit, ToolList, ToolRepository } from './tools/tool-repository.ts'
export { runForCaller, servedAgent, type CallerRun, type RunOwner } from './client-runs/run-for-caller.ts'
export { routes, type Route, type Routes, type RoutesOptions } from './routes/routes.ts'
export type {
  AgentList,
  AgentProblem,
  AgentVariable,
  AgentWorstCase,
  ServedAgent,
  ServedTool,
} from './routes/agent-shapes.ts'
export type { ModelList, RunPrompts } from './routes/shapes.ts'
export type { DecisionBody, ForkBody, StartRunBody } from './runs/run-bodies.ts'
export { openApiParts, type OpenApiParts } from './routes/openapi.ts'
