import { createRedactor } from '@troupe/env'
import type { SlackHost } from '../slack-options.ts'
import type { SlackConfig } from '../slack-config.ts'

/** A text without secrets. */
export type RedactedText = (text: string) => string

/** Hides the secrets of the team and the tokens of the app itself (C67). */
export function redactText(host: Pick<SlackHost, 'redact'>, config: SlackConfig): RedactedText {
  const { botTokens, appToken, signingSecret } = config
  const own = createRedactor([
    ...botTokens.map((value) => ({ name: 'SLACK_BOT_TOKEN', value })),
    ...(appToken === undefined ? [] : [{ name: 'SLACK_APP_TOKEN', value: appToken }]),
    ...(signingSecret === undefined ? [] : [{ name: 'SLACK_SIGNING_SECRET', value: signingSecret }]),
  ])
  return (text) => host.redact(own?.redact(text) ?? text)
}
