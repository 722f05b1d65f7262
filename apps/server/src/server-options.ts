import type { EvalReports } from '@troupe/evals'
import type {
  A2AOptions,
  Headend,
  HeadendContext,
  Webhook,
  WebPushKeys,
  WebPushOptions,
} from '@troupe/headends'
import { type Budget, type Clock, parseDuration, troupeError, type JsonObject } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { z } from 'zod'
import type { EventLoopStall } from './app/event-loop-watch.ts'
import type { WorkerState } from './app/worker-metrics.ts'
import { type HeadendName, HEADEND_NAMES } from './app/headend-table.ts'
import type { RunGit } from './cards/card-history.ts'
import type { AccessRecord } from './gate/access-log.ts'
import type { ServerToken } from './gate/principals.ts'
import { SIGNATURE_ALGORITHMS, type OidcOptions } from './identity/token-verifier.ts'
import type { TrustedProxyOptions } from './identity/trusted-proxy.ts'
import type { AdmissionLimits } from './runs/admission.ts'
import type { ServedHost } from './runs/served-runner.ts'
import type { SpendingCap } from './runs/spending.ts'

/** Options of a server. The server reads nothing from the process. */
export interface ServerOptions {
  /** The host whose agents are served. */
  readonly host: ServedHost
  /** The store of the host. */
  readonly store: RunStore
  /** Address to listen on. Default: 127.0.0.1. */
  readonly hostname?: string
  /** Port to listen on, 0 for any free one. Default: 7788. */
  readonly port?: number
  /** Accepted tokens. Without tokens, `oidc` and `trustedProxy`, every caller on this machine is `local`. */
  readonly tokens?: readonly ServerToken[]
  /** An identity provider whose tokens are accepted too. */
  readonly oidc?: OidcOptions
  /** A proxy that authenticates users and names them in headers. */
  readonly trustedProxy?: TrustedProxyOptions
  /**
   * URL under which clients reach the server behind a proxy, such as `https://agents.example.com`. It is used
   * in agent cards and documents, and requests may be for its host. Default: the server's own address.
   */
  readonly publicUrl?: string
  /** Origins whose pages may call the server. Requests may be for their hosts. */
  readonly allowedOrigins?: readonly string[]
  /** Names of the served agents. Default: all that are not hidden. */
  readonly agents?: readonly string[]
  /** Ids of the embedding models that callers may use, such as `openai/text-embedding-3-small`. Default: none. */
  readonly embeddings?: readonly string[]
  /** Webhooks, with their secrets. Default: none. */
  readonly hooks?: readonly Webhook[]
  /** Reports of evaluations, for operators. Default: none. */
  readonly evals?: EvalReports
  /** Versions and push notifications of A2A. */
  readonly a2a?: A2AOptions
  /**
   * Notifications to browsers, which also need a `publicUrl` with https. `fetch` replaces the requests to push
   * services. Default: off.
   */
  readonly push?: Pick<WebPushOptions, 'storage'> & Partial<Pick<WebPushOptions, 'keys' | 'fetch'>>
  /** Headends to leave out. */
  readonly without?: readonly HeadendName[]
  /**
   * Creates further headends. The server checks host, origin, token and body size before their routes, too.
   */
  readonly headends?: readonly ((context: HeadendContext) => Headend)[]
  /** Runs git to read the earlier versions of cards. Default: only versions that the server has replaced. */
  readonly git?: RunGit
  /** Folder of the built page. Default: the one in the package. */
  readonly page?: string
  /** Limits of the server. Default: those of `ServerLimits`. */
  readonly limits?: ServerLimits
  /** The time. */
  readonly clock: Clock
  /** Returns a unique and unguessable id without a prefix, of at least 128 bits. */
  newId(): string
  /** Reads the state of the workers for `/metrics`. Default: no metrics of workers. */
  readonly readWorkers?: () => Promise<WorkerState>
  /** Called with the record of a response when it has ended. */
  onAccess?(record: AccessRecord): void
  /** Called when the event loop was blocked for 1 s or longer, at most once a minute. */
  onStall?(stall: EventLoopStall): void
  /** Called with the id of each run of an earlier process that is resumed, for logging. */
  onRecover?(runId: string): void
  /** Called with unexpected errors, for logging. */
  onError?(thrown: unknown): void
}

