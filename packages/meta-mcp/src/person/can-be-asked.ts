import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { getOwn, isJsonObject } from '@troupe/schema'

/** True where the client of a call can show a form to a person: it says so with each request, or in the older era when it connects. */
export function canBeAsked(server: Server, { mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities: unknown =
    envelope === undefined ? server.getClientCapabilities() : getOwn(envelope, CLIENT_CAPABILITIES_META_KEY)
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined
  if (!isJsonObject(elicitation)) return false
  // a client that says nothing more means forms
  return elicitation['form'] !== undefined || elicitation['url'] === undefined
}
