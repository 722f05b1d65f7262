import type { Citation } from '@troupe/schema'

/** A citation with its place in the text that a client gets. */
export interface PlacedCitation extends Citation {
  readonly title: string
  readonly startIndex: number
  readonly endIndex: number
}

/**
 * Returns the citations of an answer with their places in `shown`, the text that the client gets, which may begin
 * with texts of earlier turns. A citation without a place supports the whole answer. Pages without a title are
 * named by their address.
 */
export function placeCitations(
  {
    text = '',
    citations = [],
  }: { readonly text?: string | undefined; readonly citations?: readonly Citation[] | undefined },
  shown: string = text,
): readonly PlacedCitation[] {
  const isWhole = shown.endsWith(text)
  const offset = isWhole ? shown.length - text.length : 0
  return citations.map(({ startIndex, endIndex, ...citation }) => ({
    ...citation,
    title: citation.title ?? citation.url,
    startIndex: isWhole ? offset + (startIndex ?? 0) : 0,
    endIndex: isWhole ? offset + (endIndex ?? text.length) : shown.length,
  }))
}
