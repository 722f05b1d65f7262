import { parseDuration } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import { z } from 'zod'
import type { ProviderConfig } from './model-context.ts'
import { PROVIDER_APIS } from '../protocols/protocol-names.ts'
import { OWN_MEMBERS } from '../transport/extra-body.ts'
import { ANSWER_FORMS } from '../structured/answer-form.ts'

const dollars = z.number().min(0)

const duration = z
  .union([z.number(), z.string()])
  .refine((value) => parseDuration(value) !== undefined, {
    message: 'expected a number of ms or text such as "90s" or "5m"',
  })
  .transform((value) => parseDuration(value) ?? 0)

/** A package, or a path that it exports. Not a file: code of the team is loaded by its cards only. */
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:\/[\w-]+)*$/u

/** Options of a package that the other keys of a provider set. */
const OWN_OPTIONS: ReadonlySet<string> = new Set(['apiKey', 'baseURL', 'headers', 'fetch', 'name'])

const provider = z.strictObject({
  apiKey: z.string().optional(),
  baseURL: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z
    .record(
      z
        .string()
        .refine((key) => !OWN_MEMBERS.has(key), { message: 'only Troupe sets this part of a request' }),
      z.json(),
    )
    .optional(),
  api: z.enum(PROVIDER_APIS).optional(),
  package: z
    .string()
    .regex(PACKAGE_NAME, { message: 'expected the name of an npm package, such as "@ai-sdk/groq"' })
    .optional(),
  factory: z.string().min(1).optional(),
  options: z
    .record(
      z.string().refine((key) => !OWN_OPTIONS.has(key), {
        message: 'set this key of the provider itself, not one of `options`',
      }),
      z.json(),
    )
    .optional(),
  credentials: z.literal('default').optional(),
  promptCache: z.boolean().optional(),
  maxParallel: z.int().positive().optional(),
  requestsPerMinute: z.int().positive().optional(),
  tokensPerMinute: z.int().positive().optional(),
  stream: z.boolean().optional(),
  timeouts: z
    .strictObject({ connect: duration.optional(), firstByte: duration.optional(), idle: duration.optional() })
    .optional(),
  models: z
    .record(
      z.string().min(1),
      z.strictObject({
        name: z.string().min(1).optional(),
        reasoning: z.union([z.enum(REASONING_LEVELS), z.int().min(0)]).optional(),
        contextWindow: z.int().positive().optional(),
        structured: z.enum(ANSWER_FORMS).optional(),
      }),
    )
    .optional(),
  prices: z
    .record(
      z.string().min(1),
      z.strictObject({
        input: dollars,
        output: dollars,
        cacheRead: dollars.optional(),
        cacheWrite: dollars.optional(),
      }),
    )
    .optional(),
})

/** Schema of an entry of `providers` in troupe.json before expansion. Rejects unknown keys. */
export const providerConfigSchema: z.ZodType<ProviderConfig> =
  provider as unknown as z.ZodType<ProviderConfig>
