import type { Json, JsonObject } from '@troupe/schema'
import { JSON_CORE_SCHEMA } from './json-core-schema.ts'

/** Maximum length in characters. No text of this length can exceed the limits of depth and values. */
const MAX_LENGTH = 16_384
const MAX_INDENT = 16
const OTHER_CHARACTERS = /[^\n\x20-\x7E]/u
/** Empty lines and comments at the start. */
const SILENT_START = /^(?: *(?:#.*)?\n)+/u
const QUOTED = /^(?:'[^']*'|"[^"\\]*")$/u
/** An unquoted scalar up to the end of the line. */
const PLAIN = /^[\w./($<+~](?:[^:#]|:(?! |$)|(?<! )#)*$/u
/** A scalar that is a string in every YAML schema. */
const WORD = /^(?!(?:null|true|false)$)[a-z/(<$]/iu
const PLAIN_IN_LIST = /^[\w./(][\w ./()@+=*-]*$/u

/**
 * Matches one line with the empty lines and comments after it: the indent, `- ` or a key, and the value, which
 * is either a plain word or anything else. Other lines match without groups. One regular expression splits all
 * lines, because JavaScript that runs per line would be compiled again in every process.
 */
const LINE = new RegExp(
  [
    '^(?:( *)',
    // not a key that YAML reads as another type than string
    String.raw`(?:- +(?=\S)|((?!(?:null|true|false):)[a-z$][\w$-]{0,99}):(?: +|$))`,
    String.raw`(?:((?!(?:null|true|false)$)[a-z/(<$][^:#\n]*(?:(?::(?! |$)|(?<! )#)[^:#\n]*)*(?<! ))|(.*))`,
    String.raw`|.+)$(?:\n *(?:#.*)?$)*\n?`,
  ].join(''),
  'imu',
)
/** Offsets of the groups of a line in the result of `split`. Offset 0 is the empty text before the line. */
const INDENT = 1
const KEY = 2
const TEXT = 3
const REST = 4
const PIECES = 5

/** Reading position in the split text. */
interface Reading {
  readonly pieces: readonly (string | undefined)[]
  /** Index of the first piece of the next line. */
  at: number
}

/**
 * Parses the subset of YAML that most cards use: keys with one-line values, lists, and mappings of these.
 * Returns the same value as js-yaml, or `undefined` for any other text, valid or not. It takes an eighth of the
 * time of a full parser in the first call of a process, and most processes make only one.
 */
export function readPlainYaml(text: string): JsonObject | undefined {
  if (text.length > MAX_LENGTH || OTHER_CHARACTERS.test(text)) return undefined
  const pieces: readonly (string | undefined)[] = text.replace(SILENT_START, '').split(LINE)
  const reading = { pieces, at: 0 }
  const mapping = readMapping(reading, 0)
  return reading.at === pieces.length - 1 ? mapping : undefined
}

/** Reads the keys at one indent. Returns `undefined` if there are none or one has another form. */
function readMapping(reading: Reading, indent: number): JsonObject | undefined {
  const { pieces } = reading
  const mapping: { [key: string]: Json } = {}
  const first = reading.at
  for (let at = first; pieces[at + INDENT]?.length === indent; at = reading.at) {
    const key = pieces[at + KEY]
    if (key === undefined || Object.hasOwn(mapping, key)) return undefined
    reading.at += PIECES
    const read = pieces[at + TEXT] ?? readRest(reading, indent, pieces[at + REST])
    if (read === undefined) return undefined
    mapping[key] = read
  }
  return reading.at === first || indent > MAX_INDENT ? undefined : mapping
}

/** Reads the value of a key that is not a plain word. */
function readRest(reading: Reading, indent: number, written: string | undefined): Json | undefined {
  const rest = written?.trimEnd()
  if (rest === undefined || rest === '') return readBelow(reading, indent)
  return rest.startsWith('[') ? readListOfLine(rest) : readScalar(rest, PLAIN)
}

/** Reads the list or mapping below a key. Returns `null` if there is neither. */
function readBelow(reading: Reading, above: number): Json | undefined {
  const { pieces, at } = reading
  const indent = pieces[at + INDENT]?.length
  if (indent === undefined) return null
  if (pieces[at + KEY] === undefined && indent >= above) return readList(reading, indent)
  return indent > above ? readMapping(reading, indent) : null
}

function readList(reading: Reading, indent: number): readonly Json[] | undefined {
  const { pieces } = reading
  const list: Json[] = []
  for (let at = reading.at; pieces[at + INDENT]?.length === indent; at = reading.at) {
    if (pieces[at + KEY] !== undefined) return list
    const read = pieces[at + TEXT] ?? readScalar(pieces[at + REST]?.trimEnd() ?? '', PLAIN)
    if (read === undefined) return undefined
    list.push(read)
    reading.at += PIECES
  }
  return list
}

function readListOfLine(text: string): readonly Json[] | undefined {
  if (!text.endsWith(']')) return undefined
  const inner = text.slice(1, -1)
  if (inner.trim() === '') return []
  const list: Json[] = []
  for (const item of inner.split(',')) {
    const read = readScalar(item.trim(), PLAIN_IN_LIST)
    if (read === undefined) return undefined
    list.push(read)
  }
  return list
}

function readScalar(text: string, plain: RegExp): Json | undefined {
  if (QUOTED.test(text)) return text.slice(1, -1)
  if (!plain.test(text)) return undefined
  return WORD.test(text) ? text : (JSON_CORE_SCHEMA.resolveImplicitScalarTag(text).value as Json)
}
