import { dirname, join, posix } from 'node:path'
import type { FieldContext } from '@troupe/cards/formats'

/** A product's command syntax for arguments, shell commands and files. */
export interface CommandSyntax {
  readonly input: RegExp
  /** Explains to the model what the references to the input mean. */
  readonly explainInput: string
  readonly shell?: RegExp
  /** The syntax of a shell command, such as !`command`. */
  readonly shellForm?: string
  /** Matches a file, with its path in the group `path` or, in a second form, in the group `named`. */
  readonly file: RegExp
  /** Folder of relative paths: the one in which the product is started, or that of the command. */
  readonly filesIn: 'workspace' | 'card'
  /** True if every match is meant as a file, so that a missing one is worth a warning. */
  readonly namesOnlyFiles?: true
}

/** The syntax of Claude Code and opencode. */
export const DOLLAR_SYNTAX: CommandSyntax = {
  input: /\$(?:ARGUMENTS|\d)/u,
  explainInput:
    'In the text above, `$ARGUMENTS` stands for the whole input, and `$1`, `$2` and so on for its first, second and further words. Text in quotes is one word.',
  shell: /!`[^`\n]+`/u,
  shellForm: '!`command`',
  file: /(?:^|[\s(])@(?<path>[\w.~-]*[\w-][./][\w./-]*\w)/gmu,
  filesIn: 'workspace',
}

/** Files with variables are never part of a prompt. */
const VARIABLES = /(?:^|\/)\.env/u
/** Maximum characters of the files that a prompt includes. */
const MAX_LENGTH = 256 * 1024

/**
 * Returns the prompt of a command of another product. References to the input and shell commands stay in the
 * text and are explained, because the input is only known when the agent runs. Files are appended, if they are
 * in the workspace.
 */
export function commandPrompt(body: string, field: FieldContext, syntax: CommandSyntax): string {
  const { rewriter } = field
  const { input, explainInput, shell, shellForm = '' } = syntax
  const parts = [body.trimEnd()]
  const reference = input.exec(body)?.[0]
  if (reference !== undefined) {
    parts.push(explainInput)
    rewriter.note({ key: reference, status: 'translated', to: 'the input, explained in the prompt' })
  }
  if (shell?.test(body) === true) {
    parts.push(
      `Before anything else, run each command written as ${shellForm} above, and read its output in its place.`,
    )
    rewriter.note({
      key: shellForm.replace('command', '…'),
      status: 'translated',
      to: 'the model calls shell.execute',
    })
  }
  return [...parts, ...filesOf(body, field, syntax)].join('\n\n')
}

/** Names a command after its path in its folder, as in `command:git:commit`. An agent may have the same name. */
export function putCommandName(folder: RegExp, { rewriter, card }: FieldContext): void {
  const path = folder.exec(card.path.replaceAll('\\', '/'))?.groups?.['path']
  if (path !== undefined) rewriter.put(['name'], `command:${path.replaceAll('/', ':')}`, ['name'])
}

/**
 * Returns the path of the agent that a command names, relative to the command; `undefined` if no file in the
 * folders is the agent. `folders` are relative to that of the commands.
 */
export function agentPath(
  name: string,
  {
    depth,
    folders,
    card,
  }: {
    /** Number of folders between the command and that of the commands. */
    readonly depth: number
    readonly folders: readonly string[]
    readonly card: FieldContext['card']
  },
): string | undefined {
  const base = dirname(card.path.replaceAll('\\', '/'))
  const root = join(base, '../'.repeat(depth), '..')
  for (const folder of folders) {
    const path = posix.join('../'.repeat(depth), folder)
    const inside = posix.dirname(name)
    const files = card.listFiles?.(join(base, path, inside)) ?? []
    const wanted = posix.basename(name).toLowerCase()
    const file = files.find((each) => AGENT_FILE.exec(each)?.groups?.['stem']?.toLowerCase() === wanted)
    if (file !== undefined) return posix.join(path, inside, file)
    const named = files.find((each) => card.readFields?.(join(base, path, each), root)?.['name'] === name)
    if (named !== undefined) return posix.join(path, named)
  }
  return undefined
}

const AGENT_FILE = /^(?<stem>[^.].*?)(?:\.agent|\.chatmode)?\.md$/u

/** Returns the prompt of a command that lets another agent do its work. */
export function delegatedPrompt(prompt: string, agent: string): string {
  return `Let the agent ${agent} do the following, and return its answer unchanged.\n\n${prompt}`
}

function filesOf(body: string, field: FieldContext, syntax: CommandSyntax): readonly string[] {
  const { card, rewriter } = field
  const root = card.workspace ?? dirname(card.path)
  const folder = syntax.filesIn === 'card' ? dirname(card.path) : root
  const paths = new Set(
    [...body.matchAll(syntax.file)].map(({ groups }) => groups?.['path'] ?? groups?.['named'] ?? ''),
  )
  let left = MAX_LENGTH
  return [...paths].flatMap((path) => {
    const text = VARIABLES.test(path) ? undefined : readFile(join(folder, path), root, card.readText)
    if (text === undefined || text.length > left) {
      const reason = text === undefined ? 'it cannot be read in the working folder' : 'the prompt is too long'
      rewriter.note({ key: `@${path}`, status: 'ignored', reason })
      if (syntax.namesOnlyFiles === true)
        rewriter.addProblem({
          severity: 'warning',
          code: 'key_without_effect',
          message: `The file ${path} is not part of the prompt: ${reason}.`,
        })
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
