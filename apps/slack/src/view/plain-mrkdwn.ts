import { oneLine } from './cut-text.ts'
import { escapeSlack } from './escape-slack.ts'

/** The first words of a text, in one line of mrkdwn that shows them as they are: no mark in it begins a format. */
export function plainMrkdwn(text: string, most: number): string {
  return escapeSlack(oneLine(text, most), { atLineStart: false }).replaceAll(
    /[*`_~]/gu,
    (sign) => `${sign}\u200B`,
  )
}
