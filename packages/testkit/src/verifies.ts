import { troupeError } from '@troupe/schema'

const ID = /^[ABCDR]\d{1,3}$/u

/**
 * The requirement ids that a test proves, as text for its title: `[A36 A42]`.
 * The requirements gate finds them by this call, so give the ids as literals.
 * Throws `usage_invalid` when there is no id or one of them has not the form of `A36`.
 */
export function verifies(...ids: readonly string[]): string {
  if (ids.length === 0) throw troupeError('usage_invalid', 'verifies() got no requirement id.')
  const bad = ids.find((id) => !ID.test(id))
  if (bad !== undefined) {
    throw troupeError('usage_invalid', `"${bad}" is not a requirement id.`, {
      fix: 'Write a letter of A, B, C, D or R and a number, such as "A36".',
    })
  }
  return `[${ids.join(' ')}]`
}
