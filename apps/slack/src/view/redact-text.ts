import { createRedactor } from '@troupe/env'
import type { StreamRedactor } from '@troupe/schema'
import type { SlackHost } from '../slack-options.ts'
import type { SlackConfig } from '../slack-config.ts'

/** A function that removes secrets from a text. */
export type TextRedactor = (text: string) => string

/** Redaction of texts for Slack. */
export interface SlackRedactor {
  /** Redacts the secrets of the team and the tokens of the app in a whole text. */
  readonly hide: TextRedactor
  /**
   * Creates a redactor of the app's tokens for streamed text. The host has already redacted the secrets of
   * the team there.
   */
  pieces(): StreamRedactor
}

/** Creates a redactor of the secrets of the team and the tokens of the app. */
export function createSlackRedactor(host: Pick<SlackHost, 'redact'>, config: SlackConfig): SlackRedactor {
  const { botTokens, appToken, signingSecret } = config
  const own = createRedactor([
    ...botTokens.map((value) => ({ name: 'SLACK_BOT_TOKEN', value })),
    ...(appToken === undefined ? [] : [{ name: 'SLACK_APP_TOKEN', value: appToken }]),
    ...(signingSecret === undefined ? [] : [{ name: 'SLACK_SIGNING_SECRET', value: signingSecret }]),
  ])
  return {
    hide: (text) => host.redact(own?.redact(text) ?? text),
    pieces: () => own?.startStream() ?? { push: (piece) => piece, end: () => '' },
  }
}
