import {
  defineTool,
  isJsonObject,
  isStandardSchema,
  TOOL_CAPABILITIES,
  troupeError,
  type AnyFunction,
  type JsonObject,
  type StandardSchema,
  type ToolCapability,
  type ToolDefinition,
  type ToolEffect,
} from '@troupe/schema'

const EFFECTS: readonly unknown[] = ['read', 'idempotent', 'once'] satisfies readonly ToolEffect[]

const CAPABILITIES: readonly unknown[] = TOOL_CAPABILITIES

const ANY_ARGUMENTS: JsonObject = Object.freeze({ type: 'object', additionalProperties: true })

/**
 * Converts a plain function to a tool. The tool calls it with the arguments object and the tool context.
 * Properties of the function describe the tool: `description`, `input` (a zod schema or JSON Schema of type
 * object; default: any arguments), `effect` and `capabilities`. Throws `function_bad_spec` if the function
 * has no name and `card_bad_value` if a property is invalid.
 */
export function functionTool(
  fn: AnyFunction,
  origin: { readonly name: string; readonly label: string },
): ToolDefinition {
  const { name, label } = origin
  if (name === '') {
    throw troupeError('function_bad_spec', `${label} has no name that its tool could have.`, {
      fix: 'Give the function a name, export it under one, or use defineTool.',
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
  throw badMetadata(
    label,
    'input',
    'a schema of zod 4 or of another library of Standard Schema, or JSON Schema',
  )
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
export function toolNameOf(fn: AnyFunction, exportName: string): string {
  if (exportName !== 'default') return exportName
  return fn.name === 'default' ? '' : fn.name
}
