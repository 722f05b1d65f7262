import type { Host } from '@troupe/host'
import type { AgentRunner, Budget, Clock, RunStore } from '@troupe/schema'
import type { AccessRecord } from './access-record.ts'
import type { AdmissionLimits } from './admission.ts'
import type { EventLoopStall } from './event-loop-watch.ts'
import type { HeadendName } from './headend-table.ts'
import type { ServerToken } from './principals.ts'
import type { SpendingCap } from './spending.ts'

/** What a server needs of a host. */
export type ServedHost = Pick<
  Host,
  | keyof AgentRunner
  | 'plan'
  | 'redact'
  | 'resume'
  | 'decide'
  | 'definition'
  | 'models'
  | 'origin'
  | 'reload'
  | 'fork'
  | 'holdOnceCalls'
>

/** What a server is made of. Nothing is read from the process. */
export interface ServerOptions {
  readonly host: ServedHost
  /** The store of the host. */
  readonly store: RunStore
  /** Default: 127.0.0.1. */
  readonly hostname?: string
  /** Default: 7788; 0: a free one. */
  readonly port?: number
  /** Who is let in; none: everybody on this machine, as `local`. */
  readonly tokens?: readonly ServerToken[]
  /** Where clients reach the server, behind a proxy: `https://agents.example.com`. It stands in cards and documents, and requests may be for its host. Default: its own address. */
  readonly publicUrl?: string
  /** Origins whose pages may call, and under whose hosts the server is reached. */
  readonly allowedOrigins?: readonly string[]
  /** The names of the agents that are served; default: all that are not hidden. */
  readonly agents?: readonly string[]
  /** Protocols that are left out. */
  readonly without?: readonly HeadendName[]
  /** The folder of the built page; default: that which the package brings along. */
  readonly page?: string
  readonly limits?: ServerLimits
  readonly clock: Clock
  /** Unique, not to be guessed: at least 128 bits. Without prefix. */
  newId(): string
  /** Told of every answer when it has ended. */
  onAccess?(record: AccessRecord): void
  /** Called when the event loop was blocked for 250 ms or longer, at most once a minute. */
  onStall?(stall: EventLoopStall): void
  /** Told of what goes wrong beside any answer. */
  onError?(thrown: unknown): void
}

/** Bounds of a server. Times in ms. */
export interface ServerLimits extends Partial<AdmissionLimits> {
  /** Requests of one principal in any minute; default: no limit. */
  readonly requestsPerMinute?: number
  /** The most that one run may use, beside what its card says. */
  readonly budget?: Budget
  /** What one principal may use in any stretch of time, over all of its runs; default: no limit. */
  readonly spending?: SpendingCap
  /** Largest body of a request; default 1 MiB, at most 32 MiB. */
  readonly maxBodyBytes?: number
  /** Connections at once; default 10,000. */
  readonly maxConnections?: number
  /** Connections of one address at once; default: half of `maxConnections`. */
  readonly maxConnectionsPerAddress?: number
  /** Event streams of runs that one principal follows at once; default 2,000. */
  readonly maxFollowers?: number
  /** Until the headers of a request must be there; default 10 s, at most `requestTimeout`. */
  readonly headersTimeout?: number
  /** Until a whole request must be there; default 60 s. */
  readonly requestTimeout?: number
  /** How long runs may go on when the server is told to end; default 30 s. */
  readonly drainTimeout?: number
}

/** The bounds in force. */
export type FullLimits = Required<Omit<ServerLimits, 'spending'>> & Pick<ServerLimits, 'spending'>

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
