import {
  dottedPath,
  type FieldContext,
  type FieldPath,
  type ListedText,
  textList,
} from '@troupe/cards/formats'
import { readSingleInclude } from '../rules/include-files.ts'
import { isText } from '../rules/field-rule.ts'

/**
 * Adds the files named in `instruction_file` and `add_prompt_files` to the prompt. The former must exist;
 * missing ones of the latter are skipped.
 */
export function putPromptFiles(field: FieldContext): void {
  const { rewriter, card } = field
  const own = filesOf('instruction_file', field)
  const added = filesOf('add_prompt_files', field)
  if (own.length + added.length === 0) return
  const { instruction } = card.fields
  const parts = [
    ...(isText(instruction) ? [instruction.trimEnd()] : []),
    ...own.flatMap((file) => readOwn(file, field)),
    ...added.flatMap((file) => readAdded(file, field)),
  ]
  if (parts.length === 0) return
  const from: FieldPath = [
    ['instruction', 'instruction_file'].find((key) => card.fields[key] !== undefined) ?? 'add_prompt_files',
  ]
  rewriter.remove(['instruction'])
  rewriter.put(['instruction'], parts.join('\n\n'), from)
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
