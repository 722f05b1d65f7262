import type { ReachedPaths } from '@troupe/schema'
import type { PossibleMatch } from './command-pattern.ts'

const MAX_LENGTH = 8192

/**
 * Compares paths with the pattern of a deny or ask rule. Ignores case, `*` matches any text, and a folder
 * includes its content. A relative pattern may match from any folder below the tool's root, or above it if it
 * leads into it.
 */
export function possiblePathMatch(
  pattern: string,
  reached: ReachedPaths,
  budget: MatchBudget,
): PossibleMatch {
  if (reached.isTree) return { kind: 'unknown', why: 'it reads all files of a folder; name one file' }
  if (reached.paths.some((path) => path.length > MAX_LENGTH))
    return { kind: 'unknown', why: 'the path is too long to be compared' }
  const wanted = readPattern(pattern)
  if (wanted === undefined) return { kind: 'unknown', why: 'the rule leads out of its folder' }
  const root = reached.root.toLowerCase()
  for (const path of reached.paths) {
    const found = isPossible(wanted, { path: path.toLowerCase(), root }, budget)
    if (found === true) return { kind: 'yes' }
    if (found === undefined) return { kind: 'unknown', why: 'comparing it with the rules takes too long' }
  }
  return { kind: 'no' }
}

/**
 * Returns true only if every path certainly matches the pattern. A pattern without `/` matches file names in
 * any folder.
 */
export function isPathMatch(
  pattern: string,
  { root, paths, isTree }: ReachedPaths,
  budget: MatchBudget,
): boolean {
  const plain = pattern.trim().replace(/^(?:\.\/)+/u, '')
  if (isTree || paths.length === 0 || /^[/~]|\.\.|\\/u.test(plain)) return false
  return paths.every((path) => {
    const below = relativeTo(root, path)
    if (below === undefined || below.length > MAX_LENGTH) return false
    return plain.includes('/')
      ? matchPathGlob(plain, below, budget) === true
      : matchGlob(plain, below.slice(below.lastIndexOf('/') + 1), budget) === true
  })
}

interface WantedPath {
  readonly glob: string
  /** True if the pattern starts at the root of the file system or of the tool. */
  readonly isAbsolute: boolean
}

function readPattern(pattern: string): WantedPath | undefined {
  const text = pattern.trim().toLowerCase().replaceAll('\\', '/')
  if (text.split('/').includes('..')) return undefined
  // the home folder is unknown here, so a pattern below it may match anywhere
  const plain = text.replace(/^(?:[~.]?\/)+/u, '').replace(/\/+$/u, '/*')
  const glob = plain.replace(/^(?:\*\*\/)+/u, '').replaceAll('/**/', '/*')
  return { glob: glob === '.' ? '*' : glob, isAbsolute: text.startsWith('/') && glob === plain }
}

function isPossible(
  { glob, isAbsolute }: WantedPath,
  { path, root }: { readonly path: string; readonly root: string },
  budget: MatchBudget,
): boolean | undefined {
  const below = startBelow(root, path)
  const literal = /[*?]/u.exec(glob)?.index ?? glob.length
  // above the root, only a pattern that leads into the root matches files in it
  const starts = isAbsolute
    ? [1, below]
    : [below, ...segmentStarts(path).filter((start) => start > below || start + literal > below)]
  for (const start of new Set(starts)) {
    const rest = path.slice(start)
    const found = matchGlob(glob, rest, budget) === true || matchGlob(`${glob}/*`, rest, budget) === true
    if (budget.left < 0) return undefined
    if (found) return true
  }
  return false
}

function segmentStarts(path: string): readonly number[] {
  return [...path.matchAll(/\//gu)].map(({ index }) => index + 1)
}

/**
 * Returns the offset of the path below the root, or of the first segment if the path is outside of the root.
 */
function startBelow(root: string, path: string): number {
  const folder = root.endsWith('/') ? root : `${root}/`
  return path === root || path.startsWith(folder) ? folder.length : 1
}

function relativeTo(root: string, path: string): string | undefined {
  if (path === root) return '.'
  const folder = root.endsWith('/') ? root : `${root}/`
  return path.startsWith(folder) ? path.slice(folder.length) : undefined
}

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
function matchPathGlob(pattern: string, path: string, budget: MatchBudget): boolean | undefined {
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
