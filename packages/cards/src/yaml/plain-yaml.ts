import type { Json, JsonObject } from '@troupe/schema'
import { JSON_CORE_SCHEMA } from './json-core-schema.ts'

/** No text of this length can pass the limits of depth and values. */
const MAX_LENGTH = 16_384
const MAX_INDENT = 16
const OTHER_CHARACTERS = /[^\n\x20-\x7E]/u
/** Lines that say nothing, before the first that does. */
const SILENT_START = /^(?: *(?:#.*)?\n)+/u
const QUOTED = /^(?:'[^']*'|"[^"\\]*")$/u
/** A text without quotes that ends where the line does. */
const PLAIN = /^[\w./($<+~](?:[^:#]|:(?! |$)|(?<! )#)*$/u
/** No schema of YAML takes it for anything but text. */
const WORD = /^(?!(?:null|true|false)$)[a-z/(<$]/iu
const PLAIN_IN_LIST = /^[\w./(][\w ./()@+=*-]*$/u

/**
 * One line: its indent, `- ` or a key, and what stands behind: text that is plain and a word, or the rest. A line without any of these is of
 * another form. Lines below it that say nothing belong to it. Lines are taken apart in one go, as code of ours that runs for each of them is compiled anew by every process.
 */
const LINE = new RegExp(
  [
    '^(?:( *)',
    // not what YAML takes for another value than text
    String.raw`(?:- +(?=\S)|((?!(?:null|true|false):)[a-z$][\w$-]{0,99}):(?: +|$))`,
    String.raw`(?:((?!(?:null|true|false)$)[a-z/(<$][^:#\n]*(?:(?::(?! |$)|(?<! )#)[^:#\n]*)*(?<! ))|(.*))`,
    String.raw`|.+)$(?:\n *(?:#.*)?$)*\n?`,
  ].join(''),
  'imu',
)
/** The pieces of a line, as `split` gives them: what is between it and the one before, which is nothing, and four groups. */
const INDENT = 1
const KEY = 2
const TEXT = 3
const REST = 4
const PIECES = 5

/** The lines that are left. */
interface Reading {
  readonly pieces: readonly (string | undefined)[]
  /** The first piece of the next line. */
  at: number
}

/**
 * Reads the YAML that most cards are written in: keys with text on one line, lists, and mappings of these. Gives exactly what js-yaml
 * gives, or undefined for everything that is written otherwise, right or wrong. This takes an eighth of the time of a parser that knows all of YAML,
 * above all in the first pass of a process, which is the only one that most processes have.
 */
export function readPlainYaml(text: string): JsonObject | undefined {
  if (text.length > MAX_LENGTH || OTHER_CHARACTERS.test(text)) return undefined
  const pieces: readonly (string | undefined)[] = text.replace(SILENT_START, '').split(LINE)
  const reading = { pieces, at: 0 }
  const mapping = readMapping(reading, 0)
  return reading.at === pieces.length - 1 ? mapping : undefined
}

/** Keys that begin at one column; undefined also where there is none. What follows is for who called. */
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

/** What stands behind a key and is no plain text. */
function readRest(reading: Reading, indent: number, written: string | undefined): Json | undefined {
  const rest = written?.trimEnd()
  if (rest === undefined || rest === '') return readBelow(reading, indent)
  return rest.startsWith('[') ? readListOfLine(rest) : readScalar(rest, PLAIN)
}

/** The list or the mapping below a key; `null` where there is neither. */
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
