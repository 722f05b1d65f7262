import type { ModelHandle, PreparedAgent, ToolDefinition } from '@troupe/schema'
import type { RecordedAgent, RecordedModel, RecordedTool } from './cassette.ts'

/** Selects the properties of a session that a replay needs and compares. */
export function toRecordedAgent({
  models,
  contextModel,
  tools,
}: Pick<PreparedAgent, 'models' | 'contextModel' | 'tools'>): RecordedAgent {
  return {
    models: models.map(toRecordedModel),
    ...(contextModel === undefined ? {} : { contextModel: toRecordedModel(contextModel) }),
    tools: Array.from(tools.values(), toRecordedTool),
  }
}

function toRecordedModel({ id, provider, price, contextWindow }: ModelHandle): RecordedModel {
  return {
    id,
    provider,
    ...(price === undefined ? {} : { price }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  }
}

function toRecordedTool(tool: ToolDefinition): RecordedTool {
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