/** Limits of a server. Times are in ms. */
export interface ServerLimits extends Partial<AdmissionLimits> {
  /** Maximum number of requests per principal and minute. Default: no limit. */
  readonly requestsPerMinute?: number
  /** Caps for each run, in addition to those of its card. */
  readonly budget?: Budget
  /** Caps for all runs of one principal within a time window. Default: no limit. */
  readonly spending?: SpendingCap
  /** Maximum size of a request body, in bytes. Default: 1 MiB; at most 32 MiB. */
  readonly maxBodyBytes?: number
  /** Maximum number of connections. Default: 10,000. */
  readonly maxConnections?: number
  /** Maximum number of connections per address. Default: half of `maxConnections`. */
  readonly maxConnectionsPerAddress?: number
  /** Maximum number of event streams per principal. Default: 2,000. */
  readonly maxFollowers?: number
  /** Maximum time to receive the headers of a request. Default: 10 s; at most `requestTimeout`. */
  readonly headersTimeout?: number
  /** Maximum time to receive a whole request. Default: 60 s. */
  readonly requestTimeout?: number
  /** Time for active runs to finish when the server shuts down. Default: 30 s. */
  readonly drainTimeout?: number
}

/** Limits with all defaults filled in. */
type FullLimits = Required<Omit<ServerLimits, 'spending'>> & Pick<ServerLimits, 'spending'>

const MIB = 1024 * 1024

/** Fills in the defaults. */
export function fullLimits(given: ServerLimits = {}): FullLimits {
  const { maxConnections = 10_000, requestTimeout = 60_000 } = given
  return {
    maxRuns: given.maxRuns ?? 256,
    maxQueue: given.maxQueue ?? 1024,
    requestsPerMinute: given.requestsPerMinute ?? Infinity,
    budget: given.budget ?? {},
    ...(given.spending === undefined ? {} : { spending: given.spending }),
    maxBodyBytes: Math.min(given.maxBodyBytes ?? MIB, 32 * MIB),
    maxConnections,
    maxConnectionsPerAddress: given.maxConnectionsPerAddress ?? Math.ceil(maxConnections / 2),
    maxFollowers: given.maxFollowers ?? 2000,
    headersTimeout: Math.min(given.headersTimeout ?? 10_000, requestTimeout),
    requestTimeout,
    drainTimeout: given.drainTimeout ?? 30_000,
  }
}

/** The key `server` of troupe.json as options of a server. Missing keys have their defaults. */
export type ServerConfig = Pick<
  ServerOptions,
  | 'hostname'
  | 'port'
  | 'tokens'
  | 'oidc'
  | 'trustedProxy'
  | 'publicUrl'
  | 'allowedOrigins'
  | 'agents'
  | 'embeddings'
  | 'a2a'
  | 'without'
  | 'limits'
> & {
  /** Keys for notifications to browsers. */
  readonly pushKeys?: WebPushKeys
}

const text = z.string().min(1)
const count = z.number().int().nonnegative()
const duration = z.union([z.number(), z.string()]).transform((value, context) => {
  const ms = parseDuration(value)
  if (ms !== undefined) return ms
  context.addIssue(`"${value}" is not a duration such as "30s".`)
  return z.NEVER
})

const texts = z.array(text)
const roles = z.strictObject({
  operator: texts.optional(),
  user: texts.optional(),
  viewer: texts.optional(),
})
const claimValue = z.union([text, z.number(), z.boolean()])

