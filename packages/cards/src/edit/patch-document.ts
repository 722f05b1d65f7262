import { isMap, isScalar, isSeq, type Document, type Node, type YAMLMap, type YAMLSeq } from 'yaml'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

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
