import { syntaxOf } from '../file/card-syntax.ts'
import type { RawCard } from '../formats/card-format.ts'

const KEY = /^(?<key>[\w$-]+)[ \t]*:(?<rest>.*)$/u
const OWN_LINE = /^\s*(?<comment>#.*)$/u
/** A comment after an unquoted value, where `#` cannot mean anything else. */
const TRAILING_COMMENT = /^[^'"#|>]*\s(?<comment>#\s.*)$/u
/** The start of a text block, in which `#` is text. */
const BLOCK = /[|>][-+\d]*[ \t]*$/u

/**
 * Collects the comments of front matter or a YAML file by the key they belong to: above it, inside its value,
 * or on its line. JSON has none.
 */
export function readComments({
  text,
  agents,
}: {
  readonly text: string
  readonly agents: { readonly input: RawCard }
}): ReadonlyMap<string, readonly string[]> {
  const comments = new Map<string, string[]>()
  let waiting: string[] = []
  let key: string | undefined
  let isText = false
  const add = (name: string, found: readonly string[]): void => {
    if (found.length > 0) comments.set(name, [...(comments.get(name) ?? []), ...found])
  }
  for (const line of yamlLines(text, agents.input.path)) {
    const opened = KEY.exec(line)?.groups
    if (opened !== undefined) {
      key = opened['key'] ?? ''
      add(key, waiting)
      waiting = []
      isText = false
    }
    isText ||= BLOCK.test(line.replace(/\s#\s.*$/u, ''))
    const own = opened === undefined ? OWN_LINE.exec(line)?.groups?.['comment'] : undefined
    if (own !== undefined && !line.startsWith('#') && key !== undefined) add(key, isText ? [] : [own])
    else if (own !== undefined) waiting.push(own)
    else if (key !== undefined && !isText)
      add(key, [TRAILING_COMMENT.exec(line)?.groups?.['comment'] ?? []].flat())
  }
  add('', waiting)
  return comments
}

function yamlLines(text: string, path: string): readonly string[] {
  const syntax = syntaxOf(path)
  if (syntax === 'json' || syntax === 'jsonc') return []
  const lines = text
    .replace(/^\uFEFF/u, '')
    .replace(/^#!.*\n?/u, '')
    .split(/\r?\n/u)
  if (syntax === 'yaml') return lines
  if (!(lines[0] ?? '').startsWith('---')) return []
  const end = lines.findIndex((line, index) => index > 0 && /^---[ \t]*$/u.test(line))
  return lines.slice(1, end === -1 ? lines.length : end)
}
