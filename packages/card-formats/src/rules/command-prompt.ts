import { dirname, join } from 'node:path'
import type { FieldContext } from '@troupe/cards/formats'

const ARGUMENTS = /\$(?:ARGUMENTS|\d)/u
const SHELL = /!`[^`\n]+`/u
const FILE = /(?:^|[\s(])@(?<path>[\w.~-]*[\w-][./][\w./-]*\w)/gmu
/** Files with variables are never part of a prompt. */
const VARIABLES = /(?:^|\/)\.env/u
/** Maximum characters of the files that a prompt includes. */
const MAX_LENGTH = 256 * 1024

const EXPLAIN_ARGUMENTS =
  'In the text above, `$ARGUMENTS` stands for the whole input, and `$1`, `$2` and so on for its first, second and further words. Text in quotes is one word.'
const EXPLAIN_SHELL =
  'Before anything else, run each command written as !`command` above, and read its output in its place.'

/**
 * Returns the prompt of a command of another product. Arguments and shell commands stay in the text and are
 * explained, because the input is only known when the agent runs. Files named as `@path` are appended, if
 * they are in the workspace.
 */
export function commandPrompt(body: string, field: FieldContext): string {
  const { rewriter } = field
  const parts = [body.trimEnd()]
  if (ARGUMENTS.test(body)) {
    parts.push(EXPLAIN_ARGUMENTS)
    rewriter.note({ key: '$ARGUMENTS', status: 'translated', to: 'the input, explained in the prompt' })
  }
  if (SHELL.test(body)) {
    parts.push(EXPLAIN_SHELL)
    rewriter.note({ key: '!`…`', status: 'translated', to: 'the model calls shell.execute' })
  }
  return [...parts, ...filesOf(body, field)].join('\n\n')
}

function filesOf(body: string, { card, rewriter }: FieldContext): readonly string[] {
  const root = card.workspace ?? dirname(card.path)
  const paths = new Set([...body.matchAll(FILE)].map(({ groups }) => groups?.['path'] ?? ''))
  let left = MAX_LENGTH
  return [...paths].flatMap((path) => {
    const text = VARIABLES.test(path) ? undefined : readFile(join(root, path), root, card.readText)
    if (text === undefined || text.length > left) {
      const reason = text === undefined ? 'it cannot be read in the working folder' : 'the prompt is too long'
      rewriter.note({ key: `@${path}`, status: 'ignored', reason })
      return []
    }
    left -= text.length
    rewriter.note({ key: `@${path}`, status: 'translated', to: 'appended to the prompt' })
    return [`Content of ${path}:\n\n${text.trimEnd()}`]
  })
}

function readFile(
  file: string,
  root: string,
  readText: FieldContext['card']['readText'],
): string | undefined {
  try {
    return readText?.(file, root)
  } catch {
    // Words such as `@team/name` are not files.
    return undefined
  }
}
