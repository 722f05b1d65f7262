import { parseDocument } from 'yaml'
import { canonicalJson, type Json, type JsonObject } from '@troupe/schema'
import type { FieldsEdit } from './fields-edit.ts'
import { patchDocument } from './patch-document.ts'
import { toYaml } from './to-yaml.ts'
import { topLevelBlocks } from './top-level-blocks.ts'

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
