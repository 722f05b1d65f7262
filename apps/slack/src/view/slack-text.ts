/** Shortens a text to a number of characters, with `…` at the end. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${wholeCharacters(text, maxLength - 1)}…`
}

/** Returns the beginning of a text without splitting a surrogate pair. */
export function wholeCharacters(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd8_00 && code <= 0xdb_ff ? length - 1 : length)
}

/** Returns the beginning of a text in one line. */
export function oneLine(text: string, maxLength: number): string {
  return cutText(text.replaceAll(/\s+/gu, ' ').trim(), maxLength)
}

/** Returns as much of the beginning of a text as fits when escaped, in whole lines if possible. */
export function fittingPiece(text: string, maxLength: number): string {
  if (maxLength <= 0) return ''
  const escaped = escapeSlack(text)
  if (escaped.length <= maxLength) return escaped
  const cut = wholeCharacters(escaped, maxLength).replace(/&[a-z]{0,3}$/u, '')
  const line = cut.lastIndexOf('\n')
  return line > maxLength / 2 ? cut.slice(0, line + 1) : cut
}

/** Returns the beginning of a text as one line of mrkdwn, with its formatting characters disabled. */
export function plainMrkdwn(text: string, maxLength: number): string {
  return escapeSlack(oneLine(text, maxLength), { atLineStart: false }).replaceAll(
    /[*`_~]/gu,
    (sign) => `${sign}\u200B`,
  )
}

/**
 * Escapes `&`, `<` and `>`, so that the output of a model cannot mention people (`<!channel>`) or create
 * links. A `>` at the start of a line is a quote and stays; `atLineStart` is true if the text starts a line.
 */
export function escapeSlack(
  text: string,
  { atLineStart = true }: { readonly atLineStart?: boolean } = {},
): string {
  return text.replaceAll(/[&<>]/gu, (sign, at: number) => {
    if (sign === '&') return '&amp;'
    if (sign === '<') return '&lt;'
    const begins = at === 0 ? atLineStart : text[at - 1] === '\n'
    return begins ? '>' : '&gt;'
  })
}

/** Restores the characters that Slack has escaped in a text. */
export function unescapeSlack(text: string): string {
  return text.replaceAll(/&(?<name>amp|lt|gt);/gu, (_, name: string) => ENTITIES[name] ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }
