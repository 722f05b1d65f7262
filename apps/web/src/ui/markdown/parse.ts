import { Lexer, Marked, type Links, type Token } from 'marked'
import { EXTENSIONS, type FootnoteToken } from './extensions.ts'

/** Maximum length of a text that is parsed as Markdown. Longer texts are shown as they are. */
export const MAX_LENGTH = 100_000
/** Maximum nesting depth. A browser fails on much deeper elements. */
const MAX_DEPTH = 60
/** A line that opens more quotes and lists than that. The parser needs quadratic time for them. */
const DEEP_LINE = /^[ \t]*(?:(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])[ \t]*){60}/mu

const { defaults } = new Marked({ gfm: true }, { extensions: [...EXTENSIONS] })

/** Largest estimate of the steps for the marks of a text, about 10 ms: for each pair of marks, the parser reads the text. */
const MAX_STEPS = 200_000_000

/** A lexer that leaves a text with too many marks as it is. */
class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    const marks = src.match(/[*_]+|[~`[!<$\\]/gu)?.length ?? 0
    if (marks * marks * src.length <= MAX_STEPS) return super.inlineTokens(src, tokens)
    tokens.push({ type: 'text', raw: src, text: src, escaped: false })
    return tokens
  }
}

/** Returns true for a text that is short and flat enough to be parsed. */
export function isParsable(text: string): boolean {
  return text.length <= MAX_LENGTH && !DEEP_LINE.test(text)
}

/** Converts the line ends of a text to those that the parser uses, so that its tokens have the same offsets. */
export function normalizeLines(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/gu, '\n') : text
}

/** Parses Markdown. `links` are definitions from an earlier part of the text. Throws if it is nested too deeply. */
export function parseBlocks(
  text: string,
  links: Links = {},
): { readonly blocks: readonly Token[]; readonly links: Links } {
  const lexer = new BoundedLexer(defaults)
  Object.assign(lexer.tokens.links, links)
  const blocks = lexer.lex(text)
  checkDepth(blocks, 0)
  return { blocks: [...blocks], links: lexer.tokens.links }
}

/** Splits Markdown into its outermost blocks, without parsing what is in a line. */
export function splitBlocks(text: string): readonly Token[] {
  const lexer = new BoundedLexer(defaults)
  return lexer.blockTokens(text, lexer.tokens)
}

function checkDepth(tokens: readonly Token[], depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError('The text is nested too deeply.')
  for (const token of tokens) checkDepth(childrenOf(token), depth + 1)
}

/** Returns the tokens inside a token. */
export function childrenOf(token: Token): readonly Token[] {
  if (token.type === 'list') return token['items'] as Token[]
  if (token.type === 'table') {
    const { header, rows } = token as unknown as TableCells
    return [header, ...rows].flatMap((row) => row.flatMap((cell) => cell.tokens))
  }
  return 'tokens' in token ? (token.tokens ?? []) : []
}

interface TableCells {
  readonly header: readonly { readonly tokens: readonly Token[] }[]
  readonly rows: TableCells['header'][]
}

/** A footnote that is referred to. */
export interface Footnote {
  /** Its number, in the order of the first references. */
  readonly number: number
  /** Its text; `undefined` if it has no definition yet. */
  readonly token: FootnoteToken | undefined
}

/** The footnotes of a text that are referred to, by label, in the order of their numbers. */
export type Footnotes = ReadonlyMap<string, Footnote>

/** Collects the footnotes. References without a definition are included if `keepUndefined` is set. */
export function collectFootnotes(blocks: readonly Token[], keepUndefined: boolean): Footnotes {
  const definitions = new Map<string, FootnoteToken>()
  const labels = new Set<string>()
  const visit = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'footnoteReference') labels.add(String(token['label']))
      const label = token.type === 'footnote' ? String(token['label']) : undefined
      if (label !== undefined && !definitions.has(label))
        definitions.set(label, token as unknown as FootnoteToken)
      visit(childrenOf(token))
    }
  }
  visit(blocks)
  const known = [...labels].filter((label) => keepUndefined || definitions.has(label))
  return new Map(
    known.map((label, index) => [label, { number: index + 1, token: definitions.get(label) }] as const),
  )
}
