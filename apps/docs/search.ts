/**
 * Options of the search, which compares the words of a query with sections. Function words such as `a` and `to` are not
 * searched for, and a plural is equal to its singular. The last word, which may be incomplete, and words of at least five
 * letters also match longer words that begin with them. Words of at least six letters also match similar words. Such
 * matches count much less than equal words. The title of a section counts most, then the titles above it. Pages for
 * tasks precede those that are looked up; the generated reference and pages for contributors are last. A name such as
 * `OPENAI_API_KEY` is one word of a query. The site gets the source text of the functions, so they cannot use anything
 * outside of themselves.
 */
export const SEARCH = {
  tokenize: (text: string): string[] => text.split(/[^\p{L}\p{N}_]+/u),
  processTerm: (term: string): string | false => {
    const word = term.toLowerCase()
    return /^(?:an?|and|are|as|at|be|by|can|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|this|to|use|what|when|where|with|you|your)$/u.test(
      word,
    )
      ? false
      : word.replace(/(?<=\p{L}{2}[^\P{L}su])s$/u, '')
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
    if (id.startsWith('/reference/library')) return 0.2
    if (/^\/(?:reference\/|errors|move\/|examples\/|recipes\/|dialects|fast-agent|ai-agent)/u.test(id))
      return 0.6
    // the beginning of a page has no titles above it
    return titles?.length === 0 ? 2 : 1
  },
}

/** Splits the text of a page into words, and names with `_` also into their parts. */
export function splitIntoWords(text: string): string[] {
  const names = text.split(/[^\p{L}\p{N}_]+/u)
  return [...names, ...names.filter((name) => name.includes('_')).flatMap((name) => name.split('_'))]
}

/** Returns the form of a word in the index: in lower case, and without the `s` of a plural, as in a query. */
export function indexedWord(term: string): string {
  return term.toLowerCase().replace(/(?<=\p{L}{2}[^\P{L}su])s$/u, '')
}
