import { parseDuration, troupeError, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { HEADEND_NAMES, type HeadendName } from './app/headend-table.ts'
import type { ServerOptions } from './server-options.ts'

/** The key `server` of troupe.json as options of a server. Missing keys have their defaults. */
export type ServerConfig = Pick<
  ServerOptions,
  'hostname' | 'port' | 'tokens' | 'publicUrl' | 'allowedOrigins' | 'agents' | 'without' | 'limits'
>

const text = z.string().min(1)
const count = z.number().int().nonnegative()
const duration = z.union([z.number(), z.string()]).transform((value, context) => {
  const ms = parseDuration(value)
  if (ms !== undefined) return ms
  context.addIssue(`"${value}" is not a duration such as "30s".`)
  return z.NEVER
})

const config = z.strictObject({
  host: text.optional(),
  port: count.max(65_535).optional(),
  tokens: z.array(z.strictObject({ token: text, principal: text.optional() })).optional(),
  publicUrl: z.url({ protocol: /^https?$/u }).optional(),
  allowOrigins: z.array(z.url({ protocol: /^https?$/u })).optional(),
  agents: z.array(text).optional(),
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
