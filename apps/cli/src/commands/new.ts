import { relative, resolve } from 'node:path'
import { troupeError, type AgentType } from '@troupe/schema'
import { newCard } from '../scaffold/new-card.ts'
import { newModule, NEW_KINDS, newEval, type NewKind } from '../scaffold/new-kinds.ts'
import { withQuestions, type Questions } from '../scaffold/questions.ts'
import { writeFiles } from '../scaffold/write-files.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'

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

/** A file that `troupe new` writes, with what to do next. */
interface NewFile {
  readonly path: string
  readonly text: string
  /** Lines that are printed after the path. `FILE` stands for the path. */
  readonly next: string
}

/**
 * Runs `troupe new <name>`: writes a new card, tool, hook, evaluation or scheduled card to fill in. At a terminal
 * it asks for the kind and the description if no option says them.
 */
export function newCommand(fileName: string, options: NewOptions, context: CommandContext): Promise<number> {
  return withQuestions(context, { isAsking: options.yes !== true }, async (questions) => {
    const { cwd, terminal } = context
    const folder = resolve(cwd, options.dir ?? '.')
    const kind = await chooseKind(options, questions)
    const description = await askDescription(kind, options, questions)
    const { path, text, next } = newFile(
      kind,
      { name: fileName.replace(/\.(?:md|ts|eval\.yaml)$/u, ''), folder },
      description === undefined ? options : { ...options, description },
    )
    const [written = ''] = writeFiles(folder, { [path]: text })
    const file = relative(cwd, written)
    terminal.stdout.write(`${file}\n`)
    terminal.stderr.write(`\n${next.replaceAll('FILE', () => file)}\n\n`)
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
      Object.entries(NEW_KINDS).map(([value, summary]) => ({
        value,
        label: `${value.padEnd(10)}${summary}`,
      })),
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
): Promise<string | undefined> {
  if (description !== undefined || questions === undefined || kind === 'hook' || kind === 'eval')
    return description
  const text = await questions.askText('What does it do? Callers read this.', {
    initial: '',
    validate: () => undefined,
  })
  return text.trim() === '' ? undefined : text.trim()
}

function newFile(
  kind: NewKind,
  { name, folder }: { readonly name: string; readonly folder: string },
  options: NewOptions,
): NewFile {
  const { type = 'agent', description, model, agents = [] } = options
  if (kind === 'tool' || kind === 'hook') return newModule(kind, name, description)
  if (kind === 'eval') return newEval(name)
  const isScheduled = kind === 'schedule'
  const text = newCard({ name, type: type as AgentType, description, model, agents, isScheduled }, folder)
  const next = isScheduled
    ? 'Write its prompt, edit its times, then:\n\n  troupe check FILE --explain\n  troupe run FILE "…"'
    : 'Write its prompt, then:\n\n  troupe check FILE\n  troupe run FILE "…"'
  return { path: `${name}.md`, text, next }
}
