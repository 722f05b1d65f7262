import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage, troupeError } from '@troupe/schema'

const HOST = '127.0.0.1'
const PATH = '/callback'

/** Parameters of the redirect from the authorization server. */
export interface CallbackAnswer {
  readonly code: string
  /** Issuer of the code, as named by the redirect. */
  readonly iss?: string
}

/** A local HTTP server that receives the redirect of the browser. */
export interface LoopbackCallback {
  /** For example `http://127.0.0.1:49152/callback`. */
  readonly redirectUrl: string
  /**
   * Resolves with the first redirect since the previous call. Rejects with `mcp_auth_failed` if the login was
   * refused.
   */
  answer(): Promise<CallbackAnswer>
  close(): Promise<void>
}

/**
 * Starts the local server, on a free port if none is given. Requests without the right `state` get a 400
 * response and have no effect. The response page never shows input from the browser. Rejects with
 * `mcp_auth_failed` if the port is in use.
 */
export async function openLoopbackCallback(options: {
  readonly state: string
  readonly port?: number | undefined
}): Promise<LoopbackCallback> {
  const { state, port = 0 } = options
  let next = expectAnswer()
  const server = createServer((request, response) => {
    const answer = readAnswer(request, state)
    if (answer === undefined)
      return reply(response, 400, 'This request does not belong to the current login.')
    if ('refusal' in answer) {
      reply(response, 200, 'The login was refused. You can close this window.')
      return next.reject(troupeError('mcp_auth_failed', `The login was refused: ${answer.refusal}.`))
    }
    reply(response, 200, 'You are logged in. You can close this window.')
    next.resolve(answer)
  })
  await listen(server, port)
  return {
    redirectUrl: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    async answer() {
      const { promise } = next
      try {
        return await promise
      } finally {
        next = expectAnswer()
      }
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

function expectAnswer(): PromiseWithResolvers<CallbackAnswer> {
  const expected = Promise.withResolvers<CallbackAnswer>()
  // avoid an unhandled rejection if the refusal arrives before `answer` is called
  expected.promise.catch(() => undefined)
  return expected
}

function readAnswer(
  { url = '/', method }: IncomingMessage,
  state: string,
): CallbackAnswer | { readonly refusal: string } | undefined {
  if (method !== 'GET' || !URL.canParse(url, `http://${HOST}`)) return undefined
  const { pathname, searchParams } = new URL(url, `http://${HOST}`)
  if (pathname !== PATH || searchParams.get('state') !== state) return undefined
  const code = searchParams.get('code')
  const iss = searchParams.get('iss')
  if (code === null) return { refusal: searchParams.get('error') ?? 'the redirect contained no code' }
  return { code, ...(iss === null ? {} : { iss }) }
}

function reply(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .end(`${text}\n`)
}

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, HOST, resolve)
  try {
    await promise
  } catch (thrown) {
    throw troupeError(
      'mcp_auth_failed',
      `Port ${port} of ${HOST} cannot be used for the login redirect: ${errorMessage(thrown)}.`,
      { fix: 'Set another `auth.redirectPort`, or stop the program that uses the port.', cause: thrown },
    )
  }
}
