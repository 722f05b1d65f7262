/** A test by its full name, and whether it passed. */
export interface FinishedTest {
  readonly name: string
  readonly passed: boolean
}

/**
 * Returns the requirement ids that a run leaves open: those which tests that did not run cite, and no test that passed.
 * A title cites ids as `… [A36 B2]`.
 */
export function openIds(notRun: readonly FinishedTest[], all: readonly FinishedTest[]): readonly string[] {
  const proved = new Set(all.filter(({ passed }) => passed).flatMap(({ name }) => citedIds(name)))
  const open = new Set(notRun.flatMap(({ name }) => citedIds(name)).filter((id) => !proved.has(id)))
  return [...open].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

function citedIds(name: string): readonly string[] {
  const [, ids = ''] = /\[((?:[A-DR]\d{1,3} ?)+)\]$/u.exec(name) ?? []
  return ids.split(' ').filter((id) => /^[A-D]/u.test(id))
}
