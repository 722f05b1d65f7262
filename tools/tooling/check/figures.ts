import { readFileSync } from 'node:fs'

/** How much a test tried when it last passed in a soak. */
export interface Figure {
  readonly name: string
  readonly value: number
  /** Date of the test run, such as `2026-11-28`. */
  readonly date: string
  /** The file of the test, from the root of the repository. */
  readonly test: string
}

/** Reads the figures of a file. */
export function readFigures(file: string): readonly Figure[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Figure[]
}

/** Returns the figures with new ones in place of those of the same names, by test and name. */
export function updateFigures(earlier: readonly Figure[], found: readonly Figure[]): readonly Figure[] {
  const names = new Set(found.map(({ name }) => name))
  return [...earlier.filter(({ name }) => !names.has(name)), ...found].toSorted(
    (one, other) => one.test.localeCompare(other.test, 'en') || one.name.localeCompare(other.name, 'en'),
  )
}
