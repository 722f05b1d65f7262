import { basename, isAbsolute, join, resolve } from 'node:path'
import { errorMessage } from '@troupe/schema'
import { isInside } from '@troupe/schema/paths'
import { type FieldContext, type FieldPath } from '@troupe/cards/formats'
import { builtInValue } from './placeholders.ts'
import { projectOf } from './project.ts'

/** Maximum characters of a rendered prompt. */
const MAX_LENGTH = 1024 * 1024
const FILE = /(?<!\\)\{\{file:(?<path>[^}\n]+)\}\}/gu
const SILENT_FILE = /(?<!\\)\{\{file_silent:(?<path>[^}\n]+)\}\}/gu
const URL_TEXT = /(?<!\\)\{\{url:(?<url>[^}\n]+)\}\}/gu
const INTERNAL = /(?<!\\)\{\{internal:(?<id>[^}\n]+)\}\}/gu
const NAME = /(?<!\\)\{\{(?<name>[A-Za-z_]\w*)\}\}/gu
const ESCAPED = /\\\{\{/gu
const SUBAGENTS = /<!--\s*fast-agent-subagents[^]*?-->\n?/gu

/**
 * Returns a prompt with its files and placeholders inserted as fast-agent does: each kind in one pass, so that
 * placeholders in an included file apply too.
 */
export function renderInstruction(text: string, field: FieldContext, at: FieldPath): string {
  const { rewriter, card } = field
  const refuse = (message: string, fix: string): string => {
    rewriter.addProblem({ code: 'card_include', message, at, fix })
    return ''
  }
  const warn = (message: string): void =>
    rewriter.addProblem({ severity: 'warning', code: 'card_include', message, at })
  const included: string[] = []
  const insert =
    (silent: boolean) =>
    (_written: string, path: string): string => {
      const read = readIncluded(path.trim(), field)
      if ('text' in read) {
        included.push(path.trim())
        return read.text
      }
      if (silent && read.isMissing) return ''
      if (!silent)
        return refuse(
          `The prompt includes "${path}": ${read.why}.`,
          `Use a path inside the folder ${projectOf(card).root}.`,
        )
      warn(`The prompt does not include "${path}": ${read.why}.`)
      return ''
    }
  const local = text.replaceAll(SUBAGENTS, () => {
    rewriter.note({ key: '(prompt) fast-agent-subagents', status: 'ignored', reason: SUBAGENTS_REASON })
    return ''
  })
  const withFiles = local
    .replaceAll(INTERNAL, (_written, id: string) => {
      warn(`The prompt does not include "internal:${id}", a text inside fast-agent.`)
      return ''
    })
    .replaceAll(URL_TEXT, (_written, url: string) =>
      refuse(`The prompt includes ${url}: nothing is fetched while a card is read.`, SAVE),
    )
    .replaceAll(FILE, insert(false))
    .replaceAll(SILENT_FILE, insert(true))
  if (withFiles.length > MAX_LENGTH)
    return refuse('The prompt has more than 1 MiB.', 'Include smaller files.')
  noteIncludes(local, included, field)
  return withFiles
    .replaceAll(NAME, (written, name: string) => builtInValue(name, field) ?? written)
    .replaceAll(ESCAPED, '{{')
}

const SUBAGENTS_REASON = 'Troupe has no tool that starts copies of an agent'
const SAVE = 'Save the text to a file of the project and include it with `{{file:…}}`.'

function noteIncludes(text: string, included: readonly string[], { rewriter }: FieldContext): void {
  for (const [kind, pattern] of [
    ['file', FILE],
    ['file_silent', SILENT_FILE],
  ] as const) {
    const paths = [...text.matchAll(pattern)].map(({ groups }) => groups?.['path']?.trim() ?? '')
    if (paths.length === 0) continue
    const found = paths.filter((path) => included.includes(path))
    rewriter.note({
      key: `(prompt) {{${kind}:…}}`,
      status: 'translated',
      to: 'instruction',
      reason: found.length === 0 ? 'none of them exists' : `with ${found.join(', ')}`,
    })
  }
}

type Included = { readonly text: string } | { readonly why: string; readonly isMissing: boolean }

function readIncluded(path: string, { card }: FieldContext): Included {
  const { root } = projectOf(card)
  const file = join(root, path)
  if (isAbsolute(path)) return { why: 'the path is absolute', isMissing: true }
  if (!isInside(resolve(root), resolve(file)))
    return { why: `it is outside the folder ${root}`, isMissing: false }
  if (/^\.env/iu.test(basename(path)))
    return { why: 'files with variables are never part of a prompt', isMissing: false }
  if (card.readText === undefined) return { why: 'file access is not available', isMissing: true }
  try {
    const text = card.readText(file, root)
    return { text: text.replace(/^\uFEFF/u, '').replaceAll('\r\n', '\n') }
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ENOENT'
    return { why: isMissing ? `${file} does not exist` : errorMessage(error), isMissing }
  }
}
