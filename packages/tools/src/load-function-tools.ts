import { isJsonObject, troupeError, type AnyFunction, type ToolDefinition } from '@troupe/schema'
import { functionTool, toolNameOf } from './function-tool.ts'
import { isCallable, notCallable } from './load-callable.ts'
import { loadFunction, type LoadOptions } from './load-function.ts'

/** Whose functions are loaded, for messages. */
export interface AgentLoadOptions extends LoadOptions {
  readonly agent: string
}

/**
 * The function tools of an agent, in their order (B7, B21–B24). `module.ts:name` may export a tool made by `defineTool` or a plain function;
 * from code both may be given as they are. Throws the errors of `loadFunction`, `function_not_callable`, and `tool_name_conflict` naming both entries.
 */
export async function loadFunctionTools(
  entries: readonly (string | ToolDefinition | AnyFunction)[],
  options: AgentLoadOptions,
): Promise<readonly ToolDefinition[]> {
  const tools: ToolDefinition[] = []
  const labels = new Map<string, string>()
  for (const entry of entries) {
    const tool = await toTool(entry, options)
    const label = typeof entry === 'string' ? `"${entry}"` : `the tool ${tool.name} given in code`
    const other = labels.get(tool.wireName)
    if (other !== undefined) {
      throw troupeError(
        'tool_name_conflict',
        `Agent ${options.agent}: ${other} and ${label} are both tools named ${tool.wireName}.`,
      )
    }
    labels.set(tool.wireName, label)
    tools.push(tool)
  }
  return tools
}

async function toTool(
  entry: string | ToolDefinition | AnyFunction,
  options: AgentLoadOptions,
): Promise<ToolDefinition> {
  if (isCallable(entry))
    return functionTool(entry, { name: entry.name, label: `A function tool of ${options.agent}` })
  if (typeof entry !== 'string') return entry
  const found = await loadFunction(entry, options)
  if (isTool(found.value)) return found.value
  if (!isCallable(found.value)) throw notCallable({ spec: entry, ...found })
  const name = toolNameOf(found.value, found.name)
  return functionTool(found.value, { name, label: `"${entry}" (${found.file})` })
}

/** A tool made by `defineTool`, also by another copy of the package. */
function isTool(value: unknown): value is ToolDefinition {
  if (!isJsonObject(value)) return false
  const tool = value as Readonly<Record<string, unknown>>
  return (
    typeof tool['execute'] === 'function' &&
    typeof tool['name'] === 'string' &&
    typeof tool['wireName'] === 'string' &&
    isJsonObject(tool['inputSchema'])
  )
}
