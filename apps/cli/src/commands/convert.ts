import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CARD_FORMATS } from '@troupe/card-formats'
import { convertCard, localFiles, type ConvertCardOptions, type ConvertedCard } from '@troupe/cards'
import { errorMessage, troupeError } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { problemLines, shortPath } from '../reporter/plan-problems.ts'
import { writeFiles } from '../scaffold/write-files.ts'

export interface ConvertOptions {
  /** File for one agent, or folder for one file per agent. Default: stdout. */
  readonly out?: string
}

/**
 * Runs `troupe convert <files…>`: converts the agents of files in any card format into Troupe cards. Returns 2
 * if a file has errors.
 */
export function convertCommand(
  files: readonly string[],
  { out }: ConvertOptions,
  { cwd, home, terminal }: CommandContext,
): number {
  const read = files.map((file): SourceFile => {
    const path = resolve(cwd, file)
    const text = readCardFile(path)
    const options = { path, formats: CARD_FORMATS, ...localFiles(path), workspace: cwd, home }
    const { cards, problems, dialect } = convertCard(text, options)
    for (const line of problemLines(problems, { cwd, style: terminal.style }))
      terminal.stderr.write(`${line}\n`)
    return { file, text, options, cards, dialect }
  })
  if (read.some(({ cards }) => cards.length === 0)) return EXIT.usage
  const all = read.flatMap(({ cards }) => cards)
  if (out === undefined) {
    terminal.stdout.write(onlyCard(all, files.join(', ')).text)
    return EXIT.completed
  }
  const location = toOutputLocation(all, { out, path: resolve(cwd, out) })
  requireUniqueNames(all)
  const converted = newPaths(read, location)
  const moved = read.flatMap(
    ({ text, options }) => convertCard(text, { ...options, to: location.folder, converted }).cards,
  )
  requireMovable(moved, out)
  for (const cardPath of writeCards(moved, location)) terminal.stdout.write(`${shortPath(cardPath, cwd)}\n`)
  const formats = read.map(({ file, dialect }) => `${file} was read as ${dialect}.`)
  terminal.stderr.write(`\n${formats.join('\n')}\nFields that could not be converted are in comments.\n`)
  return EXIT.completed
}

/** A file and its agents as cards for the folder of the file. */
interface SourceFile {
  readonly file: string
  readonly text: string
  readonly options: ConvertCardOptions
  readonly cards: readonly ConvertedCard[]
  readonly dialect: string
}

/** Returns the new path of every file with one agent by its path, so that its parents refer to it. */
function newPaths(
  files: readonly SourceFile[],
  { folder, file }: OutputLocation,
): ReadonlyMap<string, string> {
  return new Map(
    files.flatMap(({ cards: [card, ...others], options }) =>
      card === undefined || others.length > 0
        ? []
        : [[options.path, join(folder, file ?? fileName(card))] as const],
    ),
  )
}

function fileName({ name }: ConvertedCard): string {
  return `${name}.md`
}

/** Throws `usage_invalid` if two agents would be written to the same file. */
function requireUniqueNames(cards: readonly ConvertedCard[]): void {
  const names = cards.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  throw troupeError('usage_invalid', `Two of the agents are named ${twice}.`, {
    fix: 'Rename one of them, or convert their files into different folders.',
  })
}

function readCardFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw troupeError('card_unreadable', errorMessage(error), { cause: error })
  }
}

function onlyCard(cards: readonly ConvertedCard[], file: string): ConvertedCard {
  const [card, ...others] = cards
  if (card !== undefined && others.length === 0) return card
  const names = cards.map(({ name }) => name).join(', ')
  throw troupeError('usage_invalid', `${file} contains several agents: ${names}.`, {
    fix: 'Pass a folder for their cards with --out.',
  })
}

/** Output folder, and the file name if `--out` names a file. */
interface OutputLocation {
  readonly folder: string
  readonly file?: string
}

function toOutputLocation(
  cards: readonly ConvertedCard[],
  { out, path }: { readonly out: string; readonly path: string },
): OutputLocation {
  const isOne = cards.length === 1 && !isFolder(path) && !/[\\/]$/u.test(out)
  return isOne ? { folder: dirname(path), file: basename(path) } : { folder: path }
}

/** Throws `usage_invalid` if a card refers to code that it could not load from the output folder. */
function requireMovable(cards: readonly ConvertedCard[], out: string): void {
  const unmovablePaths = cards.flatMap(({ name, unmovable }) => unmovable.map((path) => `${name}: ${path}`))
  if (unmovablePaths.length === 0) return
  throw troupeError(
    'usage_invalid',
    `--out ${out}: the code of a card must be in the folder of the card or below it: ${unmovablePaths.join('; ')}.`,
    {
      fix: 'Write the card to the folder of the file or a parent folder, then move it together with its code.',
    },
  )
}

function writeCards(cards: readonly ConvertedCard[], { folder, file }: OutputLocation): readonly string[] {
  return writeFiles(folder, Object.fromEntries(cards.map((card) => [file ?? fileName(card), card.text])))
}

/** Returns true if the path is an existing folder. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
