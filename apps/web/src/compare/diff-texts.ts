/** A piece of one side of a diff. */
export interface DiffPiece {
  readonly text: string
  /** True if the other side does not have it. */
  readonly isChanged: boolean
}

/** The pieces of both sides of a diff. */
export interface TextDiff {
  readonly left: readonly DiffPiece[]
  readonly right: readonly DiffPiece[]
}

/** Longest text that is compared, in characters. */
export const MAX_DIFF_LENGTH = 100_000
/** Longest text that is compared word by word, in characters. Longer ones are compared line by line. */
const MAX_WORDS_LENGTH = 8000
/** Most insertions and deletions, which bounds the work and the number of pieces. */
const MAX_EDITS = 800

/**
 * Compares two texts word by word, or line by line if they are long. Resolves with `undefined` if they are too
 * long or too different. The library is loaded with the first call.
 */
export async function diffTexts(left: string, right: string): Promise<TextDiff | undefined> {
  const longest = Math.max(left.length, right.length)
  if (longest > MAX_DIFF_LENGTH) return undefined
  const { diffLines, diffWordsWithSpace } = await import('diff')
  const options = { maxEditLength: MAX_EDITS }
  const changes =
    longest > MAX_WORDS_LENGTH ? diffLines(left, right, options) : diffWordsWithSpace(left, right, options)
  if (changes === undefined) return undefined
  const pieces = (isLeft: boolean): readonly DiffPiece[] =>
    changes
      .filter(({ added, removed }) => (isLeft ? !added : !removed))
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }))
  return { left: pieces(true), right: pieces(false) }
}
