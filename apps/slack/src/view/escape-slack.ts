/**
 * Text for Slack: `&`, `<` and `>` become entities, so that no text of a model calls people (`<!channel>`) or makes links of its own. A `>` that begins a
 * line quotes it and stays; `atLineStart` says whether the text begins one.
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

/** What a person wrote, as they wrote it. */
export function unescapeSlack(text: string): string {
  return text.replaceAll(/&(?<name>amp|lt|gt);/gu, (_, name: string) => ENTITIES[name] ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }
