import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  refreshAuthorization,
  type FetchLike,
  type OAuthServerInfo,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { needsLogin } from './needs-login.ts'
import type { SavedLogin } from './saved-login.ts'

/**
 * New tokens for a login whose access token is refused. Tokens go to the issuer that gave them and to no other: who issues them now is
 * asked first. Rejects with `mcp_needs_auth` when only a person can help.
 */
export async function refreshLogin(
  { tokens, client }: SavedLogin,
  context: {
    readonly server: string
    readonly serverUrl: URL
    /** The refusal that says what is wanted. */
    readonly response: Response
    readonly fetch: FetchLike
  },
): Promise<StoredOAuthTokens> {
  const { server, response, serverUrl, fetch: fetchFn } = context
  const refreshToken = tokens?.refresh_token
  if (client === undefined || refreshToken === undefined) throw needsLogin(server, 'expired')
  try {
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(response)
    const found = await discoverOAuthServerInfo(serverUrl, {
      fetchFn,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    })
    if (issuerOf(found) !== tokens?.issuer) throw needsLogin(server, 'expired')
    const resource = resourceOf(found, serverUrl)
    return await refreshAuthorization(found.authorizationServerUrl, {
      clientInformation: client,
      refreshToken,
      fetchFn,
      ...(found.authorizationServerMetadata === undefined
        ? {}
        : { metadata: found.authorizationServerMetadata }),
      ...(resource === undefined ? {} : { resource }),
    })
  } catch (thrown) {
    throw needsLogin(server, 'expired', thrown)
  }
}

function issuerOf({ authorizationServerMetadata, authorizationServerUrl }: OAuthServerInfo): string {
  return authorizationServerMetadata?.issuer ?? authorizationServerUrl
}

/** The resource that the token is for, as its metadata names it; one that does not cover the server counts as none. */
function resourceOf({ resourceMetadata }: OAuthServerInfo, serverUrl: URL): URL | undefined {
  if (resourceMetadata === undefined) return undefined
  const configuredResource = new URL(resourceMetadata.resource)
  return checkResourceAllowed({ requestedResource: serverUrl, configuredResource })
    ? configuredResource
    : undefined
}
