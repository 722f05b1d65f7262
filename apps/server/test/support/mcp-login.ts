import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

const CALLBACK = 'http://127.0.0.1:1/callback'

/** An MCP host that logs in with a browser. */
export interface LoginHost extends OAuthClientProvider {
  /** Logs in as a user in a browser. Returns the parameters of the callback. */
  browse(user: string): Promise<URLSearchParams>
}

/** Creates a host that has no client id yet. */
export function createLoginHost(): LoginHost {
  let client: StoredOAuthClientInformation | undefined
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let page: URL | undefined
  let discovery: OAuthDiscoveryState | undefined
  return {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'Test host',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    clientInformation: () => client,
    saveClientInformation: (information) => void (client = information),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    redirectToAuthorization: (url) => void (page = url),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    discoveryState: () => discovery,
    saveDiscoveryState: (state) => void (discovery = state),
    async browse(user) {
      if (page === undefined) throw new TypeError('the host was not asked to log in')
      return (await logIn(page, user)).searchParams
    },
  }
}

/** Follows the pages of the provider like a browser: signs in, consents, and stops at the callback. */
async function logIn(page: URL, user: string): Promise<URL> {
  const cookies = new Map<string, string>()
  const open = async (url: URL, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split(/=(.*)/su) ?? []
      cookies.set(name, value)
    }
    return response
  }
  let url = page
  let response = await open(url)
  for (let step = 0; step < 12; step += 1) {
    const location = response.headers.get('location')
    if (location === null) {
      const html = await response.text()
      const prompt = /name="prompt" value="(\w+)"/u.exec(html)?.[1]
      if (prompt === undefined)
        throw new TypeError(`the provider shows ${response.status}: ${html.slice(0, 2000)}`)
      response = await open(url, { prompt, login: user, password: 'x' })
    } else {
      url = new URL(location, url)
      if (url.href.startsWith(CALLBACK)) return url
      response = await open(url)
    }
  }
  throw new TypeError('the login does not end')
}
