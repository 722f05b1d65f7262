import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import {
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Document,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

/**
 * Yields the edited text in order of preference: first with only the lines of changed keys rewritten, then
 * with the whole document patched.
 */
export function* editYaml(text: string, { before, wanted }: FieldsEdit): Generator<string> {
  const blocks = topLevelBlocks(text)
  if (blocks !== undefined) yield editBlocks(text, blocks, { before, wanted })
  yield patchYaml(text, text, { before, wanted })
}

function editBlocks(
  text: string,
  blocks: NonNullable<ReturnType<typeof topLevelBlocks>>,
  { before, wanted }: FieldsEdit,
): string {
  let edited = ''
  let from = 0
  for (const { key, start, end } of blocks) {
    edited += text.slice(from, start)
    from = end
    const old = pick(before, key)
    const next = pick(wanted, key)
    const block = text.slice(start, end)
    if (canonicalJson(old) === canonicalJson(next)) edited += block
    else if (Object.hasOwn(next, key))
      edited += patchYaml(block, block.trim().includes('\n') ? block : text, { before: old, wanted: next })
  }
  const added = Object.entries(wanted).filter(([key]) => !Object.hasOwn(before, key))
  if (added.length === 0) return edited + text.slice(from)
  return (
    ensureLineEnd(edited + text.slice(from), text) +
    patchYaml('', text, { before: {}, wanted: Object.fromEntries(added) })
  )
}

function pick(fields: JsonObject, key: string): JsonObject {
  return Object.hasOwn(fields, key) ? { [key]: fields[key] as Json } : {}
}

/** Patches a YAML text. `style` is a text whose formatting is adopted. */
function patchYaml(text: string, style: string, edit: FieldsEdit): string {
  const document = parseDocument(text.replaceAll('\r\n', '\n'), { schema: 'core', keepSourceTokens: false })
  if (document.errors.length > 0) return text
  patchDocument(document, edit.before, edit.wanted)
  return toYaml(document, style)
}

function ensureLineEnd(text: string, style: string): string {
  if (text === '' || text.endsWith('\n')) return text
  return text + (style.includes('\r\n') ? '\r\n' : '\n')
}

/** Writes JSON anew, with the old indentation. JSON has no comments to keep. */
export function editJson(text: string, { wanted }: FieldsEdit): readonly string[] {
  const indent = /^[ \t]+(?=")/mu.exec(text)?.[0] ?? (text.includes('\n') ? 2 : 0)
  const end = /\s*$/u.exec(text)?.[0] ?? ''
  const written = JSON.stringify(wanted, null, indent)
  return [(text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written) + end]
}

/** Fields of a card before and after an edit. */
export interface FieldsEdit {
  readonly before: JsonObject
  readonly wanted: JsonObject
}

/**
 * Changes a document from old to new fields. Touches only differences, so that comments stay where they
 * belong.
 */
export function patchDocument(document: Document, before: JsonObject, wanted: JsonObject): void {
  if (isMap(document.contents)) patchMapping(document, document.contents, { before, wanted })
  else document.contents = document.createNode(wanted)
}

interface Patch<Value> {
  readonly before: Value
  readonly wanted: Value
}

function patchMapping(document: Document, mapping: YAMLMap, { before, wanted }: Patch<JsonObject>): void {
  for (const key of Object.keys(before)) if (!Object.hasOwn(wanted, key)) mapping.delete(key)
  for (const [key, value] of Object.entries(wanted)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    const node = mapping.get(key, true) as Node | undefined
    if (old === undefined || node === undefined) mapping.set(key, document.createNode(value))
    else if (!patchNode(document, node, { before: old, wanted: value }))
      mapping.set(key, document.createNode(value))
  }
}

/** Returns false if the node has to be replaced. */
function patchNode(document: Document, node: Node, patch: Patch<Json>): boolean {
  const { before, wanted } = patch
  if (canonicalJson(before) === canonicalJson(wanted)) return true
  if (isMap(node) && isJsonObject(before) && isJsonObject(wanted)) {
    patchMapping(document, node, { before, wanted })
    return true
  }
  if (isSeq(node) && isList(before) && isList(wanted)) {
    patchList(document, node, { before, wanted })
    return true
  }
  if (!isScalar(node) || isJsonObject(wanted) || isList(wanted)) return false
  node.value = wanted
  delete node.source
  delete node.format
  if (typeof before !== typeof wanted) delete node.type
  return true
}

/** Patches a list: equal items at its start and end stay, and items between them are patched one by one. */
function patchList(document: Document, list: YAMLSeq, { before, wanted }: Patch<readonly Json[]>): void {
  const first = sameMembers(before, wanted)
  const last = sameMembers(before.slice(first).toReversed(), wanted.slice(first).toReversed())
  const old = before.slice(first, before.length - last)
  const items = list.items.slice(first, list.items.length - last) as readonly Node[]
  const next = wanted.slice(first, wanted.length - last).map((value, index): Node => {
    const node = items[index]
    const was = old[index]
    if (node !== undefined && was !== undefined && patchNode(document, node, { before: was, wanted: value }))
      return node
    return document.createNode(value) as Node
  })
  list.items.splice(first, items.length, ...next)
}

function sameMembers(one: readonly Json[], other: readonly Json[]): number {
  const different = one.findIndex((member, index) => canonicalJson(member) !== canonicalJson(other[index]))
  return Math.min(different === -1 ? one.length : different, other.length)
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * Writes a document in the style of a text: indentation, list indentation, spaces in braces, and line ends.
 */
export function toYaml(document: Document, style: string): string {
  const atMargin = /^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /mu.test(style)
  const text = document.toString({
    lineWidth: 0,
    // For lists at the margin, the library removes exactly two columns.
    indent: atMargin ? 2 : Math.min(indentOf(style), 8),
    indentSeq: !atMargin,
    flowCollectionPadding: !/\{\S/u.test(style) || /\{ /u.test(style),
  })
  return style.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}

function indentOf(style: string): number {
  const [, first = '', second = ''] = /^( *)[^\s#-][^\n]*:[ \t]*\r?\n( +)[^\s-]/mu.exec(style) ?? []
  return second.length > first.length ? second.length - first.length : 2
}

/** The lines of one top-level key. */
export interface TopLevelBlock {
  readonly key: string
  readonly start: number
  /** Offset after its last own line. Blank lines and comments at the margin belong to the next key. */
  readonly end: number
}

/** Returns the blocks of a block-style mapping, or `undefined` for any other document. */
export function topLevelBlocks(text: string): readonly TopLevelBlock[] | undefined {
  const { contents, errors } = parseDocument(text, { schema: 'core' })
  if (text.trim() === '' || contents === null) return errors.length === 0 ? [] : undefined
  if (errors.length > 0 || !isMap(contents) || contents.flow === true) return undefined
  const keys: { readonly key: string; readonly start: number }[] = []
  for (const { key } of contents.items) {
    const start = isScalar(key) ? key.range?.[0] : undefined
    // A key that does not begin its line has a tag, a question mark or quotes over several lines.
    if (start === undefined || (start > 0 && text[start - 1] !== '\n')) return undefined
    keys.push({ key: String((key as { readonly value: unknown }).value), start })
  }
  return keys.map(({ key, start }, index) => ({
    key,
    start,
    end: ownEnd(text, start, keys[index + 1]?.start ?? text.length),
  }))
}

function ownEnd(text: string, start: number, next: number): number {
  const block = text.slice(start, next)
  const lines = block.split(/(?<=\n)/u)
  while (lines.length > 1 && /^(?:[ \t]*\r?\n?|#.*\r?\n?)$/u.test(lines.at(-1) ?? '')) lines.pop()
  return start + lines.join('').length
}
