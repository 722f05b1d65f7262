import { randomBytes } from 'node:crypto'
import { createContainmentProbe } from '@troupe/process'
import { troupeError } from '@troupe/schema'
import { openConnection } from '../connection/open-connection.ts'
import { toServerTarget, type HttpTarget } from '../target/server-target.ts'
import { createAuthorizationFetch } from '../auth/authorization-fetch.ts'
import { createInteractiveSession } from './interactive-session.ts'
import { createLoginClient } from './login-client.ts'
import type { LogInOptions } from './log-in.ts'
import { openLoopbackCallback, type LoopbackCallback } from './loopback-callback.ts'
import type { LoginKey, SavedLogin } from '../auth/saved-login.ts'

const LOGIN_TIMEOUT = 10 * 60 * 1000
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** Runs the login that `logIn` documents. */
export async function attemptLogin(options: LogInOptions): Promise<{ readonly tools: number }> {
  const target = httpTarget(options)
  const key: LoginKey = { url: target.url.href, principal: options.principal }
  const saved = await options.store.read(key)
  const state = randomBytes(32).toString('base64url')
  const callback = await openCallback(options, state, saved)
  try {
    return await attempt({ options, target, key, state, saved, callback })
  } finally {
    await callback.close()
  }
}

interface LoginAttempt {
  readonly options: LogInOptions
  readonly target: HttpTarget
  readonly key: LoginKey
  readonly state: string
  readonly saved: SavedLogin | undefined
  readonly callback: LoopbackCallback
}

async function attempt({
  options,
  target,
  key,
  state,
  saved,
  callback,
}: LoginAttempt): Promise<{ readonly tools: number }> {
  const { server, config, store, clock, timeout = LOGIN_TIMEOUT } = options
  const { auth = {} } = config
  const { redirectUrl } = callback
  const session = createInteractiveSession({
    server,
    saved,
    attempt: (before) =>
      createLoginClient({ name: options.client.name, auth, redirectUrl, state, saved: before }),
    fetch: createAuthorizationFetch({ clock }),
    scope: auth.scope,
    show: (url) => options.show(url),
    answer: () => callback.answer(),
  })
  const connection = await openConnection(target, {
    client: options.client,
    clock,
    startTimeout: timeout,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    running: new Set(),
    containment: createContainmentProbe(),
    listener: { warn: () => undefined, listChanged: () => undefined },
    signal: options.signal ?? new AbortController().signal,
    session,
  })
  try {
    const tools = await connection.listTools()
    // Some servers list their tools without a login and require one only for calls.
    if (session.login().tokens === undefined) await session.logIn({ serverUrl: target.url })
    await store.write(key, session.login())
    return { tools: tools.length }
  } finally {
    await connection.close()
  }
}

/**
 * Opens the callback on the port of the previous login if it is free, because the client registration is
 * bound to that port.
 */
async function openCallback(
  { config }: LogInOptions,
  state: string,
  saved: SavedLogin | undefined,
): Promise<LoopbackCallback> {
  const port = config.auth?.redirectPort
  if (port !== undefined) return openLoopbackCallback({ state, port })
  const before = saved?.redirectUrl === undefined ? 0 : Number(new URL(saved.redirectUrl).port)
  return openLoopbackCallback({ state, port: before }).catch(() => openLoopbackCallback({ state }))
}

function httpTarget({ server, config }: LogInOptions): HttpTarget {
  const target = toServerTarget({ server, config, folder: '/', baseEnv: {} })
  if (target.kind === 'http') return target
  throw troupeError('mcp_bad_config', `The MCP server "${server}" runs as a process and has no login.`, {
    fix: 'Only servers with a `url` have logins. Pass the key of this one in `env`.',
  })
}
