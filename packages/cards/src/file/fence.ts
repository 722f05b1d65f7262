/** The result of looking for front matter. */
export type FrontMatterSearch =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'block'
      /** The text from the opening to the closing `---`, both included. */
      readonly block: string
      readonly body: string
    }
  | {
      readonly kind: 'bad'
      readonly code: 'card_syntax' | 'card_too_large'
      readonly message: string
      /** Counted from 1 in this text. */
      readonly line: number
    }

const MAX_BYTES = 64 * 1024
const MAX_LINES = 2000
/** Longer runs of blank lines would take gray-matter quadratic time. */
const MAX_BLANK = 4096
const TOO_MANY_BYTES = `more than ${MAX_BYTES / 1024} KiB`

const FENCE = '---'
/** Characters between these two are never white space. */
const SPACE_AND_BELOW = 0x20
const ASCII = 0x7f
/** White space after a fence is invisible, so it is accepted. */
const OPENING = /^---(?:ya?ml)?[ \t]*$/u
const CLOSING = /^---[ \t]*$/u
/** Three dashes, but not a longer Markdown rule. */
const LIKE_FENCE = /^\s*---(?!-)/u
/** Another front matter block. `---SYSTEM` is not one: other products begin a prompt with it. */
const SECOND_FENCE = /^\s*---(?!SYSTEM[ \t]*(?:\n|$))[^\s-]/u

/** Markdown inside a code block, as chat programs show it. */
const IN_CODE_BLOCK = /^\s*(?:(?:`{3,}|~{3,})(?:chatagent|chatmode|markdown|md)[ \t]*\n)+---[ \t]*(?:\n|$)/u

/**
 * Finds the front matter of a text with LF line ends. The first line is `---`, `---yaml` or `---yml`, the
 * last one `---`. A fence that names another language is an error, because some readers would execute its
 * content.
 */
export function findFrontMatter(text: string): FrontMatterSearch {
  const opening = lineAt(text, 0)
  if (!opening.startsWith(FENCE)) return checkUnfenced(text)
  if (!OPENING.test(opening))
    return invalidFence(
      1,
      `The card starts with "${shorten(opening)}", but front matter must start with a line that is exactly "---".`,
    )
  const closing = findClosing(text, opening.length + 1)
  if ('kind' in closing) return closing
  const block = text.slice(0, closing.start + FENCE.length)
  if (Buffer.byteLength(block) > MAX_BYTES) return tooLarge(lineNumber(text, closing.start), TOO_MANY_BYTES)
  const body = text.slice(closing.end)
  if (SECOND_FENCE.test(body))
    return invalidFence(
      lineNumber(text, closing.start) + lineOf(body, FENCE),
      'The prompt starts with a second front matter block.',
    )
  return { kind: 'block', block, body }
}

/** Returns true if the first line that is not blank begins like front matter, valid or not. */
export function hasFence(text: string): boolean {
  return LIKE_FENCE.test(text)
}

function checkUnfenced(text: string): FrontMatterSearch {
  if (IN_CODE_BLOCK.test(text))
    return invalidFence(
      1,
      'The card is inside a code block, so its front matter would be read as text. Remove the lines of backquotes around it.',
    )
  if (!LIKE_FENCE.test(text)) return { kind: 'none' }
  return invalidFence(
    lineOf(text, FENCE),
    'Front matter must start in the first line of a card, without spaces before it.',
  )
}

interface ClosingFence {
  /** Start offset of the closing fence; `end` is the offset just after its line. */
  readonly start: number
  readonly end: number
}

function findClosing(text: string, from: number): ClosingFence | FrontMatterSearch {
  const start = text.indexOf(`\n${FENCE}`, from - 1) + 1
  // A block of at most `MAX_LINES` characters is within all limits.
  if (start > 0 && start - from <= MAX_LINES) return closingAt(text, start)
  return findDistantClosing(text, from)
}

function findDistantClosing(text: string, from: number): ClosingFence | FrontMatterSearch {
  let blank = 0
  let line = 2
  for (let start = from; start < text.length; line += 1) {
    const lineEnd = endOf(text, start)
    const end = lineEnd + 1
    if (text.startsWith(FENCE, start)) return closingAt(text, start)
    blank = isBlank(text, start, lineEnd) ? blank + end - start : 0
    if (blank > MAX_BLANK) return tooLarge(line, `more than ${MAX_BLANK} blank characters in a row`)
    if (line > MAX_LINES) return tooLarge(line, `more than ${MAX_LINES} lines`)
    if (end > MAX_BYTES) return tooLarge(line, TOO_MANY_BYTES)
    start = end
  }
  return invalidFence(1, 'The front matter is not closed: a line that is exactly "---" is missing.')
}

function closingAt(text: string, start: number): ClosingFence | FrontMatterSearch {
  const content = lineAt(text, start)
  if (CLOSING.test(content)) return { start, end: start + content.length + 1 }
  return invalidFence(
    lineNumber(text, start),
    `The line "${shorten(content)}" does not close the front matter. Use a line that is exactly "---".`,
  )
}

/** Most lines begin with a letter, so only other lines are checked in full. */
function isBlank(text: string, start: number, end: number): boolean {
  return text.charCodeAt(start) <= SPACE_AND_BELOW || text.charCodeAt(start) > ASCII
    ? text.slice(start, end).trim() === ''
    : start === end
}

function lineAt(text: string, start: number): string {
  return text.slice(start, endOf(text, start))
}

function endOf(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end === -1 ? text.length : end
}

/** Returns the line, counted from 1, of the first occurrence of a word. */
function lineOf(text: string, word: string): number {
  return lineNumber(text, text.indexOf(word))
}

/** Returns the line, counted from 1, of an offset. */
function lineNumber(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

function shorten(line: string): string {
  return line.length > 40 ? `${line.slice(0, 40)}…` : line
}

function invalidFence(line: number, message: string): FrontMatterSearch {
  return { kind: 'bad', code: 'card_syntax', message, line }
}

function tooLarge(line: number, what: string): FrontMatterSearch {
  return { kind: 'bad', code: 'card_too_large', message: `The front matter has ${what}.`, line }
}
