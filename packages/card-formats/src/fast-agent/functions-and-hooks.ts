import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldOutcome, type FieldPath } from '@troupe/cards/formats'
import { isText, rule, translated, type FieldRule } from '../rules/field-rule.ts'

/** Rule for the functions that a card of fast-agent names. */
export const functionTools: FieldRule = rule(
  {
    status: 'translated',
    to: 'functionTools',
    reason: 'a function in a Python file runs in Python; entries with `variant: code` are errors',
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
  const { entrypoint, variant } = entry
  if (variant === undefined || variant === 'function') return entrypoint
  rewriter.addProblem({
    code: 'card_unsupported',
    message: `\`${dottedPath(at)}\`: \`variant: code\` passes source code that the model writes to ${entrypoint}, which Troupe cannot do. Write ${entrypoint} as a function with one text parameter, and name it as \`${entrypoint}\`.`,
    at,
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
