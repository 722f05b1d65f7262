import { type Token, type Tokens, lexer } from 'marked'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { plainText } from '@troupe/timeline'
import { tableLines, type Column } from './table.ts'
import type { Style } from '../terminal/terminal.ts'

/** Renderer of streamed Markdown as lines for a terminal. */
interface MarkdownStream {
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

interface BlockFormat {
  /** Maximum line width in columns. */
  readonly width: number
  readonly style: Style
}

const MIN_WIDTH = 10
const MAX_RULE_WIDTH = 40

/** Returns a Markdown block as lines for a terminal. Lines of code are only broken if they are too wide. */
function blockLines(token: Token, format: BlockFormat): readonly string[] {
  const { style } = format
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return wrap(inlineText(token['tokens'] ?? [], style), format).map((line) => style.bold(line))
    case 'list':
      return listLines(token as Tokens.List, format)
    case 'code':
      return codeLines(token['text'], format)
    case 'blockquote':
      return withPrefix(style.dim('│ '), format, (inner) => allLines(token['tokens'] ?? [], inner))
    case 'table':
      return gridLines(token as Tokens.Table, format)
    case 'hr':
      return [style.dim('─'.repeat(Math.min(MAX_RULE_WIDTH, format.width)))]
    default:
      return wrap(token.type === 'html' ? token.raw.trimEnd() : inlineText([textToken(token)], style), format)
  }
}

/** Returns the lines of several blocks, separated by blank lines. */
function allLines(tokens: readonly Token[], format: BlockFormat): readonly string[] {
  const blocks = tokens.map((token) => blockLines(token, format)).filter((lines) => lines.length > 0)
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/** Turns a paragraph into a text token. */
function textToken(token: Token): Token {
  return token.type === 'paragraph' ? { ...token, type: 'text' } : token
}

function listLines({ items, ordered, start, loose }: Tokens.List, format: BlockFormat): readonly string[] {
  const first = typeof start === 'number' ? start : 1
  const widest = `${first + items.length - 1}. `.length
  return items.flatMap((item, index) => {
    const mark = ordered ? `${first + index}. `.padStart(widest) : '• '
    const lines = withPrefix(' '.repeat(mark.length), format, (inner) => itemLines(item, inner))
    const [firstLine = '', ...rest] = lines
    const gap = loose && index > 0 ? [''] : []
    return [...gap, `${mark}${firstLine.slice(mark.length)}`, ...rest]
  })
}

/** Returns the lines of a list item. In a tight list, a nested list follows without a blank line. */
function itemLines({ tokens, loose }: Tokens.ListItem, format: BlockFormat): readonly string[] {
  if (loose) return allLines(joinCheckbox(tokens), format)
  return joinCheckbox(tokens).flatMap((token) => blockLines(token, format))
}

/** Moves the checkbox of a task into the line of its text. */
function joinCheckbox(tokens: readonly Token[]): readonly Token[] {
  const [first, second, ...rest] = tokens
  if (first?.type !== 'checkbox' || second === undefined) return tokens
  const text = 'tokens' in second ? (second.tokens ?? []) : []
  return [{ ...second, tokens: [first, ...text] }, ...rest]
}

function codeLines(text: string, format: BlockFormat): readonly string[] {
  return withPrefix('  ', format, ({ width, style }) =>
    text.split('\n').flatMap((line) =>
      wrapAnsi(line, width, { hard: true, trim: false, wordWrap: false })
        .split('\n')
        .map((part) => style.cyan(part)),
    ),
  )
}

/** Returns a table. If it is too wide, each cell becomes a line with its title. */
function gridLines({ header, align, rows }: Tokens.Table, format: BlockFormat): readonly string[] {
  const { style, width } = format
  const columns = header.map((cell, index): Column => {
    const title = inlineText(cell.tokens, style)
    return align[index] === 'right' ? { title, align: 'right' } : { title }
  })
  const cells = rows.map((row) => row.map(({ tokens }) => inlineText(tokens, style).replaceAll('\n', ' ')))
  const [titles = '', ...lines] = tableLines(columns, cells)
  const widest = Math.max(...[titles, ...lines].map((line) => stringWidth(line)))
  if (widest <= width) return [style.bold(titles), ...lines]
  return cells.flatMap((row, rowIndex) => [
    ...(rowIndex === 0 ? [] : ['']),
    ...row.flatMap((cell, index) => wrap(`${style.bold(columns[index]?.title ?? '')}: ${cell}`, format)),
  ])
}

/** Draws lines that are narrower by the width of the prefix, and prepends the prefix. */
function withPrefix(
  prefix: string,
  { width, style }: BlockFormat,
  draw: (inner: BlockFormat) => readonly string[],
): readonly string[] {
  const inner = Math.max(MIN_WIDTH, width - stringWidth(prefix))
  return draw({ width: inner, style }).map((line) => `${prefix}${line}`)
}

function wrap(text: string, { width }: BlockFormat): readonly string[] {
  return wrapAnsi(text, width, { hard: true }).split('\n')
}

/** Returns the inline tokens of Markdown as one text for a terminal. */
function inlineText(tokens: readonly Token[], style: Style): string {
  return tokens.map((token) => oneToken(token, style)).join('')
}

function oneToken(token: Token, style: Style): string {
  const inner = (): string => inlineText('tokens' in token ? (token.tokens ?? []) : [], style)
  switch (token.type) {
    case 'strong':
      return style.bold(inner())
    case 'em':
      return style.italic(inner())
    case 'codespan':
      return codeText(token['text'], style)
    case 'link':
      return linkText(inner(), { href: token['href'], style })
    case 'image':
      return linkText(token['text'], { href: token['href'], style })
    case 'br':
      return '\n'
    case 'checkbox':
      return token['checked'] === true ? '[x] ' : '[ ] '
    case 'escape':
      return token['text']
    case 'text':
      return token['tokens'] === undefined ? token['text'] : inner()
    default:
      // Keep strikethrough, HTML and unknown tokens as they were written.
      return token.raw
  }
}

/** Colours code. Without colours, the backticks stay to mark it. */
function codeText(text: string, style: Style): string {
  const colored = style.cyan(text)
  return colored === text ? `\`${text}\`` : colored
}

/**
 * Returns the text of a link with its address. Showing the address makes it clickable and keeps the target
 * visible.
 */
function linkText(text: string, { href, style }: { readonly href: string; readonly style: Style }): string {
  const address = href.startsWith('mailto:') ? href.slice('mailto:'.length) : href
  return text === '' || text === address ? address : `${text} ${style.dim(`(${address})`)}`
}
