import type { AgentDefinition } from '@troupe/schema'

interface IdleKey {
  readonly keys: readonly string[]
  /** Returns true if the definition uses the key without effect. */
  isUsed(definition: AgentDefinition): boolean
  /** Explanation for the author of the card. */
  readonly consequence: string
}

const LISTS = ['servers', 'functionTools', 'runtimeTools', 'skills', 'toolHooks'] as const

/** Keys that have no effect in some cards. They are reported so that no key is ignored silently. */
const KEYS: readonly IdleKey[] = [
  {
    keys: ['servers', 'tools', 'functionTools', 'runtimeTools', 'skills', 'toolHooks'],
    isUsed: (definition) =>
      definition.type !== 'agent' &&
      (LISTS.some((key) => definition[key].length > 0) || Object.keys(definition.mcpServers).length > 0),
    consequence: 'a composition calls agents and no tools; give them to the agents it is made of',
  },
  {
    keys: ['runtimeTools'],
    isUsed: ({ runtimeTools, skills }) => runtimeTools.includes('skills') && skills.length === 0,
    consequence: '`skills` has nothing to read; name folders with SKILL.md in the key `skills`',
  },
  {
    keys: ['mode'],
    isUsed: ({ mode, exports }) => mode === 'tools' && exports.tools.length === 0,
    consequence: '`tools` has nothing to offer; describe tools in the key `exports.tools`',
  },
  {
    keys: ['toolPrefix'],
    isUsed: ({ toolPrefix, exports }) => toolPrefix !== true && exports.tools.length === 0,
    consequence: 'only the tools of `exports.tools` get a prefix, and there are none',
  },
]

/** Keys of a definition that have no effect, and the reason. */
export interface KeysWithoutEffect {
  /** Some of them may be absent from the card. */
  readonly keys: readonly string[]
  readonly text: string
}

/** Returns the keys of the definition that have no effect. */
export function keysWithoutEffect(definition: AgentDefinition): readonly KeysWithoutEffect[] {
  return KEYS.filter((each) => each.isUsed(definition)).map(({ keys, consequence }) => ({
    keys,
    text: `${keys.join(', ')}: ${consequence}.`,
  }))
}
