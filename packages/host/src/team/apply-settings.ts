import { isJsonObject, type AgentDefinition } from '@troupe/schema'
import { AGENT_KEYS, agentFieldsSchema, LIMIT_KEYS, toDefinition } from '@troupe/schema/agent-keys'
import { issueTexts } from '../config/issue-text.ts'
import { planError, type PlanProblem } from '../config/plan-problem.ts'
import { definitionFields } from './effective-definition.ts'

/** Keys that define what an agent is, not how it runs. */
const FIXED: ReadonlySet<string> = new Set(['$schema', 'dialect', 'name', 'default', 'instruction'])

/**
 * Sets dotted keys (`limits.maxTurns`) of a definition, validated like those of a card. Returns the unchanged
 * definition if there are problems.
 */
export function applySettings(
  definition: AgentDefinition,
  settings: Readonly<Record<string, unknown>>,
): { readonly definition: AgentDefinition; readonly problems: readonly PlanProblem[] } {
  const fixed = Object.keys(settings).find((key) => FIXED.has(topKey(key)))
  if (fixed !== undefined) {
    return {
      definition,
      problems: [problem(definition, `${fixed}: this key can only be set in the card`)],
    }
  }
  let fields: object = definitionFields(definition)
  for (const [key, value] of Object.entries(settings)) fields = withMember(fields, key.split('.'), value)
  const parsed = agentFieldsSchema.safeParse(fields)
  if (parsed.success) {
    const { name, instruction } = definition
    return {
      definition: toDefinition(
        { ...parsed.data, name, instruction },
        { ...definition.source, limitNames: namesOfLimits(settings) },
      ),
      problems: [],
    }
  }
  const messages = parsed.error.issues.flatMap((issue) =>
    issueTexts(issue, knownCardKeys).map(({ text }) => text),
  )
  return { definition, problems: messages.map((message) => problem(definition, message)) }
}

/** Names limits by their `--set` option, so that messages do not refer to the card. */
function namesOfLimits(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const all = Object.hasOwn(settings, 'limits') ? LIMIT_KEYS : []
  const single = Object.keys(settings).flatMap((key) => /^limits\.(\w+)$/u.exec(key)?.[1] ?? [])
  return Object.fromEntries([...all, ...single].map((key) => [key, `--set limits.${key}`]))
}

function topKey(key: string): string {
  return key.split('.', 1)[0] ?? key
}

/**
 * Returns a copy with the member at a path replaced. Only objects on the path are copied, so functions in a
 * definition keep their identity.
 */
function withMember(value: object, [head = '', ...rest]: readonly string[], member: unknown): object {
  const own: unknown = Object.hasOwn(value, head) ? (value as Record<string, unknown>)[head] : undefined
  const inner = rest.length === 0 ? member : withMember(isJsonObject(own) ? own : {}, rest, member)
  return Object.fromEntries([...Object.entries(value).filter(([key]) => key !== head), [head, inner]])
}

function knownCardKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return AGENT_KEYS
  return path[0] === 'limits' ? LIMIT_KEYS : []
}

function problem(definition: AgentDefinition, message: string): PlanProblem {
  return planError('usage_invalid', `--set ${message}`, {
    agent: definition.name,
    fix: `Write dotted names for keys of a card, such as limits.maxTurns=5.`,
  })
}
