import { globSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readCardFiles, readCards, type CardProblem, type ParsedCard, type ReadOptions } from '@troupe/cards'
import type { AgentDefinition } from '@troupe/schema'
import { isFolder } from './is-folder.ts'
import type { RemoteCards } from '../remote/remote-cards.ts'

/** One card of a team, read once however often it is named. */
export interface TeamCard {
  /** The file; for an agent from code, a word for messages. */
  readonly path: string
  /** Where it was fetched from; none: it is of this machine. Such a card is text and never code (R18). */
  readonly address?: string
  /** The folder in which its children and its relative paths are looked for. */
  readonly folder: string
  /** What its agent is called; as long as the card cannot be read, the stem of the file. */
  readonly stem: string
  readonly definition?: AgentDefinition
  /** It says that it is the entry of its folder, with errors or without. */
  readonly isDefault: boolean
  readonly problems: readonly CardProblem[]
  /** Where a key or an entry of it was written; agents from code have no places. */
  readonly positionOf?: ParsedCard['positionOf']
  /** How a file was read, and what became of its keys; agents from code have neither. */
  readonly dialect?: string
  readonly report?: ParsedCard['report']
  /** Files that it was read with. */
  readonly includes?: ParsedCard['includes']
}

/** Reads cards and remembers them: equal files give the same object, also through links. */
export interface CardPool {
  /** The cards of a file named outright, whatever its name: most have one. */
  file(path: string): readonly TeamCard[]
  /** The cards of a folder; one that is not there has none. */
  folder(path: string): readonly TeamCard[]
  /** A file, or all cards of a folder. */
  path(path: string): readonly TeamCard[]
  /** The cards that a glob of paths names; relative ones from the folder. */
  glob(pattern: string, folder: string): readonly TeamCard[]
  /** The card behind an address; none as long as it is not fetched. */
  remote(url: string): readonly TeamCard[]
  /** The card of an agent from code. */
  code(definition: AgentDefinition): TeamCard
}

/** An empty pool; agents from code that name no folder belong to `cwd`. */
export function createCardPool(
  cwd: string,
  remote: RemoteCards,
  { edited = [], modelWords }: ReadOptions & { readonly edited?: readonly string[] } = {},
): CardPool {
  const swap = createSwap(
    edited.map((path) => resolve(cwd, path)),
    { modelWords },
  )
  const files = new Map<string, readonly TeamCard[]>()
  const folders = new Map<string, readonly TeamCard[]>()
  const codes = new Map<AgentDefinition, TeamCard>()
  const keep = (key: string, read: () => readonly ParsedCard[]): readonly TeamCard[] => {
    const known = files.get(key)
    if (known !== undefined) return known
    const cards = read().map((parsed) => swap(toCard(parsed)))
    files.set(key, cards)
    return cards
  }
  const pool: CardPool = {
    file: (path) => keep(keyOf(path), () => readCards(path, { modelWords })),
    folder: (path) => {
      const key = keyOf(path)
      const known = folders.get(key)
      if (known !== undefined) return known
      const found = isFolder(path) ? readCardFiles(path, { modelWords }) : []
      const inFolder = join(key, 'x').slice(0, -1)
      const cards = found.flatMap((file) =>
        // only a link leads elsewhere
        keep(file.isLink ? keyOf(join(path, file.name)) : inFolder + file.name, () => file.cards),
      )
      const distinct = [...new Set(cards)]
      folders.set(key, distinct)
      return distinct
    },
    path: (path) => (isFolder(path) ? pool.folder(path) : pool.file(path)),
    glob: (pattern, folder) => {
      const paths = globSync(pattern, { cwd: folder }).map((path) => resolve(folder, path))
      const cards = paths.toSorted().flatMap((path) => {
        // only what counts as a card in its folder
        const beside = isFolder(path) ? [] : pool.folder(dirname(path))
        return (files.get(keyOf(path)) ?? []).filter((card) => beside.includes(card))
      })
      return [...new Set(cards)]
    },
    remote: (url) => {
      const card = remote.get(url)
      return card === undefined ? [] : [card]
    },
    code: (definition) => {
      const known = codes.get(definition)
      if (known !== undefined) return known
      const card = fromCode(definition, cwd)
      codes.set(definition, card)
      return card
    },
  }
  return pool
}

/**
 * Puts cards that were edited in the place of those of the same names: their folders stay those of the cards they stand for. An edited card that lies beside
 * the one it stands for is the same card then.
 */
function createSwap(paths: readonly string[], options: ReadOptions): (card: TeamCard) => TeamCard {
  const edits = new Map(
    paths.flatMap((path) =>
      readCards(path, options)
        .map(toCard)
        .map((card) => [card.definition?.name ?? card.stem, card] as const),
    ),
  )
  const made = new Map<string, TeamCard>()
  return (card) => {
    const name = card.definition?.name ?? card.stem
    const edit = edits.get(name)
    if (edit === undefined) return card
    const key = JSON.stringify([name, card.folder])
    const known = made.get(key) ?? { ...edit, folder: card.folder }
    made.set(key, known)
    return known
  }
}

function toCard(parsed: ParsedCard): TeamCard {
  const { path, definition, isDefault, problems, positionOf, dialect, report, includes = [] } = parsed
  return {
    path,
    folder: definition?.source.folder ?? dirname(path),
    stem: definition?.name ?? stemOf(path),
    ...(definition === undefined ? {} : { definition }),
    isDefault,
    problems,
    positionOf,
    dialect,
    report,
    includes,
  }
}

function fromCode(definition: AgentDefinition, cwd: string): TeamCard {
  const { path, folder } = definition.source
  return {
    path,
    folder: resolve(cwd, folder ?? '.'),
    stem: definition.name,
    definition,
    isDefault: definition.default,
    problems: [],
  }
}

function stemOf(path: string): string {
  const name = basename(path)
  return name.replace(/(?:\.agent)?\.[A-Za-z0-9]+$/iu, '') || name
}

/** The path without links, so that a file has one card; a path that leads nowhere stands for itself. */
function keyOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // reading it will say what is wrong
    return resolve(path)
  }
}
