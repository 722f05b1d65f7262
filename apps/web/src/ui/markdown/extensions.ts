import type { Token, TokenizerAndRendererExtension, Tokens } from 'marked'

/** A formula in TeX. */
export interface MathsToken {
  readonly type: 'maths'
  readonly raw: string
  readonly tex: string
  readonly isDisplay: boolean
}

/** The definition of a footnote. */
export interface FootnoteToken {
  readonly type: 'footnote'
  readonly raw: string
  readonly label: string
  readonly tokens: Token[]
}

/** A reference to a footnote. */
export interface FootnoteReferenceToken {
  readonly type: 'footnoteReference'
  readonly raw: string
  readonly label: string
}

/** Longest formula, in characters. */
const MAX_TEX = 4000
/** Characters in which the next formula is searched, so that a long text is not searched for each word. */
const SEARCHED = 2000

const DELIMITERS = [
  { open: '$$', close: '$$', isDisplay: true },
  { open: String.raw`\[`, close: String.raw`\]`, isDisplay: true },
  { open: String.raw`\(`, close: String.raw`\)`, isDisplay: false },
] as const

/** Reads a formula between delimiters at the start of a text. */
function readDelimited(src: string): MathsToken | undefined {
  for (const { open, close, isDisplay } of DELIMITERS) {
    if (!src.startsWith(open)) continue
    const end = src.slice(0, MAX_TEX).indexOf(close, open.length)
    if (end === -1) return undefined
    const tex = src.slice(open.length, end).trim()
    if (tex === '' || /\n[ \t]*\n/u.test(tex)) return undefined
    return { type: 'maths', raw: src.slice(0, end + close.length), tex, isDisplay }
  }
  return undefined
}

/** As in pandoc: no space inside the dollars, and no digit after them, because `$5 and $10` are prices. */
const DOLLARS = /^\$(?![\s$])((?:\\[^\n]|[^\\$\n]){1,1000})(?<!\s)\$(?!\d)/u

const mathsBlock: TokenizerAndRendererExtension = {
  name: 'mathsBlock',
  level: 'block',
  tokenizer(src): Tokens.Generic | undefined {
    const found = readDelimited(src)
    if (found?.isDisplay !== true) return undefined
    const rest = /^[ \t]*(?:\n+|$)/u.exec(src.slice(found.raw.length))
    return rest === null ? undefined : { ...found, raw: found.raw + rest[0] }
  },
}

const mathsInline: TokenizerAndRendererExtension = {
  name: 'maths',
  level: 'inline',
  start(src) {
    const index = src.slice(0, SEARCHED).indexOf('$')
    return index === -1 ? undefined : index
  },
  tokenizer(src): Tokens.Generic | undefined {
    const delimited = readDelimited(src)
    if (delimited !== undefined) return { ...delimited }
    const [raw, tex] = DOLLARS.exec(src) ?? []
    return raw === undefined || tex === undefined ? undefined : { type: 'maths', raw, tex, isDisplay: false }
  },
}

/** A label, the rest of the line, and lines up to a blank one, or indented ones after it. */
const FOOTNOTE =
  /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*([^\n]*(?:\n(?!\s*\n| {0,3}\[\^)[^\n]+|\n+(?: {2,}|\t)[^\n]*)*)(?:\n+|$)/u

const footnote: TokenizerAndRendererExtension = {
  name: 'footnote',
  level: 'block',
  tokenizer(src): Tokens.Generic | undefined {
    const [raw, label, text] = FOOTNOTE.exec(src) ?? []
    if (raw === undefined || label === undefined || text === undefined) return undefined
    const tokens = this.lexer.blockTokens(text.replaceAll(/\n(?: {2,4}|\t)/gu, '\n'), [])
    return { type: 'footnote', raw, label, tokens }
  },
}

const footnoteReference: TokenizerAndRendererExtension = {
  name: 'footnoteReference',
  level: 'inline',
  tokenizer(src): Tokens.Generic | undefined {
    const [raw, label] = /^\[\^([^\]\s]{1,100})\]/u.exec(src) ?? []
    return raw === undefined || label === undefined ? undefined : { type: 'footnoteReference', raw, label }
  },
}

/** Formulas and footnotes, which are not part of GitHub's grammar of marked. */
export const EXTENSIONS: readonly TokenizerAndRendererExtension[] = [
  mathsBlock,
  mathsInline,
  footnote,
  footnoteReference,
]
