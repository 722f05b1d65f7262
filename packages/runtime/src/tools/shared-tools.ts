import { toolResult, type Json, type ToolDefinition } from '@troupe/schema'
import type { RunContext } from '@troupe/schema/ports'
import { runtimeTool } from './runtime-tool.ts'

/** Key in the state of the run tree, which hooks share. */
const STATE_KEY = 'troupe.shared'
const MAX_KEYS = 1000
const MAX_CHARACTERS = 262_144

const KEY = { type: 'string', minLength: 1, maxLength: 200 } as const

/**
 * Tools that read and write values shared by all agents of a run tree. The values are dropped when the root
 * run ends.
 */
export const SHARED_TOOLS: readonly ToolDefinition[] = Object.freeze([
  runtimeTool({
    name: 'shared.get',
    description: 'Reads a value that an agent of this run has shared. Without a key, lists all keys.',
    inputSchema: { type: 'object', properties: { key: KEY }, additionalProperties: false },
    effect: 'read',
    execute: ({ key }, { run }) => {
      const values = valuesOf(run)
      if (typeof key !== 'string') return { keys: [...values.keys()] }
      const value = values.get(key)
      return value === undefined ? { found: false } : { found: true, value }
    },
  }),
  runtimeTool({
    name: 'shared.set',
    description: 'Shares a value with all agents of this run, replacing an existing one. null removes it.',
    inputSchema: {
      type: 'object',
      properties: { key: KEY, value: { description: 'Any JSON value' } },
      required: ['key', 'value'],
      additionalProperties: false,
    },
    effect: 'idempotent',
    execute: ({ key, value }, { run }) => set(valuesOf(run), key as string, value as Json),
  }),
])

function set(values: Map<string, Json>, key: string, value: Json): unknown {
  if (value === null) return { removed: values.delete(key) }
  if (JSON.stringify(value).length > MAX_CHARACTERS)
    return toolResult.error('tool_bad_arguments', `A shared value has at most ${MAX_CHARACTERS} characters.`)
  if (!values.has(key) && values.size >= MAX_KEYS)
    return toolResult.error('tool_bad_arguments', `The limit of ${MAX_KEYS} shared values is reached.`)
  values.set(key, value)
  return { stored: true }
}

function valuesOf({ rootState }: RunContext): Map<string, Json> {
  const known = rootState.get(STATE_KEY)
  if (known instanceof Map) return known as Map<string, Json>
  const values = new Map<string, Json>()
  rootState.set(STATE_KEY, values)
  return values
}
