import type { z } from 'zod'
import {
  defineTool,
  isJsonObject,
  isZodSchema,
  TOOL_CAPABILITIES,
  troupeError,
  type AnyFunction,
  type JsonObject,
  type ToolCapability,
  type ToolDefinition,
  type ToolEffect,
} from '@troupe/schema'

const EFFECTS: readonly unknown[] = ['read', 'idempotent', 'once'] satisfies readonly ToolEffect[]

const CAPABILITIES: readonly unknown[] = TOOL_CAPABILITIES

const ANY_ARGUMENTS: JsonObject = Object.freeze({ type: 'object', additionalProperties: true })

/**
 * A plain function as a tool (B21): it is called with the arguments as one object, and the tool context. What the model is told
 * stands on the function itself: `fn.description`, `fn.input` (a zod schema or JSON Schema of type object; none: any arguments), `fn.effect`
 * and `fn.capabilities`.
 * Throws `function_bad_spec` for a function without a name and `card_bad_value` for one of these that is of another kind.
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

function inputOf(input: unknown, label: string): z.ZodType | JsonObject {
  if (input === undefined) return ANY_ARGUMENTS
  if (isZodSchema(input)) return input
  // a schema of zod 3 or of another library is an object, too
  if (isJsonObject(input) && !('~standard' in input) && !('_def' in input)) return input
  throw badMetadata(label, 'input', 'a schema of zod 4 or JSON Schema')
}

function badMetadata(label: string, key: string, expected: string): Error {
  return troupeError('card_bad_value', `${label}: its property \`${key}\` must be ${expected}.`, {
    fix: `Correct \`${key}\`, or use defineTool.`,
  })
}

/** The name of the tool of an export: its own, or for a default export that of the function, if it has one. */
export function toolNameOf(fn: AnyFunction, exportName: string): string {
  if (exportName !== 'default') return exportName
  return fn.name === 'default' ? '' : fn.name
}
