import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  refreshAuthorization,
  type FetchLike,
  type OAuthServerInfo,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { loginRequiredError } from './login-session.ts'
import type { SavedLogin } from './login-store.ts'

/**
 * Refreshes the tokens after the server has rejected the access token. First checks that the server still
 * uses the same issuer, so that the refresh token is sent to no other. Rejects with `mcp_needs_auth` if a
 * person has to log in again.
 */
export async function refreshLogin(
  { tokens, client }: SavedLogin,
  context: {
    readonly server: string
    readonly serverUrl: URL
    /** The 401 response with the server's challenge. */
    readonly response: Response
    readonly fetch: FetchLike
  },
): Promise<StoredOAuthTokens> {
  const { server, response, serverUrl, fetch: fetchFn } = context
  const refreshToken = tokens?.refresh_token
  if (client === undefined || refreshToken === undefined) throw loginRequiredError(server, 'expired')
  try {
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(response)
    const found = await discoverOAuthServerInfo(serverUrl, {
      fetchFn,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    })
    if (issuerOf(found) !== tokens?.issuer) throw loginRequiredError(server, 'expired')
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
    throw loginRequiredError(server, 'expired', thrown)
  }
}

function issuerOf({ authorizationServerMetadata, authorizationServerUrl }: OAuthServerInfo): string {
  return authorizationServerMetadata?.issuer ?? authorizationServerUrl
}

/** Returns the resource from the metadata, or `undefined` if it does not cover the server. */
function resourceOf({ resourceMetadata }: OAuthServerInfo, serverUrl: URL): URL | undefined {
  if (resourceMetadata === undefined) return undefined
  const configuredResource = new URL(resourceMetadata.resource)
  return checkResourceAllowed({ requestedResource: serverUrl, configuredResource })
    ? configuredResource
    : undefined
}
