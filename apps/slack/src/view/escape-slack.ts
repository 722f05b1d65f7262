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