const oidc = z.strictObject({
  issuer: text,
  audience: z.union([text, texts]),
  claims: z
    .strictObject({
      principal: text.optional(),
      role: text.optional(),
      required: z.record(z.string(), z.union([claimValue, z.array(claimValue)])).optional(),
    })
    .optional(),
  roles: roles.optional(),
  scopes: texts.optional(),
  algorithms: z.array(z.enum(SIGNATURE_ALGORITHMS)).min(1).optional(),
  singleUse: z.boolean().optional(),
  allowPrivate: z.boolean().optional(),
})

const trustedProxy = z.strictObject({
  peers: texts,
  userHeader: text,
  rolesHeader: text.optional(),
  roles: roles.optional(),
})

/** A host with or without a port, not a URL. */
const pushHost = text.regex(
  /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/u,
  'must be a host such as "127.0.0.1:9000"',
)

const config = z.strictObject({
  host: text.optional(),
  port: count.max(65_535).optional(),
  tokens: z
    .array(
      z.strictObject({
        token: text,
        principal: text.optional(),
        role: z.enum(['operator', 'user', 'viewer']).optional(),
      }),
    )
    .optional(),
  oidc: oidc.optional(),
  trustedProxy: trustedProxy.optional(),
  publicUrl: z.url({ protocol: /^https?$/u }).optional(),
  allowOrigins: z.array(z.url({ protocol: /^https?$/u })).optional(),
  agents: z.array(text).optional(),
  embeddings: z
    .array(text.regex(/^[^/]+\/./u, 'must be `provider/name`'))
    .max(100)
    .optional(),
  a2a: z
    .strictObject({
      versions: z
        .array(z.enum(['1.0', '0.3']))
        .min(1)
        .optional(),
      pushHosts: z.array(pushHost).optional(),
      signingKey: text.optional(),
    })
    .optional(),
  pushKeys: z
    .strictObject({
      publicKey: text.regex(/^[\w-]{87}=?$/u, 'must be a P-256 key of 87 base64url characters'),
      privateKey: text.regex(/^[\w-]{43}=?$/u, 'must be a P-256 key of 43 base64url characters'),
    })
    .optional(),
  without: z.array(z.enum(HEADEND_NAMES as [HeadendName, ...HeadendName[]])).optional(),
  limits: z
    .strictObject({
      maxRuns: count.min(1).optional(),
      maxQueue: count.optional(),
      requestsPerMinute: count.min(1).optional(),
      budget: z
        .strictObject({
          maxTokens: z.number().positive().optional(),
          maxCost: z.number().positive().optional(),
        })
        .optional(),
      spending: z
        .strictObject({
          per: duration.refine((ms) => ms > 0, 'must be longer than 0'),
          maxTokens: z.number().positive().optional(),
          maxCost: z.number().positive().optional(),
        })
        .optional(),
      maxBodyBytes: count.min(1).optional(),
      maxConnections: count.min(1).optional(),
      maxConnectionsPerAddress: count.min(1).optional(),
      maxFollowers: count.min(1).optional(),
      headersTimeout: duration.optional(),
      requestTimeout: duration.optional(),
      drainTimeout: duration.optional(),
    })
    .optional(),
})

/**
 * Reads the key `server` of a configuration in which variables are replaced by their values. Throws
 * `config_invalid`, naming the key.
 */
export function readServerConfig(written: JsonObject | undefined): ServerConfig {
  const read = config.safeParse(written ?? {})
  if (!read.success) {
    const [issue] = read.error.issues
    const keyPath = ['server', ...(issue?.path ?? [])].map(String).join('.')
    throw troupeError('config_invalid', `${keyPath}: ${issue?.message ?? 'not valid'}`)
  }
  const { host, allowOrigins, ...rest } = read.data
  const named = { ...rest, hostname: host, allowedOrigins: allowOrigins }
  return withoutUndefined(named) as ServerConfig
}

/** Removes undefined values on all levels. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
