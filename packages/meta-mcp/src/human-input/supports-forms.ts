import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { getOwn, isJsonObject } from '@troupe/schema'

/**
 * Returns true if the client of a call supports form elicitation. Clients declare it with each request, or in
 * the older protocol when they connect.
 */
export function supportsForms(server: Server, { mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities: unknown =
    envelope === undefined ? server.getClientCapabilities() : getOwn(envelope, CLIENT_CAPABILITIES_META_KEY)
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined
  if (!isJsonObject(elicitation)) return false
  // an empty capability means forms
  return elicitation['form'] !== undefined || elicitation['url'] === undefined
}
