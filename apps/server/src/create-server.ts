import { getRequestListener } from '@hono/node-server'
import {
  createAgentMcp,
  bearerChallenge,
  createRunService,
  errorResponse,
  isHookPath,
  isLinkPath,
  isOpenA2APath,
  isOAuthMetadataPath,
  type AgentMcp,
  type AuthenticationScheme,
  type Headend,
  type HeadendContext,
  type HeadendExample,
  type ExampleOptions,
  type McpAuthorization,
} from '@troupe/headends'
import { createSafeFetch } from '@troupe/fetch'
import { errorMessage, failure, troupeError, type AgentDefinition } from '@troupe/schema'
import type { EvalReports } from '@troupe/evals'
import type { ListedSchedule } from '@troupe/schedules'
import { reportHiddenFailures } from '@troupe/schema/public'
import { createApp, openApiDocument } from './app/create-app.ts'
import { createEventLoopWatch } from './app/event-loop-watch.ts'
import { createHeadends } from './app/headend-table.ts'
import { createMetrics } from './app/metrics.ts'
import { createCardHistory } from './cards/card-history.ts'
import { drainServer } from './connections/drain.ts'
import { listen } from './connections/listen.ts'
import { serveSockets } from './connections/sockets.ts'
import { createAccessCheck, isLoopback } from './gate/access-check.ts'
import { accessLog } from './gate/access-log.ts'
import { compressAnswers } from './gate/compress.ts'
import { errorShapes, allowOrigins, checkAccess, createGate, inOrder } from './gate/gate.ts'
import { createPrincipals, LOCAL_OPERATOR } from './gate/principals.ts'
import { createRateLimit } from './gate/rate-limit.ts'
import { answerRepeats } from './gate/repeated-requests.ts'
import { discoveryUrl } from './identity/issuer-keys.ts'
import { createTokenVerifier } from './identity/token-verifier.ts'
import { createTrustedProxy } from './identity/trusted-proxy.ts'
import { isPagePath, pageFolder } from './page/create-page-headend.ts'
import { createAdmission, admitForks } from './runs/admission.ts'
import { createEmbeddingRunner } from './runs/embedding-runner.ts'
import { createRunScheduler } from './runs/run-scheduler.ts'
import { addNote, createSession, publicStore, servedRunner } from './runs/served-runner.ts'
import { createSpendingLimits } from './runs/spending.ts'
import { fullLimits, type ServerOptions } from './server-options.ts'

const NO_REPORTS: EvalReports = {
  list: async () => [],
  read: async () => undefined,
  events: async () => undefined,
}

/** A running server. */
export interface TroupeServer {
  /** Base URL, such as `http://127.0.0.1:7788`. */
  readonly url: string
  /** Example commands for the protocols. */
  readonly examples: readonly HeadendExample[]
  /** Paths of the webhooks, such as `/hooks/push`. */
  readonly webhooks: readonly string[]
  /** Returns the schedules whose runs this server starts. */
  schedules(): Promise<readonly ListedSchedule[]>
  /** The served agents as MCP tools for the local user, for transports other than HTTP. */
  readonly mcp: { createServer(): ReturnType<AgentMcp['createServer']> }
  /**
   * Starts no further runs, waits for the active ones for `limits.drainTimeout`, then interrupts or cancels
   * the rest. A second call ends the wait.
   */
  close(): Promise<void>
}

/** The ways in which a client can send one of `tokens`. */
const TOKEN_SCHEMES: readonly AuthenticationScheme[] = [
  { type: 'bearer' },
  { type: 'apiKey', header: 'x-api-key' },
]

function authenticationOf({ tokens = [], oidc }: ServerOptions): readonly AuthenticationScheme[] {
  return [
    ...(tokens.length === 0 ? [] : TOKEN_SCHEMES),
    ...(oidc === undefined ? [] : [{ type: 'openIdConnect', url: discoveryUrl(oidc.issuer) } as const]),
  ]
}

const HOSTNAME = '127.0.0.1'
const PORT = 7788

