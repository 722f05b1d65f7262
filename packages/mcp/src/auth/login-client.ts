import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { McpServerAuth } from '@troupe/schema'
import type { SavedLogin } from './saved-login.ts'

/** One attempt to log in, in the form that the SDK drives. Everything it learns stays in memory until it succeeded. */
export interface LoginClient {
  readonly provider: OAuthClientProvider
  /** Where the person has to go, once the SDK knows. */
  authorizationUrl(): URL | undefined
  /** What came of it; without tokens: nothing. */
  login(): SavedLogin
}

/** What an attempt starts with. */
export interface LoginClientOptions {
  /** Our name, which the person reads on the page of the authorization server. */
  readonly name: string
  readonly auth: McpServerAuth
  readonly redirectUrl: string
  /** Unguessable: what comes back with it was started by us. */
  readonly state: string
  /** The login before; its registration is used again where it fits. */
  readonly saved: SavedLogin | undefined
}

/** An attempt that has not begun. */
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

/** One that was registered by hand, or the one of the login before: a registration is for one address to come back to. */
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
