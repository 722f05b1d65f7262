import { isJsonObject, type Json, type JsonObject, type WriteTarget } from '@troupe/schema'
import { compareLines, skipUnchanged, type CallLine } from './compare-lines.ts'

/** The present content of the file that a call writes, and when the call was requested. */
export interface CallTarget {
  readonly file: WriteTarget
  /** In ms since 1970. Default: now. */
  readonly requestedAt?: number
}

/** A call of `filesystem.write` compared with the file as it is. */
interface WriteComparison {
  /** The change of the file, by the argument that makes it; `undefined` if it cannot be compared. */
  readonly change?: { readonly argument: 'content' | 'edits'; readonly lines: readonly CallLine[] }
  readonly note?: string
}

/** Compares a call of `filesystem.write` with the file as it is. */
export function describeWrite(
  args: JsonObject,
  { file, requestedAt = Infinity }: CallTarget,
): WriteComparison {
  const { content, edits, mode } = args
  if (file.state === 'hidden') return { note: `The present content of the file is not shown. ${file.reason}` }
  if (file.state === 'missing')
    return {
      note:
        edits === undefined ? 'The file does not exist yet.' : 'The file does not exist: the call will fail.',
    }
  if (mode === 'create') return { note: 'The file exists already: the call will fail.' }
  const isEdit = edits !== undefined
  if (isEdit === (content !== undefined)) return {}
  const after = isEdit ? applyEdits(file.text, edits) : newText(file.text, content, mode)
  if (after === undefined) return {}
  if ('problem' in after) return { note: after.problem }
  const lines = skipUnchanged(compareLines(file.text, after.text))
  const argument = isEdit ? 'edits' : 'content'
  if (file.text === after.text)
    return { change: { argument, lines }, note: 'The call does not change the file.' }
  return {
    change: { argument, lines },
    ...(file.changedAt > requestedAt ? { note: 'The file was changed after the call was requested.' } : {}),
  }
}

function newText(
  before: string,
  content: Json | undefined,
  mode: Json | undefined,
): { readonly text: string } | undefined {
  if (typeof content !== 'string') return undefined
  return { text: mode === 'append' ? before + content : content }
}

/** Applies replacements as the tool does. Returns `undefined` if they have another form. */
function applyEdits(
  before: string,
  edits: Json,
): { readonly text: string } | { readonly problem: string } | undefined {
  if (!Array.isArray(edits)) return undefined
  let text = before
  for (const [index, edit] of edits.entries()) {
    if (!isJsonObject(edit) || Object.keys(edit).length !== 2) return undefined
    const { find, replace } = edit
    if (typeof find !== 'string' || find === '' || typeof replace !== 'string') return undefined
    const at = text.indexOf(find)
    if (at === -1) return { problem: `The text of edits[${index}] is not in the file: the call will fail.` }
    if (text.includes(find, at + 1))
      return { problem: `The text of edits[${index}] is in the file more than once: the call will fail.` }
    text = text.slice(0, at) + replace + text.slice(at + find.length)
  }
  return { text }
}
