/**
 * Names of attributes, from the GenAI conventions v0.1.0 (open-telemetry/semantic-conventions-genai). The npm package
 * of the conventions has only older names. Names that begin with `troupe.` are in no convention.
 */
export const ATTRIBUTE = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  conversationId: 'gen_ai.conversation.id',
  compacted: 'gen_ai.conversation.compacted',
  requestModel: 'gen_ai.request.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  /** In no convention, but read by several products. In USD. */
  cost: 'gen_ai.usage.cost',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  tokenModality: 'gen_ai.token.modality',
  mcpMethod: 'mcp.method.name',
  errorType: 'error.type',
  runId: 'troupe.run.id',
  instance: 'troupe.run.instance',
  depth: 'troupe.run.depth',
  cardDigest: 'troupe.card.digest',
  outcome: 'troupe.outcome',
  toolSource: 'troupe.tool.source',
  toolServer: 'troupe.tool.server',
  attempts: 'troupe.attempts',
  estimated: 'troupe.usage.estimated',
} as const

/** Values of `gen_ai.operation.name`. */
export const OPERATION = { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' } as const
