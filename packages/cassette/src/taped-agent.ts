import type { ModelHandle, PreparedAgent, ToolDefinition } from '@troupe/schema'
import type { TapedAgent, TapedModel, TapedTool } from './cassette.ts'

/** What a session was given, as far as a replay needs it and holds against it. */
export function toTapedAgent({
  models,
  contextModel,
  tools,
}: Pick<PreparedAgent, 'models' | 'contextModel' | 'tools'>): TapedAgent {
  return {
    models: models.map(toTapedModel),
    ...(contextModel === undefined ? {} : { contextModel: toTapedModel(contextModel) }),
    tools: Array.from(tools.values(), toTapedTool),
  }
}

function toTapedModel({ id, provider, price, contextWindow }: ModelHandle): TapedModel {
  return {
    id,
    provider,
    ...(price === undefined ? {} : { price }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  }
}

function toTapedTool(tool: ToolDefinition): TapedTool {
  const { name, wireName, source, server, description, instructions, effect, inputSchema } = tool
  return {
    name,
    wireName,
    source,
    ...(server === undefined ? {} : { server }),
    description,
    ...(instructions === undefined ? {} : { instructions }),
    effect,
    inputSchema,
  }
}
