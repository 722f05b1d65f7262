/** Number of comparisons that a decision may still make. */
export interface MatchBudget {
  left: number
}

/** Creates a budget that is enough for hundreds of ordinary rules and takes about 20 ms at most. */
export function createMatchBudget(): MatchBudget {
  return { left: 2_000_000 }
}

/** Returns true if `text` matches `pattern` as a whole: `*` is any text, `?` is one character. `undefined` if the budget ran out. */
export function matchGlob(pattern: string, text: string, budget: MatchBudget): boolean | undefined {
  return matchItems(pattern, text, { isStar: isStarCharacter, matches: matchesCharacter, budget })
}

/**
 * Matches a path pattern: `*` and `?` stay within a segment, `**` is any number of segments. `undefined` if
 * the budget ran out.
 */
export function matchPathGlob(pattern: string, path: string, budget: MatchBudget): boolean | undefined {
  return matchItems(pattern.split('/'), path.split('/'), {
    isStar: (segment) => segment === '**',
    matches: (segment, text) => matchGlob(segment, text, budget) === true,
    budget,
  })
}

function isStarCharacter(character: string): boolean {
  return character === '*'
}

function matchesCharacter(pattern: string, character: string): boolean {
  return pattern === '?' || pattern === character
}

/** Matches two sequences. Only the last star is extended, so the work is at most the product of lengths. */
function matchItems(
  pattern: ArrayLike<string>,
  text: ArrayLike<string>,
  how: {
    isStar(item: string): boolean
    matches(pattern: string, item: string): boolean
    readonly budget: MatchBudget
  },
): boolean | undefined {
  const { isStar, matches, budget } = how
  let at = 0
  let inText = 0
  let afterStar = -1
  let starTakesUntil = 0
  while (inText < text.length) {
    budget.left -= 1
    if (budget.left < 0) return undefined
    const item = pattern[at]
    if (item !== undefined && isStar(item)) {
      at += 1
      afterStar = at
      starTakesUntil = inText
    } else if (item !== undefined && matches(item, text[inText] ?? '')) {
      at += 1
      inText += 1
    } else if (afterStar === -1) {
      return false
    } else {
      at = afterStar
      starTakesUntil += 1
      inText = starTakesUntil
    }
  }
  while (at < pattern.length && isStar(pattern[at] ?? '')) at += 1
  return at === pattern.length
}