/**
 * Serves the agents of a host over every protocol on one port. Throws `server_exposed` if the network could
 * run them without a token, and `config_invalid` for options that cannot be used.
 */
export async function createServer(options: ServerOptions): Promise<TroupeServer> {
  const { host, hostname = HOSTNAME, tokens = [], clock, newId, onError, onRecover } = options
  const limits = fullLimits(options.limits)
  const publicUrl = options.publicUrl?.replace(/\/+$/u, '')
  const { onStall, oidc } = options
  const trustedProxy =
    options.trustedProxy === undefined ? undefined : createTrustedProxy(options.trustedProxy)
  const needsToken = tokens.length > 0 || oidc !== undefined || trustedProxy !== undefined
  if (!isLoopback(hostname) && !needsToken)
    throw troupeError('server_exposed', `${hostname} is reachable from the network, but no token is set.`)
  const verifier =
    oidc === undefined
      ? undefined
      : createTokenVerifier(oidc, {
          safeFetch: createSafeFetch({ clock }),
          clock,
          ...(onError === undefined ? {} : { onError }),
        })
  const authorization: McpAuthorization | undefined =
    oidc === undefined || verifier === undefined
      ? undefined
      : { issuer: oidc.issuer, scopes: oidc.scopes ?? [], metadata: verifier.metadata }
  const principals = createPrincipals(tokens, clock, { verifier, trustedProxy })
  const admission = createAdmission(limits)
  const loop = createEventLoopWatch({ clock, ...(onStall === undefined ? {} : { onStall }) })
  const { store, readWorkers } = options
  const metrics = createMetrics(
    admission,
    loop,
    readWorkers === undefined ? undefined : { read: readWorkers, clock },
  )
  const spending =
    limits.spending === undefined ? undefined : createSpendingLimits(limits.spending, { store, clock })
  const allowedOrigins = [
    ...(options.allowedOrigins ?? []).map(originOf),
    ...(publicUrl === undefined ? [] : [originOf(publicUrl)]),
  ]
  const onHidden = reportHiddenFailures(onError)
  const runner = servedRunner(host, {
    agents: options.agents,
    admission,
    budget: limits.budget,
    spending,
    onEnd: metrics.ended,
    onHidden,
  })
  const context: HeadendContext = {
    allowedOrigins,
    runner,
    clock,
    connected: new Map(),
    ...(needsToken ? { authentication: authenticationOf(options) } : {}),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    newId: (prefix) => `${prefix}_${newId()}`,
    ...(onError === undefined ? {} : { onError }),
    ...(onRecover === undefined ? {} : { onRecover }),
  }
  const runService = createRunService({
    host: admitForks(host, {
      accept: runner.accept,
      addNote: (runId, note) => addNote(store, { runId, note, owner: context.newId('note') }),
      createSession: (session, note) =>
        createSession(store, { session, note, owner: context.newId('session') }),
      admission,
      budget: limits.budget,
      spending,
      onHidden,
    }),
    store: publicStore(store),
    context,
  })
  const scheduler = createRunScheduler({ host, store, runService, context })
  const { without = [] } = options
  const builtIn = createHeadends(
    {
      context,
      host,
      runService,
      scheduler,
      evals: options.evals ?? NO_REPORTS,
      hooks: options.hooks ?? [],
      a2a: options.a2a ?? {},
      push:
        options.push === undefined
          ? undefined
          : { ...options.push, fetch: options.push.fetch ?? createSafeFetch({ clock }) },
      embeddings: createEmbeddingRunner({
        host,
        models: options.embeddings ?? [],
        admission,
        budget: limits.budget,
        spending,
        onHidden,
      }),
      principals,
      cardHistory: createCardHistory({ now: () => clock.now(), git: options.git }),
      authorization,
      maxFollowers: limits.maxFollowers,
      maxBodyBytes: limits.maxBodyBytes,
      page: options.page ?? pageFolder(),
    },
    without,
  )
  const headends = [...builtIn, ...(options.headends ?? []).map((create) => create(context))]
  const { server, port } = await listen({ hostname, port: options.port ?? PORT, limits })
  const url = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
  let isEnding = false
  const check = createAccessCheck({ hostname, port, allowedOrigins })
  const access = checkAccess(check)
  const toError = errorShapes(headends)
  const rateLimit = createRateLimit(limits.requestsPerMinute, clock)
  const gate = createGate({
    principals,
    isOpen: (path) =>
      isPagePath(path) ||
      isHookPath(path) ||
      isLinkPath(path) ||
      isOpenA2APath(path) ||
      (authorization !== undefined && isOAuthMetadataPath(path)),
    challenge: (request, reason) => bearerChallenge(request, reason, { ...context, authorization }),
    maxBodyBytes: limits.maxBodyBytes,
    rateLimit,
    toError,
    now: () => clock.now(),
    isEnding: () => isEnding,
  })
  const log = accessLog(clock, (record) => {
    metrics.answered(record)
    options.onAccess?.(record)
  })
  const inFront =
    allowedOrigins.length === 0
      ? [inOrder(log, access, gate)]
      : [inOrder(log, access), allowOrigins(allowedOrigins), inOrder(gate)]
  const app = createApp({
    headends,
    before: [...inFront, compressAnswers, answerRepeats({ clock, toError })],
    toError,
    metrics,
    describe: once(() => openApiDocument(headends, publicUrl ?? url)),
    isReady: async () => !isEnding && context.runner.agents().length > 0,
    ...(onError === undefined ? {} : { onError }),
  })
  const answer = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    overrideGlobalObjects: false,
    errorHandler: unreadableResponse,
  })
  if (trustedProxy !== undefined)
    for (const event of ['request', 'upgrade']) server.on(event, trustedProxy.strip)
  server.on('request', (request, response) => void answer(request, response))
  const sockets = serveSockets(server, {
    headends,
    check,
    principals,
    rateLimit,
    maxBytes: limits.maxBodyBytes,
    isEnding: () => isEnding,
    ...(onError === undefined ? {} : { onError }),
  })
  await runService.recover()
  const isScheduling = !without.includes('schedules')
  if (isScheduling) scheduler.start()
  loop.start()
  const agents = createAgentMcp(context, runService)
  const hurry = Promise.withResolvers<void>()
  const drained = once(async () => {
    await drainServer({
      server,
      headends,
      runService,
      sockets,
      admission,
      clock,
      drainTimeout: limits.drainTimeout,
      holdOnceCalls: () => host.holdOnceCalls(),
      hurry: hurry.promise,
    })
    loop.close()
  })
  return {
    url,
    examples: examplesOf(headends, { url, agent: context.runner.agents()[0], needsToken }),
    webhooks: without.includes('hooks') ? [] : (options.hooks ?? []).map(({ name }) => `/hooks/${name}`),
    schedules: async () => (isScheduling && store.schedules !== undefined ? scheduler.list() : []),
    mcp: { createServer: () => agents.createServer({ ...LOCAL_OPERATOR, cut: () => undefined }) },
    close() {
      if (isEnding) hurry.resolve()
      isEnding = true
      agents.close()
      return drained()
    },
  }
}

/** Creates the response to a request that could not be parsed and reached no route. */
function unreadableResponse(thrown: unknown): Response {
  return errorResponse(failure('request_invalid', `The request cannot be read: ${errorMessage(thrown)}`))
}

function originOf(url: string): string {
  return new URL(url).origin
}

function examplesOf(
  headends: readonly Headend[],
  {
    url,
    agent,
    needsToken,
  }: {
    readonly url: string
    readonly agent: AgentDefinition | undefined
    readonly needsToken: boolean
  },
): readonly HeadendExample[] {
  if (agent === undefined) return []
  const exampleOptions: ExampleOptions = {
    origin: url,
    agent: agent.name,
    message: agent.usage ?? 'Hello',
    // Examples are printed and may end up in logs, so they contain a variable in place of the token.
    credentials: needsToken ? '-H "Authorization: Bearer $TROUPE_TOKEN" ' : '',
  }
  return headends.flatMap((headend) => headend.examples?.(exampleOptions) ?? [])
}

function once<T>(work: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: work() }).value
}
