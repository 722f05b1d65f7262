import { posix } from 'node:path'
import type { JsonObject } from '@troupe/schema'
import { dottedPath, textList } from '@troupe/cards/formats'
import { ignored } from '../rules/field-rule.ts'
import { putArgumentRule, putUnclearRule, type TranslatedRule } from '../rules/put-rule.ts'
import type { ToolsetContext } from './put-toolsets.ts'

const FILE_TOOLS = ['filesystem.*']
const OUTSIDE = 'file tools never leave the working folder of the run'

/** Denies the folders that a file toolset must not use, and those that it is not limited to. */
export function putFolders(toolset: JsonObject, context: ToolsetContext): void {
  if (toolset['type'] !== 'filesystem' && toolset['type'] !== 'file') return
  putAllowList(toolset, context)
  putDenyList(toolset, context)
}

function putDenyList({ deny_list: list }: JsonObject, context: ToolsetContext): void {
  const { field, at } = context
  for (const { text, at: place } of textList(list ?? [], [...at, 'deny_list']) ?? []) {
    // The tools may have another root, so that an absolute path can be reached.
    const folder = innerFolder(text, context) ?? (posix.isAbsolute(text) ? posix.normalize(text) : undefined)
    const rule: TranslatedRule = { tools: FILE_TOOLS, permission: 'deny', at: place }
    const key = dottedPath(place)
    if (folder === undefined) field.rewriter.note({ key, ...ignored(OUTSIDE) })
    else if (folder === '')
      field.rewriter.note({ key, ...putUnclearRule(rule, 'the whole working folder is denied', field) })
    else
      for (const pattern of patternsOf(folder))
        field.rewriter.note({ key, ...putArgumentRule({ ...rule, argument: 'path', pattern }, field) })
  }
}

function putAllowList({ allow_list: list }: JsonObject, context: ToolsetContext): void {
  const { field } = context
  const at = [...context.at, 'allow_list']
  const entries = textList(list ?? [], at) ?? []
  if (entries.length === 0) return
  const folders = entries
    .map(({ text }) => innerFolder(text, context))
    .filter((folder) => folder !== undefined)
  const rule: TranslatedRule = { tools: FILE_TOOLS, permission: 'deny', at }
  const except = folders.flatMap(patternsOf)
  field.rewriter.note({
    key: dottedPath(at),
    ...(folders.includes('')
      ? ignored(OUTSIDE)
      : except.length === 0
        ? putUnclearRule(rule, 'none of the folders is known to be in the working folder', field)
        : putArgumentRule({ ...rule, argument: 'path', pattern: '*', except }, field)),
  })
}

/**
 * Returns a folder relative to the working folder, '' for the working folder itself, or `undefined` if it is
 * elsewhere. The working folder may be the home folder.
 */
function innerFolder(written: string, { field: { card } }: ToolsetContext): string | undefined {
  const text = written.replace(/^~\/?/u, '')
  const folder = posix.isAbsolute(text)
    ? posix.relative(card.workspace ?? posix.dirname(card.path), text)
    : posix.normalize(text)
  if (/^(?:\.\.(?:\/|$)|[\\]|[a-z]:)/iu.test(folder)) return undefined
  return folder === '.' ? '' : folder.replace(/\/$/u, '')
}

function patternsOf(folder: string): readonly string[] {
  const plain = folder.replace(/\/$/u, '')
  return [plain, `${plain}/**`]
}
