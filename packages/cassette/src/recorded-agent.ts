import { isJsonObject, toWireName, type Json, type JsonObject, type ToolDefinition } from '@troupe/schema'
import type { ModelHandle, PreparedAgent } from '@troupe/schema/ports'
import { textOf } from './to-entry.ts'
import type { Cassette, CassetteEntry, RecordedAgent, RecordedModel, RecordedTool } from './cassette.ts'

/**
 * Returns the models and tools of an agent for a replay: as recorded, or else derived from what its runs did.
 */
export function findRecordedAgent(cassette: Cassette, name: string): RecordedAgent {
  const { agents, entries } = cassette
  const recorded = Object.hasOwn(agents, name) ? agents[name] : undefined
  if (recorded !== undefined) return recorded
  const runs = new Set(
    entries.flatMap((entry) => (entry.event === 'run-start' && entry['agent'] === name ? entry.run : [])),
  )
  const own = entries.filter((entry) => runs.has(entry.run))
  return { models: calledModels(own), tools: calledTools(own) }
}

function calledModels(entries: readonly CassetteEntry[]): readonly RecordedModel[] {
  const models = new Map<string, RecordedModel>()
  for (const { event, model } of entries)
    if (event === 'run-start' && Array.isArray(model))
      for (const id of model as readonly string[]) models.set(id, { id, provider: id.split('/')[0] ?? id })
  for (const { event, model, provider, cost } of entries) {
    if (event !== 'usage') continue
    const id = textOf(model)
    // Costs are recorded with each call. Here it only matters that the model has a price.
    models.set(id, { id, provider: textOf(provider), ...(cost === null ? {} : { price: FREE }) })
  }
  return [...models.values()]
}

const FREE = Object.freeze({ input: 0, output: 0 })

/**
 * Derives the MCP tools that were called. Their schemas accept any arguments and fill in the recorded
 * defaults.
 */
function calledTools(entries: readonly CassetteEntry[]): readonly RecordedTool[] {
  const answeredCalls = new Map(entries.flatMap(({ answer }) => callsInAnswer(answer)))
  const tools = new Map<string, RecordedTool>()
  const defaults = new Map<string, Record<string, Json>>()
  for (const { event, source, server, toolName, toolUseId, args } of entries) {
    if (event !== 'tool-call' || source !== 'mcp' || typeof toolName !== 'string') continue
    const call = answeredCalls.get(textOf(toolUseId))
    const properties = getOrCreate(defaults, toolName, (): Record<string, Json> => ({}))
    tools.set(toolName, {
      name: toolName,
      wireName: call?.wireName ?? toWireName(toolName),
      source,
      server: textOf(server),
      description: '',
      effect: 'once',
      inputSchema: { type: 'object', properties },
    })
    for (const [key, value] of Object.entries(isJsonObject(args) ? args : {}))
      if (call !== undefined && !Object.hasOwn(call.input, key)) properties[key] = { default: value }
  }
  return [...tools.values()]
}

function callsInAnswer(
  answer: Json | undefined,
): readonly (readonly [string, { readonly wireName: string; readonly input: JsonObject }])[] {
  const content = isJsonObject(answer) ? answer['content'] : undefined
  if (!Array.isArray(content)) return []
  return (content as readonly JsonObject[]).flatMap((part) =>
    part['type'] === 'tool-call'
      ? [
          [
            textOf(part['toolCallId']),
            { wireName: textOf(part['toolName']), input: isJsonObject(part['input']) ? part['input'] : {} },
          ] as const,
        ]
      : [],
  )
}

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

/** Returns the value of a key, and adds it first if it is missing. */
export function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = make()
  map.set(key, created)
  return created
}
