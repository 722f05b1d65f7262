import type { Json, JsonObject } from '@troupe/schema'
import { JSON_CORE_SCHEMA } from './json-core-schema.ts'

/** No text of this length can pass the limits of depth and values. */
const MAX_LENGTH = 16_384
const MAX_INDENT = 16
const OTHER_CHARACTERS = /[^\n\x20-\x7E]/u
/** Not what YAML takes for another value than text. */
const KEY = /^(?!(?:null|true|false)$)[a-z$][\w$-]{0,99}$/iu
const QUOTED = /^(?:'[^']*'|"[^"\\]*")$/u
/** A text without quotes that ends where the line does. */
const PLAIN = /^[\w./($<+~](?:[^:#]|:(?! |$)|(?<! )#)*$/u
/** No schema of YAML takes it for anything but text. */
const WORD = /^(?!(?:null|true|false)$)[a-z/(<$]/iu
const PLAIN_IN_LIST = /^[\w./(][\w ./()@+=*-]*$/u

/** A line that says something. */
interface Line {
  readonly indent: number
  /** Empty in a list. */
  readonly key: string
  /** What stands behind the key or the dash. */
  readonly value: string
}

/** The lines that are left. */
interface Reading {
  readonly lines: readonly Line[]
  next: number
}

/**
 * Reads the YAML that most cards are written in: keys with text on one line, lists, and mappings of these. Gives exactly what js-yaml
 * gives, or undefined for everything that is written otherwise, right or wrong. This takes an eighth of the time of a parser that knows all of YAML,
 * above all in the first pass of a process, which is the only one that most processes have.
 */
export function readPlainYaml(text: string): JsonObject | undefined {
  if (text.length > MAX_LENGTH || OTHER_CHARACTERS.test(text)) return undefined
  const lines = toLines(text)
  if (lines === undefined) return undefined
  const reading = { lines, next: 0 }
  const mapping = readMapping(reading, 0)
  return reading.next === lines.length ? mapping : undefined
}

function toLines(text: string): readonly Line[] | undefined {
  const lines: Line[] = []
  for (const written of text.split('\n')) {
    const content = written.trim()
    if (content === '' || content.startsWith('#')) continue
    const line = toLine(content, written.indexOf(content))
    if (line === undefined) return undefined
    lines.push(line)
  }
  return lines
}

/** `- item`, or `key:` with or without a value. */
function toLine(content: string, indent: number): Line | undefined {
  if (content.startsWith('- ')) return { indent, key: '', value: content.slice(2).trimStart() }
  const colon = content.indexOf(':')
  const key = content.slice(0, colon)
  if (!KEY.test(key) || (colon + 1 < content.length && content.charAt(colon + 1) !== ' ')) return undefined
  return { indent, key, value: content.slice(colon + 1).trimStart() }
}

/** Keys that begin at one column; undefined also where there is none. What follows is for who called. */
function readMapping(reading: Reading, indent: number): JsonObject | undefined {
  const mapping: { [key: string]: Json } = {}
  const first = reading.next
  for (let line = reading.lines[first]; line?.indent === indent; line = reading.lines[reading.next]) {
    const { key, value } = line
    if (key === '' || Object.hasOwn(mapping, key)) return undefined
    reading.next += 1
    const read = value === '' ? readBelow(reading, indent) : readValue(value)
    if (read === undefined) return undefined
    mapping[key] = read
  }
  return reading.next === first || indent > MAX_INDENT ? undefined : mapping
}

/** The list or the mapping below a key; `null` where there is neither. */
function readBelow(reading: Reading, indent: number): Json | undefined {
  const line = reading.lines[reading.next]
  if (line === undefined) return null
  if (line.key === '' && line.indent >= indent) return readList(reading, line.indent)
  return line.indent > indent ? readMapping(reading, line.indent) : null
}

function readList(reading: Reading, indent: number): readonly Json[] | undefined {
  const list: Json[] = []
  for (;;) {
    const line = reading.lines[reading.next]
    if (line?.key !== '' || line.indent !== indent) return list
    const read = readScalar(line.value, PLAIN)
    if (read === undefined) return undefined
    list.push(read)
    reading.next += 1
  }
}

function readValue(text: string): Json | undefined {
  return text.startsWith('[') ? readListOfLine(text) : readScalar(text, PLAIN)
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
