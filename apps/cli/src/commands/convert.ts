import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { convertCard, type ConvertedCard } from '@troupe/cards'
import { errorMessage, troupeError } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { isFolder } from '../is-folder.ts'
import { problemLines, shortPath } from '../reporter/problems.ts'
import { writeFiles } from '../scaffold/write-files.ts'

/** The options of `troupe convert`. */
export interface ConvertOptions {
  /** A file, or a folder with one file for each agent; none: stdout. */
  readonly out?: string
}

/** `troupe convert <file>`: the agents of a file in any dialect as cards of ours. 2 when the file has errors. */
export function convertCommand(
  file: string,
  { out }: ConvertOptions,
  { cwd, terminal }: CommandContext,
): number {
  const path = resolve(cwd, file)
  const { cards, problems, dialect } = convertCard(readCardFile(path), {
    path,
    readText: (other) => readFileSync(other, 'utf8'),
  })
  for (const line of problemLines(problems, { cwd, style: terminal.style }))
    terminal.stderr.write(`${line}\n`)
  if (cards.length === 0) return EXIT.usage
  if (out === undefined) {
    terminal.stdout.write(onlyCard(cards, file).text)
    return EXIT.completed
  }
  const paths = writeCards(cards, resolve(cwd, out), out)
  for (const written of paths) terminal.stdout.write(`${shortPath(written, cwd)}\n`)
  terminal.stderr.write(`\n${file} was read as ${dialect}. What was not taken over stands in comments.\n`)
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
  throw troupeError('usage_invalid', `${file} holds several agents: ${names}.`, {
    fix: 'Name a folder for their cards with --out.',
  })
}

function writeCards(cards: readonly ConvertedCard[], path: string, written: string): readonly string[] {
  const [card] = cards
  const isOne = card !== undefined && cards.length === 1 && !isFolder(path) && !/[\\/]$/u.test(written)
  if (isOne) return writeFiles(dirname(path), { [basename(path)]: card.text })
  return writeFiles(path, Object.fromEntries(cards.map(({ name, text }) => [`${name}.md`, text])))
}
