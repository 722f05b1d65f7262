import { errorResponse, retryHeader } from '@troupe/headends'
import { failure, isJsonObject } from '@troupe/schema'
import { TOKEN_COOKIE, type Principals } from '../principals.ts'

/** Handles a sign-in: stores a known token in a cookie that no script can read and no other site can use. */
export async function signIn(
  request: Request,
  {
    principals,
    address,
    now,
  }: { readonly principals: Principals; readonly address: string; readonly now: number },
): Promise<Response> {
  if (request.method !== 'POST')
    return errorResponse(failure('method_unknown', 'The way in takes POST.'), { allow: 'POST' })
  const token = await readToken(request)
  const principal =
    token === undefined ? undefined : principals.identify(new Headers({ 'x-api-key': token }), address)
  if (typeof principal === 'object') return errorResponse(principal, retryHeader(principal, now))
  if (token === undefined || principal === undefined)
    return errorResponse(failure('token_required', 'This token is not known.'))
  const secure = isSecure(request) ? '; Secure' : ''
  const cookie = `${TOKEN_COOKIE}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Strict${secure}`
  return new Response(undefined, { status: 204, headers: { 'set-cookie': cookie } })
}

/**
 * Returns true if the page was loaded over TLS, which a proxy may have terminated. The origin has already
 * been checked.
 */
function isSecure({ url, headers }: Request): boolean {
  return (headers.get('origin') ?? url).startsWith('https:')
}

/** Returns the token in the body; `undefined` if there is none that a header could carry. */
async function readToken(request: Request): Promise<string | undefined> {
  if (!/^application\/json\b/iu.test(request.headers.get('content-type') ?? '')) return undefined
  const body: unknown = await request.json().catch(() => undefined) // Invalid JSON holds no token.
  const token = isJsonObject(body) ? body['token'] : undefined
  return typeof token === 'string' && /^[\x21-\x7e]{1,1000}$/u.test(token) ? token : undefined
}
