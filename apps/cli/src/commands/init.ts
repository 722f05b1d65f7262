import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseEnvFile } from '@troupe/env'
import { errorMessage, troupeError } from '@troupe/schema'
import { withQuestions, type Questions } from '../scaffold/questions.ts'
import { addKey, ignoreKeyFile, nextCommands, teamFiles } from '../scaffold/team-files.ts'
import { chooseModel, type ModelOptions, type TeamModel } from '../scaffold/team-model.ts'
import { KEY_FILE, requireNewFiles, writeFiles } from '../scaffold/write-files.ts'
import { DEFAULT_TEMPLATE, TEMPLATE_NAMES, TEMPLATES } from '../templates/template-names.ts'
import type { NextCommand, TeamTemplate } from '../templates/team-template.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { runnable } from '../terminal/runnable.ts'

export interface InitOptions extends ModelOptions {
  readonly template?: string
  /** False with `--no-run`. */
  readonly run?: boolean
  /** True to ask no questions. */
  readonly yes?: boolean
}

/** A team that `troupe init` is about to write. */
interface NewTeam {
  readonly folder: string
  readonly template: TeamTemplate
  readonly model: TeamModel
  /** Typed key; `undefined` if none is needed or it comes from elsewhere. */
  readonly key?: string | undefined
}

/**
 * Runs `troupe init [folder]`: writes a small team, runs it once and prints what to do next. At a terminal it
 * asks for what the options leave open. Writes nothing if one of the files exists.
 */
export function initCommand(
  folder: string | undefined,
  options: InitOptions,
  context: CommandContext,
): Promise<number> {
  return withQuestions(context, { isAsking: options.yes !== true }, async (questions) => {
    const target = resolve(context.cwd, folder ?? (await chooseFolder(questions, context)))
    const template = await chooseTemplate(options, questions)
    requireNewFiles(target, Object.keys(teamFiles(template, { model: await chooseModel({}, undefined) })))
    const model = await chooseModel(options, questions)
    const key = await askKey(target, model, questions, context)
    const team = { folder: target, template, model, key }
    const isRun = options.run !== false && (await shouldRun(team, questions, context))
    return writeTeam(team, { isRun, canAsk: questions !== undefined }, context)
  })
}

async function chooseFolder(questions: Questions | undefined, { cwd }: CommandContext): Promise<string> {
  if (questions === undefined) return '.'
  const isEmpty = readdirSync(cwd).length === 0
  return questions.askText('Folder of the team', {
    initial: isEmpty ? '.' : 'team',
    validate: (text) => (text.trim() === '' ? 'Enter a folder, or `.` for the current folder.' : undefined),
  })
}

async function chooseTemplate(
  { template }: InitOptions,
  questions: Questions | undefined,
): Promise<TeamTemplate> {
  const name =
    template ??
    (await questions?.choose(
      'What should the team do?',
      Object.entries(TEMPLATES).map(([value, { summary }]) => ({
        value,
        label: `${value.padEnd(10)}${summary}`,
      })),
      DEFAULT_TEMPLATE,
    )) ??
    DEFAULT_TEMPLATE
  const entry = Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined
  if (entry !== undefined) return entry.load()
  throw troupeError('usage_invalid', `There is no template "${name}".`, {
    fix: `Use one of: ${TEMPLATE_NAMES.join(', ')}.`,
  })
}

/** Asks for the key of the provider, unless a variable or a key file exists. The key is never printed. */
async function askKey(
  folder: string,
  { keyVariable }: TeamModel,
  questions: Questions | undefined,
  { env, terminal }: CommandContext,
): Promise<string | undefined> {
  if (keyVariable === undefined || questions === undefined) return undefined
  if (hasKey(folder, keyVariable, env) || existsSync(join(folder, KEY_FILE))) return undefined
  const key = await questions.askSecret(`${keyVariable} (Enter to add it later)`, (text) =>
    /^[\x21-\x7E]*$/u.test(text) ? undefined : 'A key has no spaces or special characters.',
  )
  if (key === '') return undefined
  terminal.secrets.add((text) => text.replaceAll(key, `[redacted:${keyVariable}]`))
  return key
}

