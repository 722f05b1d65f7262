import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel } from '@troupe/schema'
import { withCallOptions } from '../call-options/with-call-options.ts'

type PropertyTools = NonNullable<LanguageModelV4CallOptions['tools']>

/**
 * Adds `properties` to tool schemas without it. MCP servers omit it for tools without parameters, but OpenAI
 * requires it.
 */
export function withToolProperties(model: LanguageModel): LanguageModel {
  const completed = new WeakMap<PropertyTools, PropertyTools>()
  return withCallOptions(model, (call) => {
    if (call.tools === undefined) return call
    const tools = completed.get(call.tools) ?? completeAll(call.tools)
    completed.set(call.tools, tools)
    return tools === call.tools ? call : { ...call, tools }
  })
}

/** Returns the same list if there is nothing to add. */
function completeAll(tools: PropertyTools): PropertyTools {
  return tools.some(lacksProperties) ? tools.map(complete) : tools
}

function lacksProperties(tool: PropertyTools[number]): boolean {
  return tool.type === 'function' && tool.inputSchema.properties === undefined
}

function complete(tool: PropertyTools[number]): PropertyTools[number] {
  if (tool.type !== 'function' || tool.inputSchema.properties !== undefined) return tool
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: {} } }
}
