import { plainText } from '@troupe/timeline'
import { lexer, type Token } from 'marked'
import { allLines, type BlockFormat } from './block-lines.ts'

/** Markdown that comes in pieces, as lines for a terminal. */
export interface MarkdownStream {
  /** Takes a piece; the answer is the lines of the blocks that nothing can change any more. */
  push(text: string, format: BlockFormat): readonly string[]
  /** The block that is being written, as it stands. */
  rest(format: BlockFormat): readonly string[]
  /** The lines of what is left: nothing more comes. The next piece begins a text of its own. */
  flush(format: BlockFormat): readonly string[]
}

/** A text in pieces. What could drive the terminal is taken out of it. */
export function createMarkdownStream(): MarkdownStream {
  let pending = ''
  let hasLines = false
  /** A blank line stands between what was drawn before and this. */
  const below = (lines: readonly string[]): readonly string[] =>
    hasLines && lines.length > 0 ? ['', ...lines] : lines
  const take = (tokens: readonly Token[], format: BlockFormat): readonly string[] => {
    const lines = below(allLines(tokens, format))
    hasLines ||= lines.length > 0
    return lines
  }
  return {
    push(text, format) {
      pending = plainText(pending + text, { lines: true })
      const tokens = lexer(pending)
      const last = tokens.findLastIndex(({ type }) => type !== 'space')
      const finished = tokens.slice(0, Math.max(0, last))
      if (!finished.some(({ type }) => type !== 'space')) return []
      // what is left is cut from the text: a lexer may change white space at its end
      pending = pending.slice(finished.reduce((sum, { raw }) => sum + raw.length, 0))
      return take(finished, format)
    },
    rest: (format) => below(allLines(blocksOf(pending), format)),
    flush(format) {
      const lines = take(blocksOf(pending), format)
      pending = ''
      hasLines = false
      return lines
    },
  }
}

/** A whole text of Markdown as lines for a terminal. */
export function markdownLines(text: string, format: BlockFormat): readonly string[] {
  return allLines(blocksOf(text), format)
}

function blocksOf(text: string): readonly Token[] {
  return lexer(plainText(text, { lines: true }))
}
