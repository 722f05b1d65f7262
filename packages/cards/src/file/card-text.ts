import { isJsonObject, type JsonObject } from '@troupe/schema'
import type { Phrase } from '../card/card-types.ts'
import type { FieldPath, Position, ProblemDraft } from '../card/problem.ts'
import type { CardFormats } from '../formats/card-format.ts'
import { readYaml, type YamlDocument, type YamlProblem } from '../yaml/yaml.ts'
import { stripJsonComments, type CardSyntax } from './card-syntax.ts'
import { findFrontMatter } from './fence.ts'
import { readFrontMatter } from './front-matter.ts'
import { jsonError } from './json-error.ts'

/** The keys and prose of a card before translation. */
export interface CardText {
  readonly fields: JsonObject
  /** The prose after the front matter; `undefined` in YAML and JSON. */
  readonly body: string | undefined
  /** True for Markdown without front matter, which is all prose. */
  readonly isProse?: boolean
  /** Position for problems with something missing. */
  readonly start: Position
  /**
   * Returns the position of a path, or of the nearest one around it; with a phrase, the position of the
   * phrase in that value.
   */
  positionOf(path: FieldPath, phrase?: Phrase): Position | undefined
  /** Set if the front matter is not valid YAML and was read with quotes around some values. */
  readonly loose?: {
    readonly keys: readonly string[]
    /** The problem if only valid YAML is accepted. */
    readonly strict: CardRejection
  }
}

/** The reason a file is not a card. */
export interface FileRejection {
  readonly problem: ProblemDraft
  /** `undefined` if the file cannot be read. */
  readonly position?: Position
}

/** The reason a text is not a card. */
export interface CardRejection extends FileRejection {
  readonly position: Position
}

/** Maximum size of a card file. */
export const MAX_CARD_BYTES: number = 1024 * 1024
/** Maximum size of a file whose format removes data that no card needs. */
export const MAX_FILE_BYTES: number = 16 * 1024 * 1024
/**
 * Maximum lines of YAML and JSON. Equals the limit of values, so that larger files are rejected before
 * parsing.
 */
const MAX_LINES = 20_000
const YAML_FIX =
  'Correct the YAML at this line. Quote text that contains ": " or " #" or starts with a special character.'

/** Reads the text of a card. Checks sizes before parsing anything. */
export function readCardText(
  text: string,
  syntax: CardSyntax,
  formats?: Pick<CardFormats, 'readToml'>,
): CardText | CardRejection {
  const card = readLooseCardText(text, syntax, formats)
  return 'loose' in card && card.loose !== undefined ? card.loose.strict : card
}

/**
 * Reads the text of a card, accepting front matter without the quotes that YAML requires. Some products read
 * their own files like this.
 */
export function readLooseCardText(
  text: string,
  syntax: CardSyntax,
  { readToml }: Pick<CardFormats, 'readToml'> = {},
): CardText | CardRejection {
  if (text.length > MAX_CARD_BYTES || Buffer.byteLength(text) > MAX_CARD_BYTES) return tooLarge()
  const plain = (text.startsWith('\uFEFF') ? text.slice(1) : text).replaceAll('\r\n', '\n')
  const shebang = /^#!.*\n?/u.exec(plain)?.[0] ?? ''
  const content = plain.slice(shebang.length)
  const firstLine = shebang === '' ? 1 : 2
  if (syntax === 'toml')
    return readToml === undefined ? readMarkdown(content, firstLine) : toTomlCard(content, readToml)
  return syntax === 'markdown' ? readMarkdown(content, firstLine) : readData(content, { syntax, firstLine })
}

/** Reads a TOML file, in which the position of a key is that of the first line that sets it. */
function toTomlCard(
  content: string,
  readToml: NonNullable<CardFormats['readToml']>,
): CardText | CardRejection {
  if (hasMoreLines(content, MAX_LINES)) return tooLarge(`${MAX_LINES} lines`)
  const read = readToml(content)
  if ('message' in read) {
    const message = `This is not valid TOML: ${read.message}.`
    return rejection({ code: 'card_syntax', message, fix: 'Correct the TOML at this line.' }, read.position)
  }
  const lines = content.split('\n')
  const start = { line: 1, column: 1 }
  const positionOf = ([key = '']: FieldPath): Position => {
    const index = lines.findIndex((line) => lineSets(line, String(key)))
    return index === -1 ? start : { line: index + 1, column: 1 }
  }
  return { fields: read.fields, body: undefined, start, positionOf }
}

