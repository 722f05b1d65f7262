import type { ModelHandle, PreparedAgent, ToolDefinition } from '@troupe/schema'
import type { TapedAgent, TapedModel, TapedTool } from './cassette.ts'

/** Selects the properties of a session that a replay needs and compares. */
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
