/**
 * Options of the search, which compares the words of a query with sections. The title of a section counts most, then
 * the titles above it. Pages for tasks precede those that are looked up, and those for contributors are last. Words that
 * are everywhere count little. A name such as `OPENAI_API_KEY` is one word of a query. The site gets the source text of
 * the functions, so they cannot use anything outside of themselves.
 */
export const SEARCH = {
  tokenize: (text: string): string[] => text.split(/[^\p{L}\p{N}_]+/u),
  prefix: true,
  fuzzy: (term: string): number | boolean => (term.length > 4 ? 0.2 : false),
  boost: { title: 8, titles: 4, text: 1 },
  boostTerm: (term: string): number =>
    /^(?:troupe|an?|and|are|can|do|does|for|how|i|in|is|it|my|of|on|or|the|to|what|where|with)$/u.test(term)
      ? 0.05
      : 1,
  boostDocument: (
    id: string,
    _term: string,
    { titles }: { readonly titles?: readonly string[] } = {},
  ): number => {
    if (/^\/(?:CHANGELOG|CONTRIBUTING|design\/|deploy\/|interface|trust)/u.test(id)) return 0.3
    if (/^\/(?:reference\/|errors|move\/|examples\/|dialects|fast-agent|ai-agent)/u.test(id)) return 0.6
    // the beginning of a page has no titles above it
    return titles?.length === 0 ? 1.5 : 1
  },
}

/** Splits the text of a page into words, and names with `_` also into their parts. */
export function splitIntoWords(text: string): string[] {
  const names = text.split(/[^\p{L}\p{N}_]+/u)
  return [...names, ...names.filter((name) => name.includes('_')).flatMap((name) => name.split('_'))]
}
