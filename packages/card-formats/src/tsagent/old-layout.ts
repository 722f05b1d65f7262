import { dirname, join } from 'node:path'
import { errorMessage, type Json, type JsonObject } from '@troupe/schema'
import { type FieldContext, type RawCard } from '@troupe/cards/formats'
import { ignored, translated } from '../rules/field-rule.ts'
import { toText, type AgentText } from './include-texts.ts'

/** The texts of an agent that older versions of tsagent kept in files beside `tsagent.yaml`. */
interface FolderTexts {
  readonly prompt: string | undefined
  readonly texts: readonly AgentText[]
}

const FOLDERS = [
  ['refs', 'reference'],
  ['rules', 'rule'],
] as const
const FILE = /(?:^|\/)(?:tsagent|tspark)\.(?:ya?ml|json)$/u
const MAX_FILES = 500

/** Returns true for the settings file of an agent in the older layout, which has no prompt of its own. */
export function isOldLayout({ path, fields }: RawCard): boolean {
  return FILE.test(path.replaceAll('\\', '/')) && !Object.hasOwn(fields, 'systemPrompt')
}

/** Reads `prompt.md`, `refs/*.mdt` and `rules/*.mdt` beside the card. Files that cannot be read are errors. */
export function readFolderTexts(field: FieldContext): FolderTexts {
  const { card, rewriter } = field
  const folder = dirname(card.path)
  const prompt = readFile('prompt.md', field)
  const texts = FOLDERS.flatMap(([name, kind]) => {
    const files = (card.listFiles?.(join(folder, name)) ?? []).filter((file) => /\.mdt?$/u.test(file))
    return files.slice(0, MAX_FILES).flatMap((file) => {
      const path = `${name}/${file}`
      const text = readFile(path, field)
      if (text === undefined) return []
      const entry = toText(readEntry(text), { kind, at: [] })
      rewriter.note({
        key: path,
        ...(entry === undefined ? ignored('it has no text or is disabled') : translated(entry.include)),
      })
      return entry ?? []
    })
  })
  return { prompt, texts }
}

function readFile(path: string, { card, rewriter }: FieldContext): string | undefined {
  try {
    const text = card.readText?.(join(dirname(card.path), path))
    return text?.replace(/^\uFEFF/u, '').replaceAll('\r\n', '\n')
  } catch (thrown) {
    rewriter.addProblem({ code: 'card_include', message: `${path} cannot be read: ${errorMessage(thrown)}` })
    return undefined
  }
}

const ENTRY = /^(?<key>\w+):[ \t]*(?<value>.*)$/u

/** Reads a text with front matter of one line per key, the only form that tsagent wrote. */
function readEntry(file: string): JsonObject {
  const [, head, text = file] = /^---\n(?<head>[^]*?)\n---[ \t]*(?:\n|$)(?<text>[^]*)$/u.exec(file) ?? []
  const pairs = (head ?? '').split('\n').flatMap((line): [string, Json][] => {
    const { key, value = '' } = ENTRY.exec(line)?.groups ?? {}
    return key === undefined ? [] : [[key, plainValue(value.trim())]]
  })
  return { ...Object.fromEntries(pairs), text }
}

function plainValue(value: string): Json {
  if (value === 'true' || value === 'false') return value === 'true'
  return /^(["']).*\1$/u.test(value) ? value.slice(1, -1) : value
}
