import { AgentCard, type AgentSkill, type SecurityScheme } from '@a2a-js/sdk'
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { AgentDefinition } from '@troupe/schema'
import { hash } from 'node:crypto'
import type { AuthenticationScheme, HeadendContext } from '../headend/headend.ts'
import { isLegacy, versionOf } from './a2a-error.ts'
import { INPUT_TYPES } from '../client-runs/input-types.ts'
import { OUTPUT_TYPES } from './read-message.ts'
import type { createTaskHandler } from './task-handler.ts'

/** A protocol version. */
export type A2AVersion = (typeof INTERFACES)[number]['protocolVersion']

/** Bindings with their protocol versions, the preferred one first. */
const INTERFACES = [
  { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
] as const

/** The address of an agent, and the ways to authenticate there. */
interface AgentAccess {
  readonly url: string
  /** Ways to authenticate. If it is `undefined`, there is only one card. */
  readonly authentication: HeadendContext['authentication']
  /** Served protocol versions. */
  readonly versions: readonly A2AVersion[]
}

/** Creates the A2A card of an agent for authenticated clients, or, without authentication, for everyone. */
export function toAgentCard(
  agent: AgentDefinition,
  { url, authentication, versions }: AgentAccess,
): AgentCard {
  const schemes = authentication ?? []
  return {
    name: agent.name,
    description: describe(agent),
    version: agent.version,
    supportedInterfaces: INTERFACES.filter(({ protocolVersion }) => versions.includes(protocolVersion)).map(
      (binding) => ({ ...binding, url, tenant: '' }),
    ),
    provider: undefined,
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: authentication !== undefined,
      extensions: [],
    },
    securitySchemes: Object.fromEntries(schemes.map((scheme) => [scheme.type, toSecurityScheme(scheme)])),
    // Each requirement is one scheme, because any of them is enough.
    securityRequirements: schemes.map(({ type }) => ({ schemes: { [type]: { list: [] } } })),
    defaultInputModes: [...INPUT_TYPES],
    defaultOutputModes: [...OUTPUT_TYPES],
    skills: skillsOf(agent),
    signatures: [],
  }
}

/**
 * Creates the card that needs no authentication. If the server has authentication, only an agent whose card
 * exports skills is described in it; others show their name and version.
 */
export function toPublicCard(agent: AgentDefinition, access: AgentAccess): AgentCard {
  const isDescribed = access.authentication === undefined || agent.exports.skills.length > 0
  if (isDescribed) return toAgentCard(agent, access)
  const { description: _description, usage: _usage, ...bare } = agent
  return toAgentCard(bare, access)
}

function toSecurityScheme(scheme: AuthenticationScheme): SecurityScheme {
  const description = ''
  if (scheme.type === 'bearer') {
    const value = { description, scheme: 'Bearer', bearerFormat: scheme.format ?? '' }
    return { scheme: { $case: 'httpAuthSecurityScheme', value } }
  }
  if (scheme.type === 'apiKey') {
    const value = { description, location: 'header', name: scheme.header }
    return { scheme: { $case: 'apiKeySecurityScheme', value } }
  }
  const value = { description, openIdConnectUrl: scheme.url }
  return { scheme: { $case: 'openIdConnectSecurityScheme', value } }
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
 * Returns the public card of an agent. Clients before 1.0 name no version. They get a card that is valid in both
 * versions, because some clients of 1.0 name none either.
 */
export async function cardResponse(
  request: Request,
  handler: ReturnType<typeof createTaskHandler>,
): Promise<Response> {
  const agentCard = await handler.getAgentCard()
  const card = AgentCard.toJSON(agentCard) as CardJson
  const hasLegacy = agentCard.supportedInterfaces.some(({ protocolVersion }) => isLegacy(protocolVersion))
  if (!hasLegacy || !isLegacy(versionOf(request))) return cacheableJson(request, card)
  // The only operation of this handler that returns a card in the format before 1.0.
  const legacy = new LegacyRestTransportHandler({
    ...handler,
    getAuthenticatedExtendedAgentCard: handler.getAgentCard,
  })
  const old = (await legacy.getAuthenticatedExtendedAgentCard(new ServerCallContext())) as unknown as CardJson
  return cacheableJson(request, mergeCards(card, old))
}

/** An agent card as JSON. */
interface CardJson {
  readonly capabilities?: object
  readonly securitySchemes?: Readonly<Record<string, object>>
  readonly [key: string]: unknown
}

/** Merges the cards of both versions. Where their formats differ, each has keys of its own. */
function mergeCards(card: CardJson, old: CardJson): CardJson {
  const { securitySchemes = {} } = card
  return {
    ...card,
    ...old,
    capabilities: { ...card.capabilities, ...old.capabilities },
    ...(card.securitySchemes === undefined
      ? {}
      : {
          securitySchemes: Object.fromEntries(
            Object.entries(securitySchemes).map(([name, scheme]) => [
              name,
              { ...scheme, ...old.securitySchemes?.[name] },
            ]),
          ),
        }),
  }
}

/** Creates a response that every cache may keep for five minutes, or 304 if the client has it already. */
function cacheableJson({ headers }: Request, value: unknown): Response {
  const body = JSON.stringify(value)
  const etag = `"${hash('sha256', body, 'base64url')}"`
  const caching = { etag, vary: 'A2A-Version', 'cache-control': 'public, max-age=300' }
  const known = (headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//u, ''))
  if (known.includes(etag) || known.includes('*'))
    return new Response(null, { status: 304, headers: caching })
  return new Response(body, { headers: { ...caching, 'content-type': 'application/json' } })
}
