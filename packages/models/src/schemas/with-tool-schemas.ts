import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { JsonObject, LanguageModel } from '@troupe/schema'
import { withCallOptions } from '../with-call-options.ts'
import { toolSchema } from './tool-schema.ts'

type SchemaTools = NonNullable<LanguageModelV4CallOptions['tools']>

/** Wraps a model to convert tool schemas to the form its provider accepts. */
export function withToolSchemas(model: LanguageModel, provider: string): LanguageModel {
  const converted = new WeakMap<SchemaTools, SchemaTools>()
  return withCallOptions(model, (call) => {
    if (call.tools === undefined) return call
    const tools = converted.get(call.tools) ?? convertAll(call.tools, provider)
    converted.set(call.tools, tools)
    return tools === call.tools ? call : { ...call, tools }
  })
}

/** Returns the same list if nothing changed. */
function convertAll(tools: SchemaTools, provider: string): SchemaTools {
  const all = tools.map((tool) => convert(tool, provider))
  return all.every((tool, index) => tool === tools[index]) ? tools : all
}

function convert(tool: SchemaTools[number], provider: string): SchemaTools[number] {
  if (tool.type !== 'function') return tool
  const { schema } = toolSchema(provider, tool.inputSchema as JsonObject)
  return schema === tool.inputSchema ? tool : { ...tool, inputSchema: schema as typeof tool.inputSchema }
}
