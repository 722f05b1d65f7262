import { failure, type AgentDefinition, type Failure, type JsonObject } from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'

/** An invalid schema of an agent and its path in the card. */
interface SchemaFault {
  readonly problem: Failure
  readonly path: readonly [key: 'input' | 'output', 'schema']
}

/** Finds input and output schemas that cannot be used for validation, before a model call is paid for. */
export function schemaProblems({
  input,
  output,
}: Pick<AgentDefinition, 'input' | 'output'>): readonly SchemaFault[] {
  return [
    ...faultOf('input', input.schema && (schemaProblem(input.schema) ?? argumentProblem(input.schema))),
    ...faultOf('output', output.schema && schemaProblem(output.schema)),
  ]
}

function faultOf(key: 'input' | 'output', why: string | undefined): readonly SchemaFault[] {
  if (why === undefined) return []
  return [{ problem: failure('invalid_schema', `${key}.schema: ${why}.`), path: [key, 'schema'] }]
}

/** Returns a problem if the schema excludes objects, since an agent is always called with an object. */
function argumentProblem({ type }: JsonObject): string | undefined {
  if (type === undefined || [type].flat().includes('object')) return undefined
  return `the input of an agent is an object, but the type of this schema is ${JSON.stringify(type)}`
}

/** A guard list that cannot be enforced and its path in the card. */
interface GuardFault {
  readonly problem: Failure
  readonly path: readonly string[]
}

/** Finds guards of tool calls in compositions, which call agents without tool calls. */
export function guardProblems({ type, guard = {} }: AgentDefinition): readonly GuardFault[] {
  if (type === 'agent') return []
  return (['toolCall', 'toolResult'] as const).flatMap((place) => {
    if ((guard[place] ?? []).length === 0) return []
    const message = `guard.${place}: an agent of the type ${type} calls no tools.`
    const fix = 'Move these guards to its agents, or check its `input` and `output`.'
    return [{ problem: failure('guard_invalid', message, fix), path: ['guard', place] }]
  })
}

interface IdleKey {
  readonly keys: readonly string[]
  /** Returns true if the definition uses the key without effect. */
  isUsed(definition: AgentDefinition): boolean
  /** Explanation for the author of the card. */
  readonly consequence: string
}

const TOOL_KEYS = [
  'servers',
  'functionTools',
  'providerTools',
  'runtimeTools',
  'skills',
  'toolHooks',
] as const

/** Keys that have no effect in some cards. They are reported so that no key is ignored silently. */
const IDLE_KEYS: readonly IdleKey[] = [
  {
    keys: ['servers', 'tools', 'functionTools', 'providerTools', 'runtimeTools', 'skills', 'toolHooks'],
    isUsed: (definition) =>
      definition.type !== 'agent' &&
      (TOOL_KEYS.some((key) => (definition[key] ?? []).length > 0) ||
        Object.keys(definition.mcpServers).length > 0),
    consequence: 'a composition does not call tools; move these keys to its agents',
  },
  {
    keys: ['handoffs'],
    isUsed: ({ type, composition }) => type !== 'agent' && composition.handoffs !== undefined,
    consequence: 'only agents of type `agent` hand requests over',
  },
  {
    keys: ['runtimeTools'],
    isUsed: ({ runtimeTools, skills }) => runtimeTools.includes('skills') && skills.length === 0,
    consequence: 'there are no skills to read; list folders that contain a SKILL.md under `skills`',
  },
  {
    keys: ['schedule'],
    isUsed: ({ schedule, hidden }) => hidden && schedule !== undefined,
    consequence: 'a hidden agent is never served, so its schedule never fires; remove `hidden`',
  },
  {
    keys: ['mode'],
    isUsed: ({ mode, exports }) => mode === 'tools' && exports.tools.length === 0,
    consequence: 'there are no tools to export; describe them under `exports.tools`',
  },
  {
    keys: ['toolPrefix'],
    isUsed: ({ toolPrefix, exports }) => toolPrefix !== true && exports.tools.length === 0,
    consequence: 'only tools under `exports.tools` get a prefix, and there are none',
  },
]

/** Keys of a definition that have no effect, and the reason. */
interface KeysWithoutEffect {
  /** Some of them may be absent from the card. */
  readonly keys: readonly string[]
  readonly text: string
}

/** Returns the keys of the definition that have no effect. */
export function keysWithoutEffect(definition: AgentDefinition): readonly KeysWithoutEffect[] {
  return IDLE_KEYS.filter((key) => key.isUsed(definition)).map(({ keys, consequence }) => ({
    keys,
    text: `${keys.join(', ')}: ${consequence}.`,
  }))
}
