import {
  isJsonObject,
  troupeError,
  type AnyFunction,
  type FunctionToolUse,
  type HttpToolUse,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
  defineTool,
  isStandardSchema,
  type StandardSchema,
  type ToolCapability,
  type ToolEffect,
} from '@troupe/schema'
import { TOOL_CAPABILITIES } from '@troupe/schema/agent-keys'
import { isCallable, notCallable, loadFunction, type LoadedExport } from './load-function.ts'
import { loadPythonTool, type PythonLoadOptions } from './load-python.ts'
import type { FunctionWorkers } from './function-workers.ts'
import { httpTool, isHttpTool } from './http-tool.ts'

/** Load options with the agent's name for messages. */
export interface AgentLoadOptions extends PythonLoadOptions {
  readonly agent: string
}

/** Options of `loadFunctionTools`. */
export interface FunctionToolLoadOptions extends AgentLoadOptions {
  /** Threads for functions with `worker: true`, which are errors without it. */
  readonly workers?: FunctionWorkers
}

type FunctionToolEntry = string | FunctionToolUse | HttpToolUse | ToolDefinition | AnyFunction

/**
 * Loads the function tools of an agent in order. `module.ts:name` names a plain function or a tool made by
 * `defineTool`; code may also pass either directly. `{use, worker: true}` runs the function in a worker
 * thread. `tools.py:name` names a Python function. Throws the errors of `loadFunction`, `function_not_callable`, and `tool_name_conflict` with both
 * entries.
 */
export async function loadFunctionTools(
  entries: readonly FunctionToolEntry[],
  options: FunctionToolLoadOptions,
): Promise<readonly ToolDefinition[]> {
  const tools: ToolDefinition[] = []
  const labels = new Map<string, string>()
  for (const entry of entries) {
    const tool = await toTool(entry, options)
    const label = labelOf(entry, tool)
    const other = labels.get(tool.wireName)
    if (other !== undefined) {
      throw troupeError(
        'tool_name_conflict',
        `Agent ${options.agent}: ${other} and ${label} are both named ${tool.wireName}.`,
      )
    }
    labels.set(tool.wireName, label)
    tools.push(tool)
  }
  return tools
}

async function toTool(entry: FunctionToolEntry, options: FunctionToolLoadOptions): Promise<ToolDefinition> {
  if (isCallable(entry))
    return functionTool(entry, { name: entry.name, label: `A function tool of ${options.agent}` })
  if (typeof entry === 'string') return loadTool({ use: entry }, options)
  if (!('use' in entry)) return entry
  return isHttpTool(entry) ? httpTool(entry) : loadTool(entry, options)
}

async function loadTool(entry: FunctionToolUse, options: FunctionToolLoadOptions): Promise<ToolDefinition> {
  const python = await loadPythonTool(entry.use, entry.env ?? [], options)
  if (python !== undefined)
    return functionTool(python.fn, { name: python.name, label: `"${entry.use}" (${python.file})` })
  const found = await loadFunction(entry.use, options)
  const workerExecute = entry.worker === true ? createWorkerExecute(found, { ...options, entry }) : undefined
  if (isTool(found.value))
    return workerExecute === undefined ? found.value : { ...found.value, execute: workerExecute }
  if (!isCallable(found.value)) throw notCallable({ spec: entry.use, ...found })
  const name = toolNameOf(found.value, found.name)
  const { description, input, effect } = found.value as {
    description?: unknown
    input?: unknown
    effect?: unknown
  }
  const fn =
    workerExecute === undefined ? found.value : Object.assign(workerExecute, { description, input, effect })
  return functionTool(fn, { name, label: `"${entry.use}" (${found.file})` })
}

/**
 * Returns a function that runs the export in a worker thread. The export loaded here only provides its
 * metadata.
 */
