import { AgentCard, type AgentSkill } from '@a2a-js/sdk'
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { AgentDefinition } from '@troupe/schema'
import { isLegacy, versionOf } from './a2a-error.ts'
import { INPUT_TYPES, OUTPUT_TYPES } from './read-message.ts'
import type { createTaskHandler } from './task-handler.ts'

/** Bindings with their protocol versions, the preferred one first. */
const INTERFACES = [
  { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
] as const

/** Creates the A2A card of an agent that is reached at `url`. */
export function toAgentCard(agent: AgentDefinition, url: string): AgentCard {
  return {
    name: agent.name,
    description: describe(agent),
    version: agent.version,
    supportedInterfaces: INTERFACES.map((binding) => ({ ...binding, url, tenant: '' })),
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [...INPUT_TYPES],
    defaultOutputModes: [...OUTPUT_TYPES],
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

/**
 * Returns the card of an agent. Clients before 1.0 name no version and get a 0.3 card that also lists the 1.0
 * interfaces, so that either kind of client can use it.
 */
export async function cardResponse(
  request: Request,
  handler: ReturnType<typeof createTaskHandler>,
): Promise<Response> {
  const card = AgentCard.toJSON(await handler.getAgentCard()) as Readonly<Record<string, unknown>>
  const headers = { vary: 'A2A-Version', 'cache-control': 'no-cache' }
  if (!isLegacy(versionOf(request))) return Response.json(card, { headers })
  // The only operation of this handler that returns a card in the format before 1.0.
  const legacy = new LegacyRestTransportHandler({
    ...handler,
    getAuthenticatedExtendedAgentCard: handler.getAgentCard,
  })
  const old = await legacy.getAuthenticatedExtendedAgentCard(new ServerCallContext())
  return Response.json({ ...old, supportedInterfaces: card['supportedInterfaces'] }, { headers })
}
