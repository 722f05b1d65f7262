import { createRedactor } from '@troupe/env'
import type { RedactedPieces } from '@troupe/schema'
import type { SlackHost } from '../slack-options.ts'
import type { SlackConfig } from '../slack-config.ts'

/** A text without secrets. */
export type RedactedText = (text: string) => string

/** What hides secrets. */
export interface SlackRedactor {
  /** In a whole text: those of the team, and the tokens of the app itself (C67). */
  readonly hide: RedactedText
  /** In a text that comes in pieces: the tokens. The team hides its own there. */
  pieces(): RedactedPieces
}

/** Hides the secrets of the team and the tokens of the app. */
export function createSlackRedactor(host: Pick<SlackHost, 'redact'>, config: SlackConfig): SlackRedactor {
  const { botTokens, appToken, signingSecret } = config
  const own = createRedactor([
    ...botTokens.map((value) => ({ name: 'SLACK_BOT_TOKEN', value })),
    ...(appToken === undefined ? [] : [{ name: 'SLACK_APP_TOKEN', value: appToken }]),
    ...(signingSecret === undefined ? [] : [{ name: 'SLACK_SIGNING_SECRET', value: signingSecret }]),
  ])
  return {
    hide: (text) => host.redact(own?.redact(text) ?? text),
    pieces: () => own?.pieces() ?? { push: (piece) => piece, end: () => '' },
  }
}
