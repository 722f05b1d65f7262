import { isText } from '../rules/field-rule.ts'
import { quotedPath, type FieldContext, type RawCard } from '@troupe/cards/formats'

const COMMON = ['type', 'name', 'instruction', 'description', 'default', 'tool_only', 'schema_version']
const MODEL = ['model', 'use_history', 'request_params', 'human_input', 'api_key', 'messages']
const FILTERS = ['servers', 'tools', 'resources', 'prompts']
const AGENT = [
  ...COMMON,
  ...MODEL,
  ...FILTERS,
  'agents',
  'mcp_connect',
  'skills',
  'shell',
  'cwd',
  'variables',
  'function_tools',
  'tool_hooks',
  'lifecycle_hooks',
  'commands',
  'trim_tool_history',
  'tool_input_schema',
  'subagents',
  'subagent_model',
  'harness_tools',
  'save_trajectory',
  'history_mode',
  'history_source',
  'history_merge_target',
  'max_parallel',
  'child_timeout_sec',
  'max_display_instances',
]
const EVALUATOR = ['generator', 'evaluator', 'min_rating', 'max_refinements', 'refinement_instruction']
const REMOTE = [
  'url',
  'transport',
  'auth',
  'headers',
  'relative_card_path',
  'streaming',
  'polling',
  'accepted_output_modes',
  'request_timeout_seconds',
]
/** Keys of the cards of each type, as fast-agent checks them. */
const KEYS_BY_TYPE: ReadonlyMap<string, readonly string[]> = new Map([
  ['agent', AGENT],
  ['smart', AGENT],
  ['chain', [...COMMON, 'sequence', 'cumulative']],
  ['parallel', [...COMMON, 'fan_out', 'fan_in', 'include_request']],
  ['evaluator_optimizer', [...COMMON, ...EVALUATOR, 'messages']],
  ['router', [...COMMON, ...MODEL, ...FILTERS, 'agents']],
  ['orchestrator', [...COMMON, ...MODEL, 'agents', 'plan_type', 'plan_iterations']],
  ['iterative_planner', [...COMMON, ...MODEL, 'agents', 'plan_iterations']],
  ['maker', [...COMMON, 'worker', 'k', 'max_samples', 'match_strategy', 'red_flag_max_length', 'messages']],
  ['a2a', [...COMMON, ...REMOTE]],
])
const ALL_KEYS: ReadonlySet<string> = new Set([...KEYS_BY_TYPE.values()].flat())

/** Returns the type of a card as fast-agent reads it. */
export function typeOf({ fields: { type } }: RawCard): string {
  return isText(type) && type.trim() !== '' ? type.trim().toLowerCase() : 'agent'
}

/** Returns true if a card has keys, and only those that fast-agent documents. */
export function hasDocumentedKeys({ fields }: RawCard): boolean {
  const keys = Object.keys(fields)
  return keys.length > 0 && keys.every((key) => ALL_KEYS.has(key))
}

/** Reports keys that fast-agent has for other types only, and combinations that it rejects. */
export function checkKeysOfType({ rewriter, card }: FieldContext): void {
  const type = typeOf(card)
  const keys = KEYS_BY_TYPE.get(type)
  for (const key of Object.keys(card.fields)) {
    if (keys === undefined || keys.includes(key) || !ALL_KEYS.has(key)) continue
    rewriter.addProblem({
      severity: 'warning',
      code: 'key_without_effect',
      message: `${quotedPath([key])} is not a key of the type ${type}; fast-agent rejects the card.`,
      at: [key],
    })
  }
  if (card.fields['default'] === true && card.fields['tool_only'] === true)
    rewriter.addProblem({
      code: 'card_bad_value',
      message: 'A card cannot have both `default: true` and `tool_only: true`.',
      at: ['tool_only'],
    })
}
