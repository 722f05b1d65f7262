import { findVariables } from '@troupe/env'
import { troupeError, type Json, type JsonObject } from '@troupe/schema'
import { visibleText } from '@troupe/timeline'
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

/**
 * Parses `slack` of a configuration. Throws `config_invalid` with the name of the key. If `written`, the settings before
 * variables were expanded, is passed, messages about a token name its variable.
 */
export function readSlackConfig(settings: JsonObject | undefined, written: JsonObject = {}): SlackConfig {
  if (settings === undefined)
    throw troupeError('config_invalid', 'The configuration has no `slack`.', {
      fix: 'Add `"slack": {"botToken": "${SLACK_BOT_TOKEN}", "appToken": "${SLACK_APP_TOKEN}"}` to troupe.json.',
    })
  const read = config.safeParse(settings)
  if (!read.success) throw invalid(read.error.issues[0])
  const { botToken, host, channels = [], limits = {}, ...rest } = read.data
  const botTokens = [botToken].flat()
  for (const [index, token] of botTokens.entries()) {
    const source = [written['botToken']].flat()[index]
    checkToken(token, { ...BOT_TOKEN, name: variableIn(source) ?? 'slack.botToken' })
  }
  if (rest.appToken !== undefined)
    checkToken(rest.appToken, { ...APP_TOKEN, name: variableIn(written['appToken']) ?? 'slack.appToken' })
  if ((rest.appToken === undefined) === (rest.signingSecret === undefined))
    throw troupeError(
      'config_invalid',
      'slack: set either `appToken` (Socket Mode) or `signingSecret` (HTTP).',
    )
  return {
    ...(JSON.parse(JSON.stringify({ ...rest, hostname: host })) as Pick<SlackConfig, 'appToken'>),
    botTokens,
    channels: channels as readonly ChannelRule[],
    limits: {
      user: (limits.user ?? {}) as AllowanceLimits,
      channel: (limits.channel ?? {}) as AllowanceLimits,
    },
  }
}

/** A kind of token: the beginning of its tokens, and the page of the app that shows it. */
interface TokenKind {
  readonly kind: string
  readonly prefix: string
  readonly page: string
}

const BOT_TOKEN: TokenKind = { kind: 'a bot token', prefix: 'xoxb-', page: 'Install App' }
const APP_TOKEN: TokenKind = { kind: 'an app-level token', prefix: 'xapp-', page: 'Basic Information' }

/**
 * Checks that a token can be sent as a header, because the failure of a request looks like one of the network. The
 * message contains at most one character of the value.
 */
function checkToken(
  token: string,
  { name, kind, prefix, page }: TokenKind & { readonly name: string },
): void {
  const other = /[^\x21-\x7e]/u.exec(token)?.[0]
  const problem =
    other === undefined
      ? !token.startsWith(prefix) && `it does not start with \`${prefix}\``
      : `it contains ${/\s/u.test(other) ? 'white space' : `\`${visibleText(other)}\``}`
  if (problem === false) return
  throw troupeError('config_invalid', `${name} is not ${kind}: ${problem}.`, {
    fix: `Copy the token from the page "${page}" of your app on https://api.slack.com/apps.`,
  })
}

/** Returns the variable that a setting consists of; `undefined` if it has none or several. */
function variableIn(source: Json | undefined): string | undefined {
  const [variable, ...others] = findVariables(source)
  return others.length === 0 ? variable?.name : undefined
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
