import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldOutcome, type FieldPath } from '@troupe/cards/formats'
import { isText, rule, translated, type FieldRule } from '../rules/field-rule.ts'

/** Rule for the functions that a card of fast-agent names. */
export const functionTools: FieldRule = rule(
  {
    status: 'translated',
    to: 'functionTools',
    reason: 'a function in a Python file runs in Python; `variant: code` only marks an argument for display',
  },
  (value, field) => {
    const entries = Array.isArray(value) ? (value as readonly Json[]) : [value]
    const specs = entries.map((entry, index) =>
      toSpec(entry, Array.isArray(value) ? [...field.from, index] : field.from, field),
    )
    field.rewriter.put(
      ['functionTools'],
      specs.filter((spec) => spec !== undefined),
      field.from,
    )
    return undefined
  },
)

/** Returns the spec of an entry. An entry without one is kept, so that the schema rejects it. */
function toSpec(entry: Json, at: FieldPath, { rewriter }: FieldContext): Json | undefined {
  if (!isJsonObject(entry) || !isText(entry['entrypoint'])) return entry
  const { entrypoint, variant = null } = entry
  // The variant marks the parameter that holds source code. The model fills it like any other.
  if (variant === null || variant === 'code') return entrypoint
  rewriter.addProblem({
    code: 'card_bad_value',
    message: `\`${dottedPath([...at, 'variant'])}\` must be \`code\`.`,
    at: [...at, 'variant'],
  })
  return undefined
}

/** Loop hooks by the phase of fast-agent. */
const PHASES: ReadonlyMap<string, string> = new Map([
  ['before_llm_call', 'beforeModel'],
  ['after_llm_call', 'afterModel'],
  ['before_tool_call', 'beforeTools'],
  ['after_tool_call', 'afterTools'],
  ['after_turn_complete', 'onEnd'],
])

/** Rule for the hooks that a card of fast-agent names: by phase, or as a list of hooks around each call. */
export const toolHooks: FieldRule = rule(
  {
    status: 'translated',
    to: 'loopHooks',
    reason: 'by phase; a list of hooks around each call becomes `toolHooks`',
  },
  (value, field) => {
    if (isJsonObject(value)) return putPhases(value, field)
    field.rewriter.put(['toolHooks'], value, field.from)
    return translated('toolHooks')
  },
)

/** Returns true for hooks by phase, which only cards of fast-agent have. */
export function namesPhases({ tool_hooks: hooks }: JsonObject): boolean {
  return isJsonObject(hooks) && Object.keys(hooks).some((phase) => PHASES.has(phase))
}

function putPhases(phases: JsonObject, { rewriter, from }: FieldContext): FieldOutcome {
  for (const [phase, spec] of Object.entries(phases)) {
    const at = [...from, phase]
    const hook = PHASES.get(phase)
    if (hook === undefined)
      rewriter.addProblem({
        code: 'card_unsupported',
        message: `\`${dottedPath(at)}\` is not a phase. Phases: ${[...PHASES.keys()].join(', ')}.`,
        at,
      })
    // fast-agent takes null for a phase without a hook
    else if (spec !== null) rewriter.put(['loopHooks', hook], spec, at)
  }
  return translated('loopHooks', 'a hook cannot replace the message history')
}
