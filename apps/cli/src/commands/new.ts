import { relative, resolve } from 'node:path'
import { troupeError, type AgentType } from '@troupe/schema'
import { deployFiles } from '../scaffold/deploy-files.ts'
import { newCard } from '../scaffold/new-card.ts'
import {
  newModule,
  newPythonTool,
  NEW_KINDS,
  newEval,
  type NewKind,
  type NewKindFile,
} from '../scaffold/new-kinds.ts'
import { withQuestions, type Questions } from '../scaffold/questions.ts'
import { writeFiles } from '../scaffold/write-files.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { runnable } from '../terminal/runnable.ts'

export interface NewOptions {
  readonly kind?: string
  readonly dir?: string
  readonly type?: string
  readonly description?: string
  readonly model?: string
  readonly agents?: readonly string[]
  /** True to ask no questions. */
  readonly yes?: boolean
}

/** Context of `troupe new`: `version` is that of the command. */
type NewContext = CommandContext & { readonly version: string }

/** Files that `troupe new` writes, by their paths. `FILE` in `next` stands for the first path. */
interface NewFiles {
  readonly files: Readonly<Record<string, string>>
  /** Lines that are printed after the paths. */
  readonly next: string
}

/**
 * Runs `troupe new [name]`: writes a new card, tool, hook, evaluation or scheduled card to fill in, or the files to
 * deploy a team. At a terminal it asks for the kind and the description if no option specifies them.
 */
export function newCommand(
  fileName: string | undefined,
  options: NewOptions,
  context: NewContext,
): Promise<number> {
  return withQuestions(context, { isAsking: options.yes !== true }, async (questions) => {
    const { cwd, env, terminal } = context
    const folder = resolve(cwd, options.dir ?? '.')
    const kind = await chooseKind(options, questions)
    const { files, next } =
      kind === 'deploy'
        ? newDeployment(fileName, context.version)
        : newFile(
            kind,
            { fileName: requireName(fileName), folder },
            { ...options, ...(await askDescription(kind, options, questions)) },
          )
    const written = writeFiles(folder, files).map((file) => relative(cwd, file))
    terminal.stdout.write(`${written.join('\n')}\n`)
    const steps = next.replaceAll(/\btroupe (?=(?:check|eval|run|tools) )/gu, (word) => runnable(word, env))
    terminal.stderr.write(`\n${steps.replaceAll('FILE', () => written[0] ?? '')}\n\n`)
    return EXIT.completed
  })
}

async function chooseKind(options: NewOptions, questions: Questions | undefined): Promise<NewKind> {
  const isCard = [options.type, options.model, options.agents].some((option) => option !== undefined)
  if (options.kind === undefined && isCard) return 'card'
  const kind =
    options.kind ??
    (await questions?.choose(
      'What do you want to create?',
      Object.entries(NEW_KINDS)
        .filter(([value]) => value !== 'deploy')
        .map(([value, summary]) => ({ value, label: `${value.padEnd(10)}${summary}` })),
      'card',
    )) ??
    'card'
  if (Object.hasOwn(NEW_KINDS, kind)) return kind as NewKind
  throw troupeError('usage_invalid', `There is no kind "${kind}".`, {
    fix: `Use one of: ${Object.keys(NEW_KINDS).join(', ')}.`,
  })
}

/** Asks for the description that callers read. Hooks and evaluations have none. */
async function askDescription(
  kind: NewKind,
  { description }: NewOptions,
  questions: Questions | undefined,
): Promise<Pick<NewOptions, 'description'>> {
  if (description !== undefined || questions === undefined || kind === 'hook' || kind === 'eval') return {}
  const text = await questions.askText('What does it do? Callers read this.', {
    initial: '',
    validate: () => undefined,
  })
  return text.trim() === '' ? {} : { description: text.trim() }
}

function requireName(fileName: string | undefined): string {
  if (fileName !== undefined) return fileName
  throw troupeError('usage_invalid', 'The name of the new file is missing.', {
    fix: 'Run `troupe new NAME`. Only `troupe new --kind deploy` takes no name.',
  })
}

function newDeployment(fileName: string | undefined, version: string): NewFiles {
  if (fileName !== undefined)
    throw troupeError(
      'usage_invalid',
      'The kind deploy takes no name, because it writes the folder deploy.',
      {
        fix: 'Run `troupe new --kind deploy`, with `--dir` for the folder of another team.',
      },
    )
  return {
    files: deployFiles(version),
    next: 'The page "In production" of the documentation describes the steps for Compose, systemd and Kubernetes.',
  }
}

function newFile(
  kind: Exclude<NewKind, 'deploy'>,
  { fileName, folder }: { readonly fileName: string; readonly folder: string },
  options: NewOptions,
): NewFiles {
  const { type = 'agent', description, model, agents = [] } = options
  const name = fileName.replace(/\.(?:md|ts|py|eval\.yaml)$/u, '')
  if (kind === 'tool' && fileName.endsWith('.py')) return toNewFiles(newPythonTool(name, description))
  if (kind === 'tool' || kind === 'hook') return toNewFiles(newModule(kind, name, description))
  if (kind === 'eval') return toNewFiles(newEval(name))
  const isScheduled = kind === 'schedule'
  const text = newCard({ name, type: type as AgentType, description, model, agents, isScheduled }, folder)
  const next = isScheduled
    ? 'Write its prompt, edit its times, then:\n\n  troupe check FILE --explain\n  troupe run FILE "…"'
    : 'Write its prompt, then:\n\n  troupe check FILE\n  troupe run FILE "…"'
  return toNewFiles({ path: `${name}.md`, text, next })
}

function toNewFiles({ path, text, next }: NewKindFile): NewFiles {
  return { files: { [path]: text }, next }
}
