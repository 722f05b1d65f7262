import { oneLine } from './cut-text.ts'
import { escapeSlack } from './escape-slack.ts'

/** Returns the beginning of a text as one line of mrkdwn, with its formatting characters disabled. */
export function plainMrkdwn(text: string, maxLength: number): string {
  return escapeSlack(oneLine(text, maxLength), { atLineStart: false }).replaceAll(
    /[*`_~]/gu,
    (sign) => `${sign}\u200B`,
  )
}
