import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage, getOwn, isJsonObject, troupeError, type JsonObject } from '@troupe/schema'
import { agentViewMethods, workspaceMethods, createFakeViews } from './workspace-methods.ts'
import {
  type FakeSlack,
  type FakeSlackOptions,
  type SlackCall,
  ACME,
  type FakeWorkspace,
  sendSigned,
} from './fake-slack.ts'
import { createFakeFiles } from './fake-files.ts'
import { createFakeMessageStore } from './fake-message.ts'
import { messageMethods, threadMethods, streamMethods } from './message-methods.ts'
import {
  isRefused,
  readArguments,
  readBody,
  refuse,
  textOf,
  type SlackMethod,
  type SlackRefusal,
  eventRequirements,
  neededScopes,
} from './method-call.ts'
import { createFakeSocketMode } from './fake-socket-mode.ts'

const APP_TOKEN = 'xapp-fake-000000000000'
const SIGNING_SECRET = 'fake-signing-secret-000'

/** Starts a fake Slack on 127.0.0.1 and a free port. */
export async function startFakeSlack({
  workspaces = [ACME],
  appToken = APP_TOKEN,
  signingSecret = SIGNING_SECRET,
  events,
}: FakeSlackOptions = {}): Promise<FakeSlack> {
  const messages = createFakeMessageStore()
  const fakeFiles = createFakeFiles(() => origin)
  const fakeViews = createFakeViews(Date.now)
  const calls: SlackCall[] = []
  const responses: JsonObject[] = []
  const limits = new Map<string, { times: number; readonly retryAfter: number }>()
  const failures = new Map<string, string>()
  const held = new Set<string>()
  const watchers = new Set<() => void>()
  const methods: Readonly<Record<string, SlackMethod>> = {
    ...workspaceMethods,
    ...messageMethods,
    ...streamMethods,
    ...fakeFiles.methods,
    ...fakeViews.methods,
    ...threadMethods,
    ...agentViewMethods,
  }
  const byToken = new Map<string, FakeWorkspace>(workspaces.map((each) => [each.botToken, each]))

  async function callMethod(
    method: string,
    token: string,
    args: JsonObject,
  ): Promise<JsonObject | SlackRefusal> {
    if (method === 'apps.connections.open')
      return token === appToken ? { url: `${origin.replace('http', 'ws')}/socket` } : refuse('invalid_auth')
    const workspace = byToken.get(token)
    if (workspace === undefined) return refuse('invalid_auth')
    const failure = failures.get(method)
    if (failure !== undefined) return failures.delete(method) ? refuse(failure) : {}
    const needed = neededScopes(method, args)
    if (needed.length > 0 && needed.every((scope) => !mayUse(workspace, scope)))
      return refuse('missing_scope')
    const run = getOwn(methods, method)
    return run === undefined ? refuse('unknown_method') : run({ workspace, args, messages })
  }

  async function answerCall(
    incoming: IncomingMessage,
    response: ServerResponse,
    method: string,
  ): Promise<void> {
    const { token, args } = readArguments(incoming, await readBody(incoming))
    const limit = limits.get(method)
    if (limit !== undefined && limit.times > 0) {
      limit.times -= 1
      calls.push({ method, team: byToken.get(token)?.team, args, error: 'ratelimited' })
      return send(response, {
        status: 429,
        body: { ok: false, error: 'ratelimited' },
        retryAfter: limit.retryAfter,
      })
    }
    const answer = await callMethod(method, token, args)
    const refused = isRefused(answer)
    const error = refused ? { error: answer.refused } : {}
    calls.push({ method, team: byToken.get(token)?.team, args, ...error })
    const scopes = byToken.get(token)?.scopes
    if (!held.delete(method))
      send(response, {
        status: 200,
        body: refused ? { ok: false, ...error } : { ok: true, ...answer },
        ...(scopes === undefined ? {} : { scopes }),
      })
    for (const look of watchers) look()
  }

  /** Sends a file. Without access, Slack responds with a login page and status 200. */
  function sendFile(incoming: IncomingMessage, response: ServerResponse, id: string): void {
    const [, token = ''] = /^Bearer (\S+)$/u.exec(incoming.headers.authorization ?? '') ?? []
    const workspace = byToken.get(token)
    const file = fakeFiles.offered(id)
    const isRead = workspace !== undefined && mayUse(workspace, 'files:read') && file !== undefined
    response.writeHead(200, { 'content-type': isRead ? file.mimetype : 'text/html; charset=utf-8' })
    response.end(isRead ? file.content : '<html>Sign in to Slack</html>')
  }

  function checkEvent({ team_id: team, event }: JsonObject): void {
    if (!isJsonObject(event)) return
    const { name, scope } = eventRequirements(event)
    if (events?.includes(name) === false)
      throw troupeError('usage_invalid', `The app has not subscribed to ${name}.`)
    const workspace = workspaces.find((each) => each.team === team)
    if (scope !== undefined && workspace !== undefined && !mayUse(workspace, scope))
      throw troupeError('usage_invalid', `${name} needs ${scope}.`)
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, area = '', name = ''] = (incoming.url ?? '').split('/')
    if (area === 'api') return answerCall(incoming, response, name)
    if (area === 'files') return sendFile(incoming, response, name)
    const body = await readBody(incoming)
    if (area === 'upload') {
      const content = textOf(readArguments(incoming, body).args, 'body') ?? ''
      return send(response, { status: fakeFiles.receive(name, content) ? 200 : 404, body: {} })
    }
    const said: unknown = JSON.parse(body)
    if (isJsonObject(said)) responses.push(said)
    send(response, { status: 200, body: { ok: true } })
    for (const look of watchers) look()
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) =>
      send(response, { status: 500, body: { ok: false, error: errorMessage(thrown) } }),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const socket = createFakeSocketMode(server, checkEvent)

  const slack: FakeSlack = {
    apiUrl: `${origin}/api/`,
    appToken,
    signingSecret,
    socket,
    calls,
    messages: () => messages.all(),
    files: fakeFiles.files,
    views: fakeViews.views,
    responses,
    responseUrl: `${origin}/response/1`,
    trigger: () => fakeViews.trigger(),
    limit: (method, { times, retryAfter }) => void limits.set(method, { times, retryAfter }),
    fail: (method, error) => void failures.set(method, error),
    post(url, body, options) {
      checkEvent(body)
      return sendSigned(url, body, { ...options, signingSecret })
    },
    hold: (method) => void held.add(method),
    expireStreams() {
      for (const message of messages.all())
        if (message.state === 'streaming') messages.change(message, { state: 'expired' })
    },
    offer: (file) => fakeFiles.offer(file),
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition(slack)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    close() {
      socket.close()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
  return slack
}

function mayUse({ scopes }: FakeWorkspace, scope: string): boolean {
  return scopes?.includes(scope) !== false
}

function send(
  response: ServerResponse,
  answer: {
    readonly status: number
    readonly body: unknown
    readonly retryAfter?: number
    readonly scopes?: readonly string[]
  },
): void {
  const { status, body, retryAfter, scopes } = answer
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(scopes === undefined ? {} : { 'x-oauth-scopes': scopes.join(',') }),
  })
  response.end(JSON.stringify(body))
}