/** Returns true for a line such as `key = …` or `[key.name]`. */
function lineSets(line: string, key: string): boolean {
  const text = line.trimStart().replace(/^\[+/u, '')
  return text.startsWith(key) && /^[\s.=\]]/u.test(text.slice(key.length))
}

/** Creates the problem of a file that is too large. */
export function tooLarge(limit = `${MAX_CARD_BYTES / 1024 / 1024} MiB`): CardRejection {
  const message = `The file is larger than the limit of ${limit}.`
  return rejection({ code: 'card_too_large', message }, { line: 1, column: 1 })
}

/** Returns true if a size in bytes exceeds the limit. */
export function isTooLarge(bytes: number): boolean {
  return bytes > MAX_CARD_BYTES
}

function readMarkdown(content: string, firstLine: number): CardText | CardRejection {
  const start = { line: firstLine, column: 1 }
  const fenced = findFrontMatter(content)
  if (fenced.kind === 'none')
    return { fields: {}, body: content, isProse: true, start, positionOf: () => undefined }
  if (fenced.kind === 'bad') {
    const { code, message, line } = fenced
    return rejection({ code, message }, { line: firstLine + line - 1, column: 1 })
  }
  const strict = toCardText(readFrontMatter(fenced.block, firstLine), { start, body: fenced.body })
  return isBadYaml(strict)
    ? (readLoosely(fenced, { start, strict }) ?? explainStrayLine(fenced.block, { start, strict }))
    : strict
}

/** Reports unindented text as the cause, wherever the parser stopped because of it. */
function explainStrayLine(
  block: string,
  { start, strict }: { readonly start: Position; readonly strict: CardRejection },
): CardRejection {
  const stray = strict.problem.fix === YAML_FIX ? findStrayLine(block) : undefined
  if (stray === undefined) return strict
  const problem: ProblemDraft = {
    code: 'card_bad_yaml',
    message: `This is not valid YAML: the line has no key. It seems to belong to the text of \`${stray.key}\`, but is not indented.`,
    fix: `Write \`${stray.key}: |\`, and indent every line of the text below it by two spaces.`,
  }
  return rejection(problem, { line: start.line + stray.index, column: 1 })
}

function isBadYaml(card: CardText | CardRejection): card is CardRejection {
  return 'problem' in card && card.problem.code === 'card_bad_yaml'
}

/** Reads front matter again with quotes around invalid values. The positions of keys do not change. */
function readLoosely(
  { block, body }: { readonly block: string; readonly body: string },
  { start, strict }: { readonly start: Position; readonly strict: CardRejection },
): CardText | undefined {
  const quoted = quoteLooseValues(block)
  if (quoted === undefined) return undefined
  const card = toCardText(readFrontMatter(quoted.text, start.line), { start, body })
  return 'problem' in card ? undefined : { ...card, loose: { keys: quoted.keys, strict } }
}

function readData(
  content: string,
  at: { readonly syntax: Exclude<CardSyntax, 'markdown' | 'toml'>; readonly firstLine: number },
): CardText | CardRejection {
  const start = { line: at.firstLine, column: 1 }
  if (hasMoreLines(content, MAX_LINES)) return tooLarge(`${MAX_LINES} lines`)
  if (at.syntax === 'jsonc') return readData(stripJsonComments(content), { ...at, syntax: 'json' })
  const problem = at.syntax === 'json' ? jsonProblem(content, at.firstLine) : undefined
  return problem ?? toCardText(readYaml(content, at.firstLine), { start, body: undefined })
}

function hasMoreLines(text: string, most: number): boolean {
  let left = most
  for (let at = text.indexOf('\n'); at !== -1 && left > 0; at = text.indexOf('\n', at + 1)) left -= 1
  return left === 0
}

