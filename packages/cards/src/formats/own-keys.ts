import { quotedPath, type FieldPath } from '../fields/field-path.ts'
import { KEY_NOTES } from '../fields/key-notes.ts'
import type { ProblemDraft } from '../problem.ts'
import type { CardFormat, RawCard } from './card-format.ts'
import { ownKeyOf } from './troupe-aliases.ts'

/** Returns true if ignoring a Troupe key gives the agent no further abilities. */
export function isSafeToIgnore(key: string): boolean {
  return KEY_NOTES.get(key)?.safeToIgnore === true
}

/**
 * Returns the problem of a Troupe key that the format of the card lacks: an error, unless the key is safe to
 * ignore.
 */
export function ignoredOwnKeyProblem(
  path: FieldPath,
  own: string,
  { product, near }: { readonly product: string; readonly near?: string | undefined },
): ProblemDraft {
  const other = near === undefined ? '' : `, or \`${near}\`, the key of ${product}`
  return {
    severity: isSafeToIgnore(own) ? 'warning' : 'error',
    code: 'card_key_ignored',
    message: `${quotedPath(path)} is a key of Troupe cards, and this file is read as one of ${product}, which does not have it.`,
    at: path,
    fix: `Write \`dialect: troupe\` to read the file as a Troupe card${other}, or remove the key.`,
  }
}

/**
 * Returns the problems of Troupe keys at the top level of a file with several agents, where they would have
 * no effect.
 */
export function ignoredFileKeyProblems(cardFormat: CardFormat, card: RawCard): readonly ProblemDraft[] {
  return Object.entries(card.fields).flatMap(([key, value]) => {
    const own = ownKeyOf(key)
    const isRead =
      own === undefined || value === null || cardFormat.hasAllKeys({ ...card, fields: { [key]: value } })
    return isRead || isSafeToIgnore(own) ? [] : [ignoredOwnKeyProblem([key], own, cardFormat)]
  })
}
