import { AgentCard } from '@a2a-js/sdk'
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { createTaskHandler } from './task-handler.ts'
import { isLegacy, versionOf } from './version-of.ts'

/** The card of an agent. Clients before 1.0 name no version: they get theirs, with the interfaces of 1.0 in it, so that a client of either kind finds its way. */
export async function cardResponse(
  request: Request,
  handler: ReturnType<typeof createTaskHandler>,
): Promise<Response> {
  const card = AgentCard.toJSON(await handler.getAgentCard()) as Readonly<Record<string, unknown>>
  const headers = { vary: 'A2A-Version', 'cache-control': 'no-cache' }
  if (!isLegacy(versionOf(request))) return Response.json(card, { headers })
  // the only one of its operations that gives a card as it was before 1.0
  const legacy = new LegacyRestTransportHandler({
    ...handler,
    getAuthenticatedExtendedAgentCard: handler.getAgentCard,
  })
  const old = await legacy.getAuthenticatedExtendedAgentCard(new ServerCallContext())
  return Response.json({ ...old, supportedInterfaces: card['supportedInterfaces'] }, { headers })
}
