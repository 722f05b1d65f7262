import { isJsonObject, type Json, type JsonObject, type ToolDefinition } from '@troupe/schema'

/** A call that a scenario expects. */
export interface PlannedCall {
  readonly tool: ToolDefinition
  readonly args: JsonObject
}

/** Returns the calls that the suite requests in its context; otherwise one of every tool with example arguments. */
export function plannedCalls(tools: readonly ToolDefinition[], context: unknown): readonly PlannedCall[] {
  const wanted = isJsonObject(context) && Array.isArray(context['toolCalls']) ? context['toolCalls'] : []
  if (wanted.length === 0) return tools.map((tool) => ({ tool, args: exampleArguments(tool, tools) }))
  return wanted.flatMap((each) => {
    if (!isJsonObject(each)) return []
    const { name: wantedName, arguments: args } = each
    const tool = tools.find(({ name, server }) => name === `${server}__${wantedName as string}`)
    return tool === undefined || !isJsonObject(args) ? [] : [{ tool, args }]
  })
}

/** Returns a value for every property; for the echo tool of the suite, the schema that it expects back. */
function exampleArguments(
  { name, inputSchema }: ToolDefinition,
  tools: readonly ToolDefinition[],
): JsonObject {
  const { properties } = inputSchema
  if (!isJsonObject(properties)) return {}
  if (name.endsWith('__json_schema_echo')) return { schema: tools[0]?.inputSchema ?? {} }
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, exampleOf(schema)]))
}

function exampleOf(schema: Json): Json {
  const type = isJsonObject(schema) ? schema['type'] : undefined
  if (type === 'number' || type === 'integer') return 3
  if (type === 'boolean') return true
  if (type === 'array') return []
  return type === 'object' ? {} : 'text'
}
