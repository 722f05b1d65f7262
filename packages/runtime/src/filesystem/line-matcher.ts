import { troupeError } from '@troupe/schema'
import { createLinearPatterns } from '@troupe/tools'

/** The query of a text search. */
export interface LineQuery {
  readonly query: string
  readonly regex: boolean
  readonly ignoreCase: boolean
}

/**
 * Returns a predicate for matching lines. Regular expressions run in linear time; throws `tool_bad_arguments`
 * for one that cannot.
 */
export function lineMatcher({ query, regex, ignoreCase }: LineQuery): (line: string) => boolean {
  if (regex) {
    const pattern = createLinearPatterns().get(ignoreCase ? `(?i)${query}` : query)
    if (pattern !== undefined) return (line) => pattern.test(line)
    throw troupeError(
      'tool_bad_arguments',
      'The expression cannot be searched for: it is not valid, too large, or has lookarounds or backreferences.',
      { fix: 'Simplify it, or search for plain text without `regex`.' },
    )
  }
  if (!ignoreCase) return (line) => line.includes(query)
  const low = query.toLowerCase()
  return (line) => line.toLowerCase().includes(low)
}
