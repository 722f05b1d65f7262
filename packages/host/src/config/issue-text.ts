import { SERVER_KEY_SUGGESTIONS } from '@troupe/cards'
import { closest } from '@troupe/schema/text'
import type { z } from 'zod'

type ConfigIssue = z.core.$ZodIssue

/** A message about one key and the path of that key. */
export interface IssueText {
  readonly text: string
  readonly path: readonly (string | number)[]
}

/** Converts a zod issue to messages. `knownKeys` returns the candidates for a misspelled key. */
export function issueTexts(
  issue: ConfigIssue,
  knownKeys: (path: readonly PropertyKey[]) => readonly string[],
): readonly IssueText[] {
  if (issue.code !== 'unrecognized_keys') return [{ text: messageOf(issue), path: pathOf(issue.path) }]
  const known = knownKeys(issue.path)
  return issue.keys.map((key) => {
    const suggestion =
      (isServer(issue.path) ? SERVER_KEY_SUGGESTIONS.get(key) : undefined) ?? closest(key, known)
    const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
    return { text: `${keyOf([...issue.path, key])}: unknown key${hint}`, path: pathOf([...issue.path, key]) }
  })
}

function isServer(path: readonly PropertyKey[]): boolean {
  return path.length === 2 && path[0] === 'mcpServers'
}

function messageOf({ path, message }: ConfigIssue): string {
  return path.length === 0 ? message : `${keyOf(path)}: ${lowerFirst(message)}`
}

function keyOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.')
}

function pathOf(path: readonly PropertyKey[]): IssueText['path'] {
  return path.map((step) => (typeof step === 'number' ? step : String(step)))
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
