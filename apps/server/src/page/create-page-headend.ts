import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  errorResponse,
  isFailure,
  type Headend,
  type HandlerContext,
  type HeadendApp,
  retryHeader,
} from '@troupe/headends'
import { failure, type Clock, isJsonObject } from '@troupe/schema'
import { Hono } from 'hono'
import { chooseEncoding, type Encoding } from '../gate/compress.ts'
import { type Principals, TOKEN_COOKIE } from '../gate/principals.ts'

/**
 * Content security policy of the page: its own scripts, styles, fonts and manifest, images and frames of its own
 * origin or made from bytes in the page, requests to its own origin, and nothing else.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "frame-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SIGN_IN = '/api/sign-in'

/** The frame that draws diagrams. */
const FRAME = '/diagram.html'

/**
 * Content security policy of the frame: it has no origin, sends no request and can only be shown in the page. The file
 * itself allows only its own script.
 */
const FRAME_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** Files of the page beside the folder `assets`. */
const ROOT_FILES: ReadonlySet<string> = new Set([
  '/theme.js',
  '/sw.js',
  '/icon.svg',
  '/icon-192.png',
  '/icon-512.png',
  '/manifest.webmanifest',
  '/third-party-notices.md',
  '/diagram-notices.md',
  FRAME,
])

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
  const readFile = async ({ req: { path, method, raw } }: HandlerContext): Promise<Response> => {
    if (method !== 'GET' && method !== 'HEAD')
      return errorResponse(failure('method_unknown', `${path} only accepts GET.`), { allow: 'GET, HEAD' })
    files ??= folder === undefined ? Promise.resolve(new Map()) : readPageFiles(folder)
    const file = (await files).get(path === '/' ? '/index.html' : path)
    if (file !== undefined) return answerFile(raw, file, path === FRAME ? FRAME_POLICY : POLICY)
    if (path === '/') return notBuilt()
    return errorResponse(failure('route_unknown', `The page has no file ${path}.`))
  }
  const app: HeadendApp = new Hono({ strict: false })
  app.all(SIGN_IN, ({ req, env: { caller } }) =>
    signIn(req.raw, { principals, address: caller.address ?? '', now: clock.now() }),
  )
  for (const path of ['/', '/assets/*', ...ROOT_FILES]) app.all(path, readFile)
  return {
    name: 'web',
    app,
    examples: ({ origin, credentials }) => [
      { title: 'Web page', url: `${origin}/`, command: `curl -s ${credentials}${origin}/` },
    ],
  }
}

/** Returns true for the paths that need no token. */
export function isPagePath(path: string): boolean {
  return path === '/' || path === SIGN_IN || path.startsWith('/assets/') || ROOT_FILES.has(path)
}

function answerFile(request: Request, file: PageFile, policy: string): Response {
  const encoding = chooseEncoding(request.headers.get('accept-encoding'), [...file.encoded.keys()])
  const { bytes, etag } = (encoding === undefined ? undefined : file.encoded.get(encoding)) ?? file
  const headers = {
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'Accept-Encoding',
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
  if (request.headers.get('if-none-match') === etag) return new Response(undefined, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? undefined : bytes, { headers })
}

function notBuilt(): Response {
  return new Response(
    'The web page has not been built. In a clone of the repository, run `pnpm build`; published packages include it.\n' +
      'All protocols work without it: see /openapi.json.\n',
    { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' } },
  )
}

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
    return errorResponse(failure('method_unknown', 'Signing in requires POST.'), { allow: 'POST' })
  const token = await readToken(request)
  const caller =
    token === undefined ? undefined : await principals.identify(new Headers({ 'x-api-key': token }), address)
  if (caller !== undefined && isFailure(caller)) return errorResponse(caller, retryHeader(caller, now))
  if (token === undefined || caller === undefined)
    return errorResponse(failure('token_required', 'The token is not valid.'))
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
  return typeof token === 'string' && /^[\x21-\x7e]{1,4000}$/u.test(token) ? token : undefined
}

/** A file of the page in one encoding. */
interface EncodedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

/** A file of the page in all available encodings. */
interface PageFile extends EncodedFile {
  readonly type: string
  /** True if the name changes with the content, so that clients may cache the file forever. */
  readonly isHashed: boolean
  /** Compressed versions from the build of the page, the smallest first. */
  readonly encoded: ReadonlyMap<Encoding, EncodedFile>
}

/** Encodings by the extension that the build of the page adds. */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['.br', 'br'],
  ['.gz', 'gzip'],
])

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.md': 'text/plain; charset=utf-8',
}

/**
 * Reads the files of a folder, by URL path such as `/assets/index-1a2b.js`. Requests are answered from this
 * map, never from disk.
 */
async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = await Promise.all(
    files.map(async (file) => {
      const path = `/${relative(folder, file).split(sep).join('/')}`
      return [path, toEncodedFile(await readFile(file))] as const
    }),
  )
  const all = new Map(read)
  return new Map(
    read.flatMap(([path, file]) =>
      ENCODINGS.has(extname(path)) ? [] : [[path, toPageFile(path, file, all)]],
    ),
  )
}

function toEncodedFile(content: Uint8Array): EncodedFile {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  return { bytes: new Uint8Array(content), etag: `"${digest}"` }
}

function toPageFile(path: string, file: EncodedFile, all: ReadonlyMap<string, EncodedFile>): PageFile {
  const encoded = [...ENCODINGS].flatMap(([ending, encoding]) => {
    const one = all.get(path + ending)
    return one === undefined ? [] : [[encoding, one] as const]
  })
  return {
    ...file,
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    isHashed: path.startsWith('/assets/'),
    encoded: new Map(encoded),
  }
}

/** Possible folders of the built page: beside the built server, or in a clone. */
const CANDIDATES: readonly URL[] = [
  new URL('./public/', import.meta.url),
  new URL('../../../web/dist/', import.meta.url),
]

/** Returns the folder of the built page, or `undefined` if it is not built. */
export function pageFolder(): string | undefined {
  const folder = CANDIDATES.find((one) => existsSync(new URL('index.html', one)))
  return folder === undefined ? undefined : fileURLToPath(folder)
}
