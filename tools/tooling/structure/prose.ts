import type { SourceFile } from './source-files.ts'

/** A word or phrase that the style guide replaces. */
export interface BannedPhrase {
  readonly phrase: RegExp
  readonly use: string
}

/** Phrases that must not be in comments, messages, test titles and pages. */
export const BANNED: readonly BannedPhrase[] = [
  {
    phrase: /\b(?:nobody|somebody|anybody|whoever|strangers?)\b/iu,
    use: 'say who: the caller, the user, another client',
  },
  { phrase: /\b(?:goes|going|gone|went) on\b/iu, use: 'continue, or resume' },
  { phrase: /\btold\b/iu, use: 'name the component and what it emits, prints or receives' },
  {
    phrase:
      /(?<!\bthere )\b(?:is|are) no (?:JSON|(?:card|agent|tool|file|folder|object|list|number|text)s?)\b/iu,
    use: 'is not a …',
  },
  { phrase: /\b(?:desks?|shel(?:f|ves)|purses?|patience)\b/iu, use: 'the word of the glossary' },
  { phrase: /\b(?:way out|ways out)\b/iu, use: 'exfiltration channel' },
  { phrase: /\b(?:begun|unasked)\b/iu, use: 'started' },
]

/** Files that contain such words for a reason. */
const ALLOWED: readonly { readonly path: RegExp; readonly words: RegExp; readonly reason: string }[] = [
  {
    path: /^tools\/tooling\/(?:structure|docs|test)\//u,
    words: /./u,
    reason: 'the checks of words, and their tests',
  },
  {
    path: /^examples\/tool-hooks-declarative\//u,
    words: /^(?:desk|shelf|shelves)$/u,
    reason: 'the team of a library, which has a desk and shelves',
  },
  { path: /^tools\/browser-tests\//u, words: /^Desk$/u, reason: 'the name of an agent' },
]

const COMMENT_OR_TEXT = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gu

/** A use of a banned word in prose. */
export interface ProseViolation {
  readonly path: string
  readonly line: number
  readonly found: string
  readonly use: string
}

/**
 * Returns the banned words in the comments and texts of TypeScript files, and in the whole text of other files, except where they are
 * allowed.
 */
export function proseViolations(files: readonly SourceFile[]): readonly ProseViolation[] {
  return files.flatMap(({ path, text }) =>
    proseOf(path, text).flatMap(({ start, prose }) =>
      BANNED.flatMap(({ phrase, use }) =>
        Array.from(prose.matchAll(new RegExp(phrase, `${phrase.flags}g`)), ({ 0: found, index }) => ({
          path,
          line: text.slice(0, start + index).split('\n').length,
          found,
          use,
        })).filter((violation) => !isAllowed(violation)),
      ),
    ),
  )
}

function isAllowed({ path, found }: ProseViolation): boolean {
  return ALLOWED.some((allowed) => allowed.path.test(path) && allowed.words.test(found))
}

function proseOf(path: string, text: string): readonly { readonly start: number; readonly prose: string }[] {
  if (!/\.tsx?$/u.test(path)) return [{ start: 0, prose: text }]
  const spoken = Array.from(text.matchAll(COMMENT_OR_TEXT), ({ 0: prose, index }) => ({
    start: index,
    prose,
  }))
  // Identifiers with a single word in quotes are keys and codes; sentences contain a space.
  return spoken.filter(({ prose }) => prose.includes(' '))
}