function toCardText(
  read: YamlDocument | YamlProblem,
  card: { readonly start: Position; readonly body: string | undefined },
): CardText | CardRejection {
  if ('message' in read) {
    const { message, position, fix = YAML_FIX } = read
    if (read.tooLarge)
      return rejection({ code: 'card_too_large', message: `The card is too large: ${message}.` }, position)
    return rejection({ code: 'card_bad_yaml', message: `This is not valid YAML: ${message}.`, fix }, position)
  }
  const fields = read.value ?? {}
  if (!isJsonObject(fields)) {
    const message = 'A card must be a mapping of keys (`key: value`), not a list or a single value.'
    return rejection({ code: 'card_syntax', message }, card.start)
  }
  return { fields, ...card, positionOf: read.positionOf }
}

/** Returns the problem of invalid JSON. The text is later read as YAML, which detects duplicate keys. */
function jsonProblem(content: string, firstLine: number): CardRejection | undefined {
  try {
    JSON.parse(content)
    return undefined
  } catch (error) {
    const { message, position } = jsonError(error, content)
    const problem: ProblemDraft = {
      code: 'card_syntax',
      message: `This is not valid JSON: ${message}.`,
      fix: 'Correct the JSON at this line.',
    }
    return rejection(problem, { line: firstLine + position.line - 1, column: position.column })
  }
}

function rejection(problem: ProblemDraft, position: Position): CardRejection {
  return { problem, position }
}

/** Front matter with quotes added to some values. */
export interface QuotedText {
  /** The text with the same number of lines. */
  readonly text: string
  /** Keys of the quoted values; at least one. */
  readonly keys: readonly string[]
}

/** A key at the left edge with its value on the same line. */
const ENTRY = /^(?<key>[A-Za-z_][\w-]*):[ \t]+(?<value>\S.*)$/u
/** A line that continues the value above it. */
const CONTINUED = /^[ \t]+\S|^[\]}]/u

/**
 * Quotes single-line values that are not valid YAML, such as text that contains ": ". Returns `undefined` if
 * there are none.
 */
export function quoteLooseValues(text: string): QuotedText | undefined {
  const keys: string[] = []
  const lines = text.split('\n')
  const quoted = lines.map((line, index) => {
    const { key, value } = ENTRY.exec(line)?.groups ?? {}
    if (key === undefined || value === undefined) return line
    if (CONTINUED.test(lines[index + 1] ?? '') || isYaml(line)) return line
    keys.push(key)
    return `${line.slice(0, -value.length)}'${value.trimEnd().replaceAll("'", "''")}'`
  })
  return keys.length === 0 ? undefined : { text: quoted.join('\n'), keys }
}

function isYaml(line: string): boolean {
  return !('message' in readYaml(line, 1))
}

/** A line of front matter that can only be text. */
export interface StrayLine {
  /** Counted from 0. */
  readonly index: number
  /** The key above the line, to whose value the text seems to belong. */
  readonly key: string
}

const KEY_ENTRY = /^(?<key>[A-Za-z_][\w-]*):(?:$|[ \t]+(?<value>.*)$)/u
/** Text that neither begins with a special character of YAML nor contains a key. */
const TEXT = /^[\w<(*.`@](?:(?!:(?:[ \t]|$)).)*$/u
/** A heading such as `Examples:`, which is not a key in text at the left edge. */
const HEADING = /^[A-Z]/u
/** Values with a closing delimiter, possibly on a later line. */
const ENCLOSED = /^["'[{]/u

/**
 * Finds the first unindented line that continues the text of a key, a typical mistake when pasting text below
 * `description:`. Returns `undefined` if there is none.
 */
export function findStrayLine(text: string): StrayLine | undefined {
  let key: string | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const entry = KEY_ENTRY.exec(line)?.groups
    if (entry === undefined) {
      if (key !== undefined && TEXT.test(line)) return { index, key }
    } else if (key === undefined || !HEADING.test(line))
      key = ENCLOSED.test(entry['value'] ?? '') ? undefined : entry['key']
  }
  return undefined
}
