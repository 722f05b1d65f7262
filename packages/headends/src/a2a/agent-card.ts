import type { AgentCard, AgentSkill } from '@a2a-js/sdk'
import type { AgentDefinition } from '@troupe/schema'

/** Supported protocol versions, the preferred one first. */
const VERSIONS = ['1.0', '0.3'] as const

const TEXT_TYPES = ['text/plain', 'application/json'] as const
/** Media types of files that are passed on to the model. */
const FILE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const

/** Creates the A2A card of an agent that is reached at `url`. */
export function toAgentCard(agent: AgentDefinition, url: string): AgentCard {
  return {
    name: agent.name,
    description: describe(agent),
    version: agent.version,
    supportedInterfaces: VERSIONS.map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
      tenant: '',
    })),
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [...TEXT_TYPES, ...FILE_TYPES],
    defaultOutputModes: [...TEXT_TYPES],
    skills: skillsOf(agent),
    signatures: [],
  }
}

/** Returns the skills of the agent's card. A card without skills gets one that describes the agent. */
function skillsOf(agent: AgentDefinition): AgentSkill[] {
  const { name, usage, exports } = agent
  const { skills } = exports
  if (skills.length === 0)
    return [
      toSkill({ id: name, name, description: describe(agent), examples: usage === undefined ? [] : [usage] }),
    ]
  return skills.map(toSkill)
}

function toSkill({
  id,
  name,
  description,
  tags = [],
  examples = [],
}: AgentDefinition['exports']['skills'][number]): AgentSkill {
  return {
    id,
    name,
    description,
    tags: [...tags],
    examples: [...examples],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  }
}

function describe({ name, description }: AgentDefinition): string {
  return description ?? `The agent ${name}.`
}
