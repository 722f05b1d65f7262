import { plainText } from '@troupe/timeline'
import { lexer, type Token } from 'marked'
import { allLines, type BlockFormat } from './markdown-lines.ts'

/** Renderer of streamed Markdown as lines for a terminal. */
export interface MarkdownStream {
  /** Adds text. Returns the lines of blocks that are complete. */
  push(text: string, format: BlockFormat): readonly string[]
  /** Returns the lines of the incomplete block. */
  rest(format: BlockFormat): readonly string[]
  /** Returns the remaining lines and resets the stream for the next text. */
  flush(format: BlockFormat): readonly string[]
}

/** Creates a stream of Markdown. Control characters are removed from the text. */
export function createMarkdownStream(): MarkdownStream {
  let pending = ''
  let hasLines = false
  /** Adds a blank line between earlier lines and these. */
  const withGap = (lines: readonly string[]): readonly string[] =>
    hasLines && lines.length > 0 ? ['', ...lines] : lines
  const renderBlocks = (tokens: readonly Token[], format: BlockFormat): readonly string[] => {
    const lines = withGap(allLines(tokens, format))
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
      // Cut the remaining text from the source, because the lexer may change trailing white space.
      pending = pending.slice(finished.reduce((sum, { raw }) => sum + raw.length, 0))
      return renderBlocks(finished, format)
    },
    rest: (format) => withGap(allLines(blocksOf(pending), format)),
    flush(format) {
      const lines = renderBlocks(blocksOf(pending), format)
      pending = ''
      hasLines = false
      return lines
    },
  }
}

/** Returns a Markdown text as lines for a terminal. */
export function markdownLines(text: string, format: BlockFormat): readonly string[] {
  return allLines(blocksOf(text), format)
}

function blocksOf(text: string): readonly Token[] {
  return lexer(plainText(text, { lines: true }))
}
