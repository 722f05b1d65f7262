import { isJsonObject, type Json, type JsonObject, type ToolDefinition } from '@troupe/schema'

/** A call that a scenario wants to see. */
export interface PlannedCall {
  readonly tool: ToolDefinition
  readonly args: JsonObject
}

/** The calls that the suite asks for in its context; else one of every tool, with arguments made up. */
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

/** A value for every property; for the echo tool of the suite, the schema that it wants to see again. */
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
