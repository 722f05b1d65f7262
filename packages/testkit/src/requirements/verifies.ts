import { troupeError } from '@troupe/schema'

const ID = /^[ABCDR]\d{1,3}$/u

/**
 * Returns requirement ids as text for the title of a test that proves them: `[A36 A42]`. The requirements
 * gate searches for calls of this function, so pass literals. Throws `usage_invalid` without ids or for an id
 * not of the form `A36`.
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
