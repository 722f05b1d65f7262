import { closest } from '@troupe/cards'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What is wrong at which key, in words; `knownKeys` gives the keys that a misspelt one may mean. */
export function issueTexts(
  issue: Issue,
  knownKeys: (path: readonly PropertyKey[]) => readonly string[],
): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [`${keyOf(issue.path)}: ${lowerFirst(issue.message)}`]
  const known = knownKeys(issue.path)
  return issue.keys.map((key) => {
    const meant = closest(key, known)
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
    return `${keyOf([...issue.path, key])}: unknown key${hint}`
  })
}

function keyOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the whole' : path.map(String).join('.')
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
