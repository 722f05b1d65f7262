import type { LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider'
import type { Citation } from '@troupe/schema'

/** Maximum number of citations of an answer. */
const MAX_CITATIONS = 100
const MAX_URL = 2048
const MAX_TITLE = 500
const MAX_CITED_TEXT = 1000

/** A text of an answer, with the citations that the provider attached to it. */
export interface CitedText {
  readonly text: string
  readonly citations?: readonly LanguageModelV4Citation[] | undefined
}

/**
 * Returns the web pages that support an answer, with their places in the joined texts. Pages that the provider
 * only retrieved are left out if it says which ones it cites.
 */
export function citationsOf(
  texts: readonly CitedText[],
  sources: readonly LanguageModelV4Source[],
): readonly Citation[] {
  let offset = 0
  const cited: Citation[] = []
  for (const { text, citations = [] } of texts) {
    for (const citation of citations) cited.push(...toCitation(citation, { offset, length: text.length }))
    offset += text.length
  }
  const all = cited.length > 0 ? cited : sources.flatMap(pageOf)
  return unique(all).slice(0, MAX_CITATIONS)
}

function toCitation(
  { source, startIndex = 0, endIndex, citedText }: LanguageModelV4Citation,
  { offset, length }: { readonly offset: number; readonly length: number },
): readonly Citation[] {
  const end = endIndex ?? length
  const isInside = Number.isInteger(startIndex) && Number.isInteger(end) && 0 <= startIndex && end <= length
  return pageOf(source).map((page) => ({
    ...page,
    ...(isInside && startIndex < end ? { startIndex: offset + startIndex, endIndex: offset + end } : {}),
    ...(citedText === undefined ? {} : { citedText: citedText.slice(0, MAX_CITED_TEXT) }),
  }))
}

/** Returns a source as a citation without a place; nothing if it is no web page. */
function pageOf(source: LanguageModelV4Source): readonly Citation[] {
  if (source.sourceType !== 'url') return []
  const { url, title } = source
  if (url.length > MAX_URL || !URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) return []
  return [{ url, ...(title === undefined ? {} : { title: title.slice(0, MAX_TITLE) }) }]
}

function unique(citations: readonly Citation[]): readonly Citation[] {
  return [...new Map(citations.map((citation) => [JSON.stringify(citation), citation])).values()]
}
