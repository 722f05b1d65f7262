import { errorMessage, type Json } from '@troupe/schema'
import {
  CORE_SCHEMA,
  EVENT_ID,
  NOT_RESOLVED,
  YAMLException,
  constructFromEvents,
  defineMappingTag,
  defineScalarTag,
  floatCoreTag,
  mapTag,
  parseEvents,
  type Schema,
} from 'js-yaml'
import type { Phrase } from '../card/card-types.ts'
import type { FieldPath, Position } from '../card/problem.ts'
import { indexPositions, lineAndColumn, startOf, type YamlEvent } from './yaml-positions.ts'

/** Maximum depth of nested collections. */
const MAX_DEPTH = 32
/** Maximum number of values in a document, to bound the time of everything after parsing. */
const MAX_VALUES = 20_000

/** YAML 1.2 core schema reduced to JSON: `.inf` and `.nan` are text, and `__proto__` is rejected as a key. */
const JSON_CORE_SCHEMA: Schema = CORE_SCHEMA.withTags(
  defineScalarTag<number>(floatCoreTag.tagName, {
    ...floatCoreTag,
    resolve: (source, isExplicit, tagName) => {
      const value = floatCoreTag.resolve(source, isExplicit, tagName)
      return typeof value === 'number' && Number.isFinite(value) ? value : NOT_RESOLVED
    },
  }),
  defineMappingTag(mapTag.tagName, {
    ...mapTag,
    addPair: (carrier, key, value) =>
      key === '__proto__' ? 'the key `__proto__` is not allowed' : mapTag.addPair(carrier, key, value),
  }),
)

const NO_ANCHORS = 'Repeat the value wherever it is needed.'
const ONE_DOCUMENT = 'Put each document into its own file.'
const NO_TAGS = 'Write the value itself. Tags of other programs, such as `!include`, are not supported.'
const NO_BLOCKS = 'Remove template blocks such as `{% if … %}`, which are only allowed inside text.'

/** A parsed YAML text. */
export interface YamlDocument {
  /** Plain JSON: no dates, infinite numbers, shared or circular parts. `undefined` for an empty text. */
  readonly value: Json | undefined
  /**
   * Returns the position of a key or list item, or of the nearest one around it; with a phrase, the position
   * of the phrase in that value. Computed on first use.
   */
  positionOf(path: FieldPath, phrase?: Phrase): Position | undefined
}

/** The reason a YAML text cannot be read. */
export interface YamlProblem {
  readonly message: string
  readonly position: Position
  /** A fix other than the usual one. */
  readonly fix?: string
  readonly tooLarge?: true
}

/** Maximum number of closing brackets that are indented to make a text valid. */
const MAX_CLOSING = 20

/**
 * Reads one YAML document. `firstLine` is the line of the file at which the text starts. A closing bracket at
 * the column of its key is accepted, as by most other parsers.
 */
export function readYaml(
  text: string,
  firstLine: number,
  maxClosing: number = MAX_CLOSING,
): YamlDocument | YamlProblem {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH })
    const offence = findOffence(events)
    if (offence !== undefined) {
      const { offset, ...problem } = offence
      return { ...problem, position: lineAndColumn(text, offset, firstLine) }
    }
    const [value] = constructFromEvents(events, { source: text, schema: JSON_CORE_SCHEMA, maxAliases: 0 })
    return toDocument(value as Json | undefined, text, firstLine)
  } catch (error) {
    const indented = maxClosing > 0 ? indentClosingBracket(error, text) : undefined
    return indented === undefined
      ? toYamlProblem(error, text, firstLine)
      : readYaml(indented, firstLine, maxClosing - 1)
  }
}

/**
 * Indents the closing bracket that an error is about by one space. Returns `undefined` for any other error.
 */
function indentClosingBracket(error: unknown, text: string): string | undefined {
  if (!(error instanceof YAMLException) || error.reason !== 'deficient indentation') return undefined
  const at = error.mark?.position ?? 0
  return /[\]}]/u.test(text.charAt(at)) ? `${text.slice(0, at)} ${text.slice(at)}` : undefined
}

/**
 * Creates a document. Positions are computed by parsing again on first use, because keeping the parser's
 * events of many cards would take too much memory.
 */
function toDocument(value: Json | undefined, text: string, firstLine: number): YamlDocument {
  let positions: ReturnType<typeof indexPositions> | undefined
  return {
    value,
    positionOf: (path, phrase) => {
      positions ??= indexPositions(parseEvents(text, { maxDepth: MAX_DEPTH }), text)
      const offset = positions.offsetOf(path)
      if (offset === undefined) return undefined
      return lineAndColumn(text, phrase === undefined ? offset : findPhrase(text, offset, phrase), firstLine)
    },
  }
}

/**
 * Returns the offset of a phrase after `from`, or `from` if it is written differently, such as with escapes.
 */
function findPhrase(text: string, from: number, { text: words, skip }: Phrase): number {
  let at = text.indexOf(words, from)
  for (let left = skip; left > 0 && at !== -1; left -= 1) at = text.indexOf(words, at + words.length)
  return at === -1 ? from : at
}

/** Finds valid YAML that is not allowed in a card. */
function findOffence(
  events: readonly YamlEvent[],
): (Omit<YamlProblem, 'position'> & { readonly offset: number }) | undefined {
  if (events.length > MAX_VALUES)
    return { message: `the file may contain at most ${MAX_VALUES} values`, offset: 0, tooLarge: true }
  let documents = 0
  for (const event of events) {
    if (event.type === EVENT_ID.POP) continue
    if (event.type === EVENT_ID.DOCUMENT) {
      documents += 1
      continue
    }
    if (event.type === EVENT_ID.ALIAS || event.anchorStart !== -1)
      return {
        message: 'anchors and aliases (&name, *name) are not allowed',
        offset: event.anchorStart - 1,
        fix: NO_ANCHORS,
      }
    if (documents > 1)
      return { message: 'the file must be a single YAML document', offset: startOf(event), fix: ONE_DOCUMENT }
  }
  return undefined
}

function toYamlProblem(error: unknown, text: string, firstLine: number): YamlProblem {
  if (error instanceof YAMLException) {
    const offset = error.mark?.position ?? 0
    const position = lineAndColumn(text, offset, firstLine)
    const fix = isTemplate(text, offset) ? NO_BLOCKS : isTag(error) ? NO_TAGS : undefined
    return { message: error.reason, position, ...(fix === undefined ? {} : { fix }) }
  }
  return { message: errorMessage(error), position: { line: firstLine, column: 1 } }
}

function isTag({ reason }: YAMLException): boolean {
  return /^unknown \w+ tag /u.test(reason)
}

/** Returns true if the line is a block of a template, such as `{% if … %}`. */
function isTemplate(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1
  return text.slice(start).trimStart().startsWith('{%')
}
