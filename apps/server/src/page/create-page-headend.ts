import { errorResponse, type Headend } from '@troupe/headends'
import { failure, type Clock } from '@troupe/schema'
import { getPathNoStrict } from 'hono/utils/url'
import { chooseEncoding } from '../compress.ts'
import type { Principals } from '../principals.ts'
import { readPageFiles, type PageFile } from './page-files.ts'
import { signIn } from './sign-in.ts'

/**
 * Content security policy of the page: its own scripts, styles, fonts and images, requests to its own origin,
 * and nothing else.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SIGN_IN = '/api/sign-in'

/**
 * Creates the headend of the web page (`GET /`), its files and the sign-in. They need no token, because they
 * contain nothing about the team.
 */
export function createPageHeadend({
  folder,
  principals,
  clock,
}: {
  /** Folder of the built page; `undefined` if it is not built. */
  readonly folder: string | undefined
  readonly principals: Principals
  readonly clock: Pick<Clock, 'now'>
}): Headend {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined
  return {
    name: 'web',
    paths: ['/', '/assets/*', '/theme.js', '/icon.svg', '/third-party-notices.md', SIGN_IN],
    async fetch(request, { address = '' }) {
      const pathname = getPathNoStrict(request)
      if (pathname === SIGN_IN) return signIn(request, { principals, address, now: clock.now() })
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return errorResponse(failure('method_unknown', `${pathname} takes GET.`), { allow: 'GET, HEAD' })
      files ??= folder === undefined ? Promise.resolve(new Map()) : readPageFiles(folder)
      const file = (await files).get(pathname === '/' ? '/index.html' : pathname)
      if (file !== undefined) return answerFile(request, file)
      if (pathname === '/') return notBuilt()
      return errorResponse(failure('route_unknown', `The page has no file ${pathname}.`))
    },
    examples: ({ origin, credentials }) => [
      { title: 'Web page', url: `${origin}/`, command: `curl -s ${credentials}${origin}/` },
    ],
  }
}

/** Returns true for the paths that need no token. */
export function isPagePath(path: string): boolean {
  return /^\/(?:$|assets\/|theme\.js$|icon\.svg$|third-party-notices\.md$|api\/sign-in$)/u.test(path)
}

function answerFile(request: Request, file: PageFile): Response {
  const encoding = chooseEncoding(request.headers.get('accept-encoding'), [...file.encoded.keys()])
  const { bytes, etag } = (encoding === undefined ? undefined : file.encoded.get(encoding)) ?? file
  const headers = {
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'Accept-Encoding',
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
  if (request.headers.get('if-none-match') === etag) return new Response(undefined, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? undefined : bytes, { headers })
}

function notBuilt(): Response {
  return new Response(
    'The page is not built. In a clone, `pnpm build` builds it; a published server brings it along.\n' +
      'All protocols are served without it: see /openapi.json.\n',
    { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' } },
  )
}
