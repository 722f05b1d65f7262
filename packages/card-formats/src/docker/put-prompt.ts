import { arch, platform } from 'node:os'
import { dirname } from 'node:path'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  dottedPath,
  type FieldContext,
  type FieldPath,
  type ListedText,
  textList,
} from '@troupe/cards/formats'
import { readSingleInclude } from '../rules/include-files.ts'
import { isText, mappingOf, textOf, translated } from '../rules/field-rule.ts'
import { isTranslated } from './put-toolsets.ts'

const ORIGINAL = /\{ORIGINAL_INSTRUCTIONS\}\s*/gu

/**
 * Appends to the prompt the files named in `instruction_file` and `add_prompt_files`, the instructions of the
 * toolsets, the date and the environment. A file of `instruction_file` must exist; missing ones of
 * `add_prompt_files` are skipped.
 */
export function putPrompt(field: FieldContext): void {
  const { rewriter, card } = field
  const { instruction } = card.fields
  const added = [
    ...filesOf('instruction_file', field).flatMap((file) => readOwn(file, field)),
    ...filesOf('add_prompt_files', field).flatMap((file) => readAdded(file, field)),
    ...toolsetInstructions(field),
    ...contextLines(field),
  ]
  if (added.length === 0) return
  const parts = [
    ...(isText(instruction) && instruction.trim() !== '' ? [instruction.trimEnd()] : []),
    ...added,
  ]
  const from: FieldPath = [
    ['instruction', 'instruction_file'].find((key) => card.fields[key] !== undefined) ?? 'add_prompt_files',
  ]
  rewriter.remove(['instruction'])
  rewriter.put(['instruction'], parts.join('\n\n'), from)
}

function toolsetInstructions({ card: { fields }, rewriter }: FieldContext): readonly string[] {
  const toolsets = Array.isArray(fields['toolsets']) ? (fields['toolsets'] as readonly Json[]) : []
  return toolsets.flatMap((entry, index) => {
    const toolset = { ...sharedServer(mappingOf(entry), fields), ...mappingOf(entry) }
    const text = textOf(toolset['instruction']).replaceAll(ORIGINAL, '').trim()
    if (text === '' || !isTranslated(toolset)) return []
    const key = dottedPath(['toolsets', index, 'instruction'])
    rewriter.note({ key, ...translated('instruction', 'appended to the prompt') })
    return [text]
  })
}

function sharedServer({ ref }: JsonObject, { mcps }: JsonObject): JsonObject {
  const shared = isText(ref) ? getOwn(mappingOf(mcps), ref) : undefined
  return isJsonObject(shared) ? shared : {}
}

/** Returns the date and the environment, as far as the agent gets them. Only local files learn the latter. */
function contextLines({ card }: FieldContext): readonly string[] {
  const { fields, now, readText, workspace = dirname(card.path) } = card
  const isLocal = readText !== undefined
  return [
    ...(fields['add_date'] === true && now !== undefined
      ? [`Today's date: ${now.toISOString().slice(0, 10)}`]
      : []),
    ...(fields['add_environment_info'] === true && isLocal
      ? [`Working directory: ${workspace}\nOperating system: ${platform()}\nCPU architecture: ${arch()}`]
      : []),
  ]
}

function filesOf(key: string, { card }: FieldContext): readonly ListedText[] {
  return textList(card.fields[key] ?? [], [key]) ?? []
}

function readOwn({ text: path, at }: ListedText, { rewriter, card }: FieldContext): readonly string[] {
  const read = readSingleInclude(path, card)
  if ('text' in read) return [read.text.trimEnd()]
  rewriter.addProblem({
    code: 'card_include',
    message: `The prompt file "${path}" cannot be read: ${read.why}.`,
    at,
    fix: 'Use a path inside the folder of the card.',
  })
  return []
}

function readAdded({ text: path, at }: ListedText, { rewriter, card }: FieldContext): readonly string[] {
  const read = readSingleInclude(path, card)
  if ('text' in read) return [read.text.trimEnd()]
  rewriter.note({ key: `${dottedPath(at)}: ${path}`, status: 'ignored', reason: read.why })
  return []
}
