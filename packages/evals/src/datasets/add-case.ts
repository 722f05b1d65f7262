import { isDeepStrictEqual } from 'node:util'
import { troupeError } from '@troupe/schema'
import { Document, isMap, isSeq, parseDocument, Scalar, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import type { DraftCase } from './case-from-run.ts'

/** A case file after a case was added. */
export interface AddedCase {
  readonly id: string
  readonly text: string
}

const HEADING = ' Run these cases with `troupe eval`.'
const LAYOUT = { lineWidth: 0 } as const
const HINT = ' A starting point. Say what a good answer must contain.'

/**
 * Adds a case to the text of a case file, or to a new one if `text` is `undefined`. Comments and other cases
 * stay as they are. A number is added to an id that the file has already. `path` is for messages. Throws
 * `usage_invalid` if the text is not a case file, or is one for another agent.
 */
export function addCase(text: string | undefined, draft: DraftCase, path: string): AddedCase {
  const document = text === undefined || text.trim() === '' ? newFile(draft) : parseFile(text, path)
  requireAgent(document, draft, path)
  const cases = casesOf(document, path)
  const id = freeId(draft.id, cases)
  const content = cleanTexts({ id, ...draft.content })
  const appended = text === undefined ? undefined : appendCase(text, cases, content)
  cases.add(toNode(document, content))
  const isSame = appended !== undefined && isDeepStrictEqual(parseDocument(appended).toJS(), document.toJS())
  return { id, text: isSame ? appended : document.toString(LAYOUT) }
}

function newFile({ agent }: DraftCase): Document {
  const document = new Document({ agent: cleanText(agent), cases: [] })
  document.commentBefore = HEADING
  return document
}

function parseFile(text: string, path: string): Document {
  const document = parseDocument(text, { schema: 'core', prettyErrors: true })
  const [problem] = document.errors
  if (problem === undefined) return document
  throw troupeError('usage_invalid', `${path}: the file cannot be read as YAML: ${problem.message}`, {
    fix: 'Correct the file, or pass another one with `--to`.',
  })
}

/** Throws if the file names another agent. A path may stand for any agent. */
function requireAgent(document: Document, { agent }: DraftCase, path: string): void {
  const named: unknown = isMap(document.contents) ? document.contents.get('agent') : undefined
  if (named === agent || (typeof named === 'string' && /[./\\]/u.test(named))) return
  throw troupeError(
    'usage_invalid',
    typeof named === 'string'
      ? `${path}: the file has cases for ${named}, but the run is one of ${agent}.`
      : `${path}: the file has no \`agent\`, so it is not a case file.`,
    { fix: 'Pass another file with `--to`.' },
  )
}

function casesOf(document: Document, path: string): YAMLSeq {
  const contents = document.contents as YAMLMap
  const cases: unknown = contents.get('cases')
  if (isSeq(cases)) {
    // an empty list in brackets would stay in brackets
    if (cases.items.length === 0) cases.flow = false
    return cases
  }
  if (cases !== undefined && cases !== null)
    throw troupeError('usage_invalid', `${path}: \`cases\` is not a list.`, {
      fix: 'Correct the file, or pass another one with `--to`.',
    })
  contents.set('cases', document.createNode([]))
  return casesOf(document, path)
}

/**
 * Inserts a case after the last one, so that all other lines stay as they are. Returns `undefined` if the list
 * is empty or in brackets.
 */
function appendCase(text: string, cases: YAMLSeq, content: unknown): string | undefined {
  const [start, end] = cases.range ?? []
  if (cases.flow === true || cases.items.length === 0 || start === undefined || end === undefined)
    return undefined
  const list = new Document([])
  ;(list.contents as unknown as YAMLSeq).add(toNode(list, content))
  const indent = ' '.repeat(start - (text.lastIndexOf('\n', start) + 1))
  const lines = list.toString(LAYOUT).replaceAll(/^(?=.)/gmu, indent)
  const before = text.slice(0, end)
  const added = `${before}${before.endsWith('\n') ? '' : '\n'}${lines}${text.slice(end)}`
  return text.includes('\r\n') ? added.replaceAll(/\r?\n/gu, '\r\n') : added
}

function freeId(wanted: string, cases: YAMLSeq): string {
  const taken = new Set(cases.items.map((item) => (isMap(item) ? item.get('id') : undefined)))
  let id = wanted
  for (let count = 2; taken.has(id); count += 1) id = `${wanted}-${count}`
  return id
}

/** Creates the YAML of a case, with a comment at its checks. */
function toNode(document: Document, content: unknown): YAMLMap {
  const node = document.createNode(content, { aliasDuplicateObjects: false }) as unknown as YAMLMap
  visit(node, { Scalar: (_, scalar) => quoteSpaces(scalar) })
  const checks: unknown = node.get('assert')
  if (isSeq(checks)) checks.commentBefore = HINT
  return node
}

/** Quotes a text with lines of spaces, or with spaces at its ends, which a block of lines would not keep. */
function quoteSpaces(scalar: Scalar): void {
  if (typeof scalar.value === 'string' && /^\s|\s$|\n[ \t]+(?:\n|$)/u.test(scalar.value))
    scalar.type = Scalar.QUOTE_DOUBLE
}

/** Removes the characters that a YAML file must not contain from every text and key. */
function cleanTexts(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanTexts)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, member]) => [cleanText(key), cleanTexts(member)]))
}

function cleanText(text: string): string {
  return text.replaceAll(
    /[^\t\n\r\u0020-\u007E\u0085\u00A0-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/gu,
    '',
  )
}
