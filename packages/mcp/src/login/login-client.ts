import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { McpServerAuth } from '@troupe/schema'
import type { SavedLogin } from '../auth/saved-login.ts'

/** One login attempt behind the SDK's provider interface. Holds its state in memory only. */
export interface LoginClient {
  readonly provider: OAuthClientProvider
  /** Returns the address of the login page, or `undefined` if the SDK has not set it yet. */
  authorizationUrl(): URL | undefined
  /** Returns the state of the attempt. It has no tokens if the login has not succeeded. */
  login(): SavedLogin
}

/** Options of `createLoginClient`. */
export interface LoginClientOptions {
  /** Client name shown on the page of the authorization server. */
  readonly name: string
  readonly auth: McpServerAuth
  readonly redirectUrl: string
  /** Unguessable value that proves that a callback belongs to this attempt. */
  readonly state: string
  /** Previous login. Its client registration is reused if the redirect URL is the same. */
  readonly saved: SavedLogin | undefined
}

export function createLoginClient(options: LoginClientOptions): LoginClient {
  const { auth, redirectUrl, state } = options
  let client = knownClient(options)
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined
  let authorizationUrl: URL | undefined
  const metadata = clientMetadata(options)
  return {
    authorizationUrl: () => authorizationUrl,
    login: () => ({
      redirectUrl,
      ...(client === undefined ? {} : { client }),
      ...(tokens === undefined ? {} : { tokens }),
    }),
    provider: {
      redirectUrl,
      clientMetadata: metadata,
      ...(auth.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: auth.clientMetadataUrl }),
      state: () => state,
      clientInformation: () => client,
      saveClientInformation: (information) => void (client = information),
      tokens: () => tokens,
      saveTokens: (given) => void (tokens = given),
      redirectToAuthorization: (url) => void (authorizationUrl = url),
      saveCodeVerifier: (text) => void (verifier = text),
      codeVerifier: () => verifier,
      saveDiscoveryState: (found) => void (discovery = found),
      discoveryState: () => discovery,
    },
  }
}

/**
 * Returns the configured client, or else the one registered by the previous login if the redirect URL is the
 * same.
 */
function knownClient({
  auth,
  saved,
  redirectUrl,
}: LoginClientOptions): StoredOAuthClientInformation | undefined {
  const { clientId, clientSecret } = auth
  if (clientId !== undefined)
    return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
  return saved?.redirectUrl === redirectUrl ? saved.client : undefined
}

function clientMetadata({ name, redirectUrl, auth }: LoginClientOptions): OAuthClientMetadata {
  return {
    client_name: name,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    ...(auth.scope === undefined ? {} : { scope: auth.scope }),
  }
}
