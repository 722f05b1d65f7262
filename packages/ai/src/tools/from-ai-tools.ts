import {
  defineTool,
  errorMessage,
  getOwn,
  troupeError,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
} from '@troupe/schema'
import { asSchema, type ModelMessage, type Schema, type Tool, type ToolSet } from 'ai'
import { toToolResult } from './tool-output.ts'

/** Options of {@link fromAiTools}. */
export interface AiToolOptions {
  /** Contexts of the tools with a `contextSchema`, by tool name. */
  readonly toolsContext?: Readonly<Record<string, unknown>>
}

/**
 * Converts tools of the AI SDK to tools for `functionTools`, each named after its key. Throws `usage_invalid` for
 * a tool that has no `execute` or that only a provider knows.
 */
export function fromAiTools(tools: ToolSet, options: AiToolOptions = {}): ToolDefinition[] {
  return Object.entries(tools).map(([name, tool]) => fromAiTool(name, tool as Tool, options))
}

/** A tool of the AI SDK, with the name and the context that it is called with. */
interface NamedTool {
  readonly name: string
  readonly tool: Tool & { readonly execute: NonNullable<Tool['execute']> }
  readonly schema: Schema
  readonly context: unknown
}

function fromAiTool(name: string, tool: Tool, { toolsContext = {} }: AiToolOptions): ToolDefinition {
  requireExecutable(name, tool)
  const named: NamedTool = {
    name,
    tool,
    schema: asSchema(tool.inputSchema as Parameters<typeof asSchema>[0]),
    context: contextOf(name, tool, toolsContext),
  }
  const requiresApproval = approvalOf(named)
  return defineTool({
    name,
    description: descriptionOf(named),
    input: inputSchemaOf(named),
    ...(requiresApproval === undefined ? {} : { requiresApproval }),
    execute: (args, ctx) => execute(named, args, ctx),
  })
}

function requireExecutable(name: string, tool: Tool): asserts tool is NamedTool['tool'] {
  const { type, execute: run }: { readonly type?: string | undefined; readonly execute?: unknown } = tool
  if (type !== undefined && type !== 'function' && type !== 'dynamic')
    throw troupeError(
      'usage_invalid',
      `The tool "${name}" is defined by a model provider (type "${type}").`,
      {
        fix: 'Pass only tools with a description and `execute`, made by `tool` or `dynamicTool`.',
      },
    )
  if (typeof run === 'function') return
  throw troupeError('usage_invalid', `The tool "${name}" has no \`execute\`, so no agent can run it.`, {
    fix: 'Add `execute`, or offer it as a tool of the client with `clientTools` of the run.',
  })
}

function contextOf(name: string, tool: Tool, contexts: Readonly<Record<string, unknown>>): unknown {
  const context = getOwn(contexts, name)
  if (tool.contextSchema !== undefined && context === undefined)
    throw troupeError('usage_invalid', `The tool "${name}" needs a context.`, {
      fix: `Pass it as \`toolsContext: { ${name}: … }\`.`,
    })
  return context
}

function descriptionOf({ tool: { description = '' }, context }: NamedTool): string {
  return typeof description === 'function' ? description({ context }) : description
}

function inputSchemaOf({ name, schema: { jsonSchema } }: NamedTool): JsonObject {
  // a copy, because zod hides its own schema in the original, which `defineTool` would apply as well
  if (!('then' in jsonSchema)) return { ...(jsonSchema as JsonObject) }
  throw troupeError('usage_invalid', `The input schema of the tool "${name}" is a promise.`, {
    fix: 'Await it before you pass it to `jsonSchema`.',
  })
}

/** Returns when calls require approval; `undefined` if they never do. */
function approvalOf(named: NamedTool): ToolDefinition['requiresApproval'] {
  const { needsApproval } = named.tool
  if (typeof needsApproval !== 'function') return needsApproval
  return async (args) => needsApproval(await parse(named, args), approvalOptions(named) as never)
}

/**
 * Returns the options of `needsApproval`. The call and its messages are not known yet: a function that reads them
 * throws, and the call then requires approval.
 */
function approvalOptions({ name, context }: NamedTool): object {
  const unknown = (option: string): never => {
    throw troupeError('usage_invalid', `\`needsApproval\` of ${name} cannot read \`${option}\`.`)
  }
  return {
    context,
    get toolCallId() {
      return unknown('toolCallId')
    },
    get messages() {
      return unknown('messages')
    },
  }
}

async function execute(named: NamedTool, args: JsonObject, ctx: ToolContext): Promise<unknown> {
  const { tool, context } = named
  const input = await parse(named, args)
  const toolCallId = ctx.site.toolUseId
  // messages of the provider contract, which the AI SDK accepts as its own
  const messages = [...ctx.run.history] as unknown as ModelMessage[]
  const options = { toolCallId, messages, abortSignal: ctx.signal, context }
  const output = await lastOutput(tool.execute(input, options as never), ctx)
  if (tool.toModelOutput === undefined) return defaultResult(output)
  return toToolResult(named.name, await tool.toModelOutput({ toolCallId, input: input as never, output }))
}

/** Validates the arguments with the schema of the tool, which may also transform them. */
async function parse({ name, schema }: NamedTool, args: JsonObject): Promise<unknown> {
  const parsed = await schema.validate?.(args)
  if (parsed === undefined) return args
  if (parsed.success) return parsed.value
  throw troupeError(
    'tool_bad_arguments',
    `The arguments of ${name} do not match its schema: ${errorMessage(parsed.error)}`,
  )
}

/** Waits for the output. Reports all but the last output of a streaming tool as progress. */
async function lastOutput(output: unknown, { signal, progress }: ToolContext): Promise<unknown> {
  if (!isAsyncIterable(output)) return output
  let last: unknown
  let isFirst = true
  for await (const next of output) {
    signal.throwIfAborted()
    if (!isFirst) progress(progressText(last))
    isFirst = false
    last = next
  }
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Maximum length of a progress text in characters. */
const MAX_PROGRESS = 1000

function progressText(output: unknown): string {
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
  return text.length > MAX_PROGRESS ? `${text.slice(0, MAX_PROGRESS)}…` : text
}

/** Returns text as it is and any other output as JSON, whatever its form, as the AI SDK does. */
function defaultResult(output: unknown): unknown {
  return typeof output === 'string' || output === undefined ? output : { type: 'json', value: output }
}