/** Returns true if the new team can run now, and should: a model of a provider may cost money. */
async function shouldRun(
  team: NewTeam,
  questions: Questions | undefined,
  { env }: CommandContext,
): Promise<boolean> {
  if (isKeyMissing(team, env)) return false
  if (team.model.isScript || questions === undefined) return true
  return questions.confirm(`Run the team once now? It calls ${team.model.id}.`)
}

function isKeyMissing({ folder, model, key }: NewTeam, env: CommandContext['env']): boolean {
  return model.keyVariable !== undefined && key === undefined && !hasKey(folder, model.keyVariable, env)
}

/** Returns true if the environment or the key file of the folder has the key. */
function hasKey(folder: string, variable: string, env: CommandContext['env']): boolean {
  if ((env[variable] ?? '') !== '') return true
  const file = join(folder, KEY_FILE)
  return existsSync(file) && (parseEnvFile(readFileSync(file, 'utf8'), file).values[variable] ?? '') !== ''
}

async function writeTeam(
  team: NewTeam,
  { isRun, canAsk }: { readonly isRun: boolean; readonly canAsk: boolean },
  context: CommandContext,
): Promise<number> {
  const { folder, template, model, key } = team
  const { cwd, terminal } = context
  const paths = writeTeamFiles(folder, teamFiles(template, { model, key }))
  for (const path of paths) terminal.stdout.write(`${relative(cwd, path)}\n`)
  const code = isRun ? await runOnce(team, canAsk, context) : EXIT.completed
  printNextSteps(team, context)
  return context.stop.exitCode ?? code
}

/** Writes the files of a team. Throws `usage_invalid` if the folder cannot be written to. */
function writeTeamFiles(folder: string, files: Readonly<Record<string, string>>): readonly string[] {
  try {
    mkdirSync(folder, { recursive: true })
    ignoreKeyFile(folder)
    return writeFiles(folder, files)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown
    throw troupeError('usage_invalid', `The team cannot be written to ${folder}: ${errorMessage(thrown)}.`, {
      fix: 'Choose a folder that you can write to.',
    })
  }
}

/** Runs the team with its example. stdout stays the list of files, so the answer goes to stderr. */
async function runOnce(
  { folder, template }: NewTeam,
  canAsk: boolean,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context
  const { stderr, style, interactive } = terminal
  stderr.write(`\n${style.dim(`Running the team: ${template.example}`)}\n\n`)
  const { runCommand } = await import('./run.ts')
  return runCommand(
    { card: '.', words: [template.example] },
    {},
    {
      ...context,
      cwd: folder,
      terminal: { ...terminal, stdout: stderr, outStyle: style, interactive: interactive && canAsk },
    },
  )
}

function printNextSteps(team: NewTeam, context: CommandContext): void {
  const { folder, template, model } = team
  const { cwd, env, terminal } = context
  const { stderr, style } = terminal
  const path = relative(cwd, folder)
  const commands: readonly NextCommand[] = [
    ...(path === '' ? [] : [{ command: `cd ${quotePath(path)}`, purpose: '' }]),
    ...nextCommands(template, model).map((next) => ({ ...next, command: runnable(next.command, env) })),
  ]
  const needsKey = isKeyMissing(team, env) ? [`First ${addKey(model)} in that folder.`] : []
  const usesScript = model.isScript ? ['A script stands in for the model, so the team needs no key.'] : []
  const lines = commands.flatMap(({ command, purpose }) => [
    ...(purpose === '' ? [] : [`  ${style.dim(`# ${purpose}`)}`]),
    `  ${style.bold(command)}`,
  ])
  stderr.write(
    `\n${[`Created ${path === '' ? 'the team in this folder' : path}.`, ...usesScript, ...needsKey].join(' ')} Next:\n\n${lines.join('\n')}\n\n`,
  )
}

/** Quotes a path for a shell if it has other characters than the usual ones. */
function quotePath(path: string): string {
  return /^[\w./@-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
