/**
 * Options of the search, which compares the words of a query with sections. Function words such as `a` and `to` are no
 * words of a query. A word also matches longer words that begin with it if it is the last one, which may be incomplete,
 * or has at least five letters; from six letters on, it also matches similar words. Such matches count much less than
 * equal words. The title of a section counts most, then the titles above it. Pages for tasks precede those that are
 * looked up, and the generated reference and pages for contributors are last. A name such as `OPENAI_API_KEY` is one
 * word of a query. The site gets the source text of the functions, so they cannot use anything outside of themselves.
 */
export const SEARCH = {
  tokenize: (text: string): string[] => text.split(/[^\p{L}\p{N}_]+/u),
  processTerm: (term: string): string | false => {
    const word = term.toLowerCase()
    return /^(?:an?|and|are|as|at|be|by|can|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|this|to|what|when|where|with|you|your)$/u.test(
      word,
    )
      ? false
      : word
  },
  prefix: (term: string, index: number, terms: readonly string[]): boolean =>
    index === terms.length - 1 || term.length > 4,
  fuzzy: (term: string): number | boolean => (term.length > 5 ? 0.2 : false),
  weights: { prefix: 0.2, fuzzy: 0.1 },
  boost: { title: 8, titles: 4, text: 1 },
  boostTerm: (term: string): number => (term === 'troupe' ? 0.05 : 1),
  boostDocument: (
    id: string,
    _term: string,
    { titles }: { readonly titles?: readonly string[] } = {},
  ): number => {
    if (/^\/(?:CHANGELOG|CONTRIBUTING|design\/|deploy\/|interface|trust)/u.test(id)) return 0.3
    if (/^\/reference\/library/u.test(id)) return 0.2
    if (/^\/(?:reference\/|errors|move\/|examples\/|recipes\/|dialects|fast-agent|ai-agent)/u.test(id))
      return 0.6
    // the beginning of a page has no titles above it
    return titles?.length === 0 ? 1.5 : 1
  },
}

/** Splits the text of a page into words, and names with `_` also into their parts. */
export function splitIntoWords(text: string): string[] {
  const names = text.split(/[^\p{L}\p{N}_]+/u)
  return [...names, ...names.filter((name) => name.includes('_')).flatMap((name) => name.split('_'))]
}
