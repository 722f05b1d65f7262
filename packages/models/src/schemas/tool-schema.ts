import type { JsonObject, LanguageModel, ToolDefinition } from '@troupe/schema'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { convertSchema, type ConvertedSchema } from './convert-schema.ts'
import { SCHEMA_TARGETS, toolTarget, type SchemaTargetName } from './schema-target.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

/** Converted schemas by target. Cached, because every request contains the tools. */
const KNOWN = new Map<SchemaTargetName, WeakMap<JsonObject, ConvertedSchema>>()

/**
 * Returns the input schema of a tool as sent to a provider. Returns the same object for providers without
 * known rules.
 */
export function toolSchema(provider: string, schema: JsonObject): ConvertedSchema {
  const target = toolTarget(provider)
  if (target === undefined) return { schema, relaxations: [], unenforced: [] }
  const known = KNOWN.get(target) ?? new WeakMap<JsonObject, ConvertedSchema>()
  KNOWN.set(target, known)
  const converted = known.get(schema) ?? convertSchema(target, schema)
  known.set(schema, converted)
  return converted
}

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
  return schema === tool.inputSchema ? tool : { ...tool, inputSchema: schema }
}

const OPENAI_DESCRIPTION = 1024

type DescribedTool = Pick<ToolDefinition, 'description' | 'inputSchema'>

/**
 * Returns the reasons why a provider would reject a request with this tool with status 400. Empty if it would
 * not, or if its rules are not known.
 */
export function toolRefusals(provider: string, tool: DescribedTool): readonly string[] {
  return [...longDescription(provider, tool), ...oddNames(provider, tool)]
}

function longDescription(provider: string, { description }: DescribedTool): readonly string[] {
  if (provider !== 'openai' || description.length <= OPENAI_DESCRIPTION) return []
  return [`its description has ${description.length} characters; at most ${OPENAI_DESCRIPTION} are allowed`]
}

/** Reports a required argument whose name the provider does not allow. */
function oddNames(provider: string, { inputSchema }: DescribedTool): readonly string[] {
  const target = toolTarget(provider)
  const names = target === undefined ? undefined : SCHEMA_TARGETS[target].propertyNames
  if (names === undefined) return []
  const { properties = {} } = toolSchema(provider, inputSchema).schema
  const odd = Object.keys(properties as JsonObject).find((name) => !names.test(name))
  if (odd === undefined) return []
  return [
    `its required argument ${JSON.stringify(odd)} is not made of 1 to 64 letters, digits, ".", "_" and "-"`,
  ]
}