function createWorkerExecute(
  { url, root, name }: LoadedExport,
  { workers, entry }: FunctionToolLoadOptions & { readonly entry: FunctionToolUse },
): (args: JsonObject, ctx: ToolContext) => Promise<unknown> {
  if (workers === undefined) {
    throw troupeError(
      'function_bad_spec',
      `"${entry.use}" requires a worker, but no workers are available.`,
      {
        fix: 'Remove `worker`, or load the tool through a host.',
      },
    )
  }
  return (args, ctx) => {
    const env = Object.fromEntries((entry.env ?? []).map((key) => [key, ctx.run.env(key)]))
    return workers.call({ url, root, name, args, env }, ctx)
  }
}

function labelOf(entry: FunctionToolEntry, tool: ToolDefinition): string {
  if (typeof entry === 'string') return `"${entry}"`
  return 'use' in entry ? `"${entry.use}"` : `the tool ${tool.name} defined in code`
}

/** Returns true for a tool made by `defineTool`, even by another copy of the package. */
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

const EFFECTS: readonly unknown[] = ['read', 'idempotent', 'once'] satisfies readonly ToolEffect[]

const CAPABILITIES: readonly unknown[] = TOOL_CAPABILITIES

const ANY_ARGUMENTS: JsonObject = Object.freeze({ type: 'object', additionalProperties: true })

/**
 * Converts a plain function to a tool. The tool calls it with the arguments object and the tool context.
 * Properties of the function describe the tool: `description`, `input` (a zod schema or JSON Schema of type
 * object; default: any arguments), `effect` and `capabilities`. Throws `function_bad_spec` if the function
 * has no name and `card_bad_value` if a property is invalid.
 */
function functionTool(
  fn: AnyFunction,
  origin: { readonly name: string; readonly label: string },
): ToolDefinition {
  const { name, label } = origin
  if (name === '') {
    throw troupeError('function_bad_spec', `${label} has no name to use as a tool name.`, {
      fix: 'Name the function, export it under a name, or use defineTool.',
    })
  }
  const own = fn as unknown as Readonly<Record<string, unknown>>
  const description = own['description'] ?? `The function ${name}.`
  if (typeof description !== 'string') throw badMetadata(label, 'description', 'text')
  const effect = own['effect'] ?? 'once'
  if (!isEffect(effect)) throw badMetadata(label, 'effect', '"read", "idempotent" or "once"')
  const capabilities = own['capabilities'] ?? []
  if (!isCapabilities(capabilities))
    throw badMetadata(label, 'capabilities', `a list of ${TOOL_CAPABILITIES.join(', ')}`)
  return defineTool({
    name,
    description,
    input: inputOf(own['input'], label),
    effect,
    ...(capabilities.length === 0 ? {} : { capabilities }),
    execute: (args: unknown, ctx) => fn(args as never, ctx as never),
  })
}

function isEffect(value: unknown): value is ToolEffect {
  return EFFECTS.includes(value)
}

function isCapabilities(value: unknown): value is readonly ToolCapability[] {
  return Array.isArray(value) && value.every((each) => CAPABILITIES.includes(each))
}

function inputOf(input: unknown, label: string): StandardSchema | JsonObject {
  if (input === undefined) return ANY_ARGUMENTS
  if (isStandardSchema(input)) return input
  // reject schemas of zod 3 and other libraries, which are objects too
  if (isJsonObject(input) && !('~standard' in input) && !('_def' in input)) return input
  throw badMetadata(label, 'input', 'a zod 4 schema, another Standard Schema, or a JSON Schema')
}

function badMetadata(label: string, key: string, expected: string): Error {
  return troupeError('card_bad_value', `${label}: its property \`${key}\` must be ${expected}.`, {
    fix: `Correct \`${key}\`, or use defineTool.`,
  })
}

/**
 * Returns the tool name of an export: the export name, or for a default export the function's name. Empty if
 * it has none.
 */
function toolNameOf(fn: AnyFunction, exportName: string): string {
  if (exportName !== 'default') return exportName
  return fn.name === 'default' ? '' : fn.name
}
