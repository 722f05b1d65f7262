import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { CARD_FORMATS } from '@troupe/card-formats'
import { convertCard, localFiles, type ConvertedCard } from '@troupe/cards'
import { errorMessage, troupeError } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { problemLines, shortPath } from '../reporter/plan-problems.ts'
import { writeFiles } from './write-files.ts'

export interface ConvertOptions {
  /** File for one agent, or folder for one file per agent. Default: stdout. */
  readonly out?: string
}

/**
 * Runs `troupe convert <file>`: converts the agents of a file in any card format into Troupe cards. Returns 2
 * if the file has errors.
 */
export function convertCommand(
  file: string,
  { out }: ConvertOptions,
  { cwd, terminal }: CommandContext,
): number {
  const path = resolve(cwd, file)
  const text = readCardFile(path)
  const options = {
    path,
    formats: CARD_FORMATS,
    ...localFiles(path),
    workspace: cwd,
  }
  const { cards, problems, dialect } = convertCard(text, options)
  for (const line of problemLines(problems, { cwd, style: terminal.style }))
    terminal.stderr.write(`${line}\n`)
  if (cards.length === 0) return EXIT.usage
  if (out === undefined) {
    terminal.stdout.write(onlyCard(cards, file).text)
    return EXIT.completed
  }
  const location = toOutputLocation(cards, { out, path: resolve(cwd, out) })
  const moved = convertCard(text, { ...options, to: location.folder })
  requireMovable(moved.cards, out)
  for (const cardPath of writeCards(moved.cards, location))
    terminal.stdout.write(`${shortPath(cardPath, cwd)}\n`)
  terminal.stderr.write(
    `\n${file} was read as ${dialect}. Fields that could not be converted are in comments.\n`,
  )
  return EXIT.completed
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
  return writeFiles(folder, Object.fromEntries(cards.map(({ name, text }) => [file ?? `${name}.md`, text])))
}

/** Returns true if the path is an existing folder. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
