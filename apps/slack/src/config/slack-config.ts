import { troupeError, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import picomatch from 'picomatch'
import type { AllowanceLimits } from './allowance.ts'

/** A suggested question. */
export interface SuggestedPrompt {
  readonly title: string
  readonly message: string
}

/** `slack` in troupe.json, with its variables filled in. */
export interface SlackConfig {
  /** One bot token per workspace. */
  readonly botTokens: readonly string[]
  /** App-level token for Socket Mode. Set either this or `signingSecret`. */
  readonly appToken?: string
  /** Secret that signs the requests over HTTP. */
  readonly signingSecret?: string
  /** Default: 127.0.0.1. */
  readonly hostname?: string
  /** Default: 3000. */
  readonly port?: number
  /** Default: https://slack.com/api/. */
  readonly apiUrl?: string
  readonly channels: readonly ChannelRule[]
  /** Suggested prompts of direct conversations. Default: the example input of the agent. */
  readonly prompts?: readonly SuggestedPrompt[]
  /** User ids that may decide on tool calls. Default: the person who asked. */
  readonly approvers?: readonly string[]
  readonly limits: { readonly user: AllowanceLimits; readonly channel: AllowanceLimits }
}

const text = z.string().min(1)
const count = z.number().int().positive()
const caps = z.strictObject({
  requestsPerMinute: count.optional(),
  requestsPerDay: count.optional(),
  tokensPerDay: count.optional(),
  costPerDay: z.number().positive().optional(),
})
const rule = z.strictObject({
  match: z.union([text, z.array(text).min(1)]),
  agent: text.optional(),
  deny: z.boolean().optional(),
})
const config = z.strictObject({
  botToken: z.union([text, z.array(text).min(1)]),
  appToken: text.optional(),
  signingSecret: text.optional(),
  host: text.optional(),
  port: z.number().int().min(0).max(65_535).optional(),
  apiUrl: z.url({ protocol: /^https?$/u }).optional(),
  channels: z.array(rule).optional(),
  prompts: z
    .array(z.strictObject({ title: text, message: text }))
    .max(4)
    .optional(),
  approvers: z.array(text).optional(),
  limits: z.strictObject({ user: caps.optional(), channel: caps.optional() }).optional(),
})

/** Parses `slack` of a configuration. Throws `config_invalid` with the name of the key. */
export function readSlackConfig(written: JsonObject | undefined): SlackConfig {
  if (written === undefined)
    throw troupeError('config_invalid', 'The configuration has no `slack`.', {
      fix: 'Add `"slack": {"botToken": "${SLACK_BOT_TOKEN}", "appToken": "${SLACK_APP_TOKEN}"}` to troupe.json.',
    })
  const read = config.safeParse(written)
  if (!read.success) throw invalid(read.error.issues[0])
  const { botToken, host, channels = [], limits = {}, ...rest } = read.data
  checkTokens([botToken].flat(), rest)
  return {
    ...(JSON.parse(JSON.stringify({ ...rest, hostname: host })) as Pick<SlackConfig, 'appToken'>),
    botTokens: [botToken].flat(),
    channels: channels as readonly ChannelRule[],
    limits: {
      user: (limits.user ?? {}) as AllowanceLimits,
      channel: (limits.channel ?? {}) as AllowanceLimits,
    },
  }
}

function checkTokens(
  botTokens: readonly string[],
  {
    appToken,
    signingSecret,
  }: { readonly appToken?: string | undefined; readonly signingSecret?: string | undefined },
): void {
  if (botTokens.some((token) => !token.startsWith('xoxb-')))
    throw troupeError('config_invalid', 'slack.botToken: a bot token starts with `xoxb-`.')
  if (appToken !== undefined && !appToken.startsWith('xapp-'))
    throw troupeError('config_invalid', 'slack.appToken: an app-level token starts with `xapp-`.')
  if ((appToken === undefined) === (signingSecret === undefined))
    throw troupeError(
      'config_invalid',
      'slack: set either `appToken` (Socket Mode) or `signingSecret` (HTTP).',
    )
}

function invalid(issue: z.core.$ZodIssue | undefined): Error {
  const key = ['slack', ...(issue?.path ?? [])].map(String).join('.')
  return troupeError('config_invalid', `${key}: ${issue?.message ?? 'invalid value'}`)
}

/** A rule of `slack.channels`. */
export interface ChannelRule {
  /** Globs of channel names (`ops-*`, without `#`) or ids; `@direct` matches direct messages. */
  readonly match: string | readonly string[]
  /** The agent that answers. Default: the entry agent. */
  readonly agent?: string
  /** True to refuse requests, whatever other rules say. */
  readonly deny?: boolean
}

/** The properties of a channel that rules match. */
export interface RoutedChannel {
  readonly id: string
  readonly name: string
  readonly isDirect: boolean
}

/** The agent that answers in a channel, or a refusal. */
type ChannelRoute =
  | { readonly allowed: true; readonly agent: string | undefined }
  | { readonly allowed: false }

/**
 * Returns the route of a channel. A deny rule that matches wins, then the first match. Without a match, the
 * entry agent answers.
 */
export function routeChannel(rules: readonly ChannelRule[], channel: RoutedChannel): ChannelRoute {
  const matching = rules.filter((rule) => [rule.match].flat().some((glob) => matchesRule(glob, channel)))
  if (matching.some(({ deny }) => deny === true)) return { allowed: false }
  return { allowed: true, agent: matching[0]?.agent }
}

/** Returns true for the channel of a direct message. */
export function isDirectChannel(id: string): boolean {
  return id.startsWith('D')
}

function matchesRule(glob: string, { id, name, isDirect }: RoutedChannel): boolean {
  if (glob === '@direct') return isDirect
  const isMatch = picomatch(glob.replace(/^#/u, ''), { nonegate: true })
  return isMatch(id) || (name !== '' && isMatch(name))
}
