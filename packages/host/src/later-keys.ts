import type { AgentDefinition } from '@troupe/schema'

interface LaterKey {
  readonly key: string
  /** True for a definition that relies on the key. */
  isUsed(definition: AgentDefinition): boolean
  /** What it means that the key is not obeyed. */
  readonly consequence: string
}

/** Keys that are read and not obeyed yet. Each says so in the plan: nothing that a card asks for is left out in silence. */
const LATER_KEYS: readonly LaterKey[] = [
  {
    key: 'runtimeTools',
    isUsed: ({ type, runtimeTools }) => runtimeTools.some((tool) => tool !== 'shared' || type !== 'agent'),
    consequence: 'of these only `shared` is available in this version, to agents that call tools',
  },
  {
    key: 'servers, tools, functionTools, toolHooks',
    isUsed: ({ type, servers, functionTools, toolHooks, mcpServers }) =>
      type !== 'agent' &&
      servers.length + functionTools.length + toolHooks.length + Object.keys(mcpServers).length > 0,
    consequence: 'a composition calls agents and no tools; give them to the agents it is made of',
  },
  {
    key: 'context',
    isUsed: ({ context }) =>
      context.strategy !== 'trim' || context.keepTurns !== undefined || context.model !== undefined,
    consequence: 'long conversations are not shortened in this version; they end with context_overflow',
  },
  {
    key: 'store',
    isUsed: ({ store }) => store === 'metadata',
    consequence:
      'metadata alone cannot be kept in this version; nothing is kept of a run that may reach the agent',
  },
  {
    key: 'skills',
    isUsed: ({ skills }) => skills.length > 0,
    consequence: 'skills are not read in this version',
  },
  {
    key: 'mode',
    isUsed: ({ mode }) => mode !== 'interactive',
    consequence: 'nothing is served in this version, so the mode changes nothing',
  },
  {
    key: 'toolPrefix',
    isUsed: ({ toolPrefix }) => toolPrefix !== true,
    consequence: 'nothing is served in this version, so no name gets a prefix',
  },
  {
    key: 'exports',
    isUsed: ({ exports }) => exports.tools.length > 0 || exports.skills.length > 0,
    consequence: 'nothing is served in this version, so these are not offered to anybody',
  },
]

/** A line for each key of the definition that has no effect in this version. */
export function laterKeys(definition: AgentDefinition): readonly string[] {
  return LATER_KEYS.filter((key) => key.isUsed(definition)).map(
    ({ key, consequence }) => `${key}: ${consequence}.`,
  )
}
