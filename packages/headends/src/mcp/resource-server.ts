import {
  OAuthError,
  OAuthErrorCode,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
  type AuthMetadataOptions,
} from '@modelcontextprotocol/server'
import type { Failure, JsonObject } from '@troupe/schema'
import type { Handler, HeadendContext } from '../headend/headend.ts'
import { withErrorResponse } from '../routes/routes.ts'

/** The authorization server whose tokens the MCP endpoints accept. */
export interface McpAuthorization {
  readonly issuer: string
  /** Scopes that a token needs. */
  readonly scopes: readonly string[]
  /** Returns the metadata of the authorization server. */
  metadata(): Promise<JsonObject>
}

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
const SERVER_METADATA = '/.well-known/oauth-authorization-server'

/** Returns true for the paths of OAuth metadata, which clients read before they have a token. */
export function isOAuthMetadataPath(path: string): boolean {
  return path === RESOURCE_METADATA || path.startsWith(`${RESOURCE_METADATA}/`) || path === SERVER_METADATA
}

/**
 * Creates the handlers of the OAuth metadata by path. All paths of the MCP endpoints are one resource, `/mcp`,
 * so its metadata is also served for the paths below it, and without a path.
 */
export function metadataHandlers(
  authorization: McpAuthorization,
  context: Pick<HeadendContext, 'publicUrl'>,
): Readonly<Record<string, { readonly GET: Handler }>> {
  const { issuer, scopes } = authorization
  const answer = (request: Request, path: string, oauthMetadata: JsonObject): Response => {
    const resourceServerUrl = resourceUrl(request, context)
    const url = path === SERVER_METADATA ? new URL(path, resourceServerUrl) : metadataUrl(request, context)
    const options = {
      oauthMetadata: oauthMetadata as unknown as AuthMetadataOptions['oauthMetadata'],
      resourceServerUrl,
      ...(scopes.length === 0 ? {} : { scopesSupported: [...scopes] }),
    }
    return oauthMetadataResponse(new Request(url), options) ?? new Response(undefined, { status: 404 })
  }
  const readResource: Handler = ({ req }) => answer(req.raw, RESOURCE_METADATA, { issuer })
  const readServer: Handler = async ({ req }) =>
    answer(req.raw, SERVER_METADATA, await authorization.metadata())
  return {
    [RESOURCE_METADATA]: { GET: readResource },
    [`${RESOURCE_METADATA}/mcp`]: { GET: readResource },
    [`${RESOURCE_METADATA}/mcp/*`]: { GET: readResource },
    [SERVER_METADATA]: { GET: withErrorResponse(readServer) },
  }
}

/**
 * Returns the `WWW-Authenticate` header for a request that is rejected because of its token. On the MCP
 * endpoints it says where clients find the metadata.
 */
export function bearerChallenge(
  request: Request,
  reason: Failure,
  {
    authorization,
    ...context
  }: Pick<HeadendContext, 'publicUrl'> & { readonly authorization: McpAuthorization | undefined },
): string {
  if (authorization === undefined) return 'Bearer'
  const code =
    reason.code === 'scope_required' ? OAuthErrorCode.InsufficientScope : OAuthErrorCode.InvalidToken
  const isMcp = /^\/mcp(?:\/|$)/u.test(new URL(request.url).pathname)
  const { headers } = bearerAuthChallengeResponse(new OAuthError(code, reason.message), {
    requiredScopes: [...authorization.scopes],
    ...(isMcp ? { resourceMetadataUrl: metadataUrl(request, context) } : {}),
  })
  return headers.get('www-authenticate') ?? 'Bearer'
}

function metadataUrl(request: Request, context: Pick<HeadendContext, 'publicUrl'>): string {
  return getOAuthProtectedResourceMetadataUrl(resourceUrl(request, context))
}

function resourceUrl(request: Request, { publicUrl }: Pick<HeadendContext, 'publicUrl'>): URL {
  return new URL(`${publicUrl ?? new URL(request.url).origin}/mcp`)
}
