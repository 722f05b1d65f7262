import { AgentCard } from '@a2a-js/sdk'
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { createTaskHandler } from './task-handler.ts'
import { isLegacy, versionOf } from './version-of.ts'

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
