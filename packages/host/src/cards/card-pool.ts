import fs, { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import {
  agentsFolderOf,
  localFiles,
  parseCards,
  projectFoldersIn,
  readCardFiles,
  readCards,
  type CardProblem,
  type ParsedCard,
  type ReadOptions,
} from '@troupe/cards'
import type { AgentDefinition } from '@troupe/schema'
import { isFolder } from './card-reference.ts'
import type { RemoteCards } from './remote-cards.ts'

/** A card of a team. Each is read only once. */
export interface TeamCard {
  /** Path of the file. For an agent from code, a label for messages. */
  readonly path: string
  /** URL it was fetched from. `undefined` for a local card. A remote card never contains code. */
  readonly address?: string
  /** Folder for relative paths and for finding children. */
  readonly folder: string
  /** Name of its agent, or the file stem if the card cannot be read. */
  readonly stem: string
  readonly definition?: AgentDefinition
  /** True if the card sets `default: true`, even if it has errors. */
  readonly isDefault: boolean
  readonly problems: readonly CardProblem[]
  /** Returns the position of a key or an entry. Missing for agents from code. */
  readonly positionOf?: ParsedCard['positionOf']
  /** Card format and report on its keys. Missing for agents from code. */
  readonly dialect?: string
  /** True if its format runs agents without missing servers and skills, which often exist on one computer only. */
  readonly toleratesMissingParts?: boolean
  /** True if users of its product choose one agent of a folder, so that the folder needs no entry agent. */
  readonly needsNoEntry?: boolean
  readonly report?: ParsedCard['report']
  /** Files included by the card. */
  readonly includes?: ParsedCard['includes']
  /** Provider settings from the files of its product, not validated. */
  readonly providers?: ParsedCard['providers']
  /** Folders besides its own whose code it may name, because its product keeps code there. */
  readonly codeRoots?: readonly string[]
  /** Env files that its product reads, in order of precedence, lowest first. They need not exist. */
  readonly envFiles?: readonly string[]
}

/** Reads and caches cards. The same file always gives the same object, also through links. */
export interface CardPool {
  /** Returns the cards of a file, whatever its name. Most files hold one. */
  file(path: string): readonly TeamCard[]
  /** Returns the cards of a folder; empty if it does not exist. */
  folder(path: string): readonly TeamCard[]
  /** Returns the cards that the cards of a folder find by name: those of the folder, or of all that its product searches with it. */
  near(folder: string): readonly TeamCard[]
  /**
   * Returns the card of a file, or all cards of a folder. For a folder without cards in which one product has
   * agents, such as `.claude/agents`, returns those.
   */
  path(path: string): readonly TeamCard[]
  /** Returns the cards that match a glob of paths, relative to the folder. */
  glob(pattern: string, folder: string): readonly TeamCard[]
  /** Returns the card at a URL; empty until it is fetched. */
  remote(url: string): readonly TeamCard[]
  /** Returns the card of an agent from code. */
  code(definition: AgentDefinition): TeamCard
}

/** The text of a card file that has not been saved. */
export interface UnsavedCard {
  readonly path: string
  readonly text: string
}

/**
 * Creates an empty pool. Agents from code without a folder belong to `cwd`. The file of `unsaved` is read as if it
 * had that text.
 */
export function createCardPool(
  cwd: string,
  remote: RemoteCards,
  {
    edited = [],
    unsaved,
    ...options
  }: ReadOptions & { readonly edited?: readonly string[]; readonly unsaved?: UnsavedCard | undefined } = {},
): CardPool {
  const unsavedKey = unsaved === undefined ? undefined : keyOf(unsaved.path)
  const replaceEdited = createReplacer(
    edited.map((path) => resolve(cwd, path)),
    options,
  )
  const files = new Map<string, readonly TeamCard[]>()
  const folders = new Map<string, readonly TeamCard[]>()
  const codes = new Map<AgentDefinition, TeamCard>()
  const getOrRead = (key: string, read: () => readonly ParsedCard[]): readonly TeamCard[] => {
    const known = files.get(key)
    if (known !== undefined) return known
    const parsed = unsaved !== undefined && key === unsavedKey ? parseUnsaved(unsaved, options) : read()
    const cards = parsed.map((card) => replaceEdited(toCard(card, options)))
    files.set(key, cards)
    return cards
  }
  /** Returns the agents of a project of one product; empty if several products have agents in the folder. */
  const cardsOfProject = (folder: string): readonly TeamCard[] => {
    const products = projectFoldersIn(folder, options)
      .map((folders) => [...new Set(folders.flatMap((path) => pool.folder(path)))])
      .filter((cards) => cards.length > 0)
    return products.length === 1 ? (products[0] ?? []) : []
  }
  const pool: CardPool = {
    file: (path) => getOrRead(keyOf(path), () => readCards(path, options)),
    folder: (path) => {
      const key = keyOf(path)
      const known = folders.get(key)
      if (known !== undefined) return known
      const found = isFolder(path) ? readCardFiles(path, options) : []
      const inFolder = join(key, 'x').slice(0, -1)
      const cards = found.flatMap((file) =>
        // Only links need resolving.
        getOrRead(file.isLink ? keyOf(join(path, file.name)) : inFolder + file.name, () => file.cards),
      )
      const distinct = [...new Set(cards)]
      folders.set(key, distinct)
      return distinct
    },
    near: (folder) => pool.folder(agentsFolderOf(folder, options) ?? folder),
    path: (path) => {
      if (!isFolder(path)) return pool.file(path)
      const cards = pool.folder(path)
      return cards.length > 0 ? cards : cardsOfProject(path)
    },
    glob: (pattern, folder) => {
      const paths = fs.globSync(pattern, { cwd: folder }).map((path) => resolve(folder, path))
      const cards = paths.toSorted().flatMap((path) => {
        // Only files that count as cards in their folder.
        const cardsInFolder = isFolder(path) ? [] : pool.folder(dirname(path))
        return (files.get(keyOf(path)) ?? []).filter((card) => cardsInFolder.includes(card))
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

function parseUnsaved({ path, text }: UnsavedCard, options: ReadOptions): readonly ParsedCard[] {
  return parseCards(text, { ...options, ...localFiles(path), path })
}

/**
 * Replaces cards by edited ones with the same agent name. An edited card gets the folder of the card it
 * replaces.
 */
function createReplacer(paths: readonly string[], options: ReadOptions): (card: TeamCard) => TeamCard {
  const edits = new Map(
    paths.flatMap((path) =>
      readCards(path, options)
        .map((parsed) => toCard(parsed, options))
        .map((card) => [card.definition?.name ?? card.stem, card] as const),
    ),
  )
  const replacements = new Map<string, TeamCard>()
  return (card) => {
    const name = card.definition?.name ?? card.stem
    const edit = edits.get(name)
    if (edit === undefined) return card
    const key = JSON.stringify([name, card.folder])
    const known = replacements.get(key) ?? { ...edit, folder: card.folder }
    replacements.set(key, known)
    return known
  }
}

function toCard(
  parsed: ParsedCard,
  { formats, workspace = dirname(parsed.path), home, variables }: ReadOptions,
): TeamCard {
  const format = formats?.formats.find(({ name }) => name === parsed.dialect)
  const envFiles = format?.envFiles?.(parsed.path, { workspace, home })
  const codeRoots = format?.codeRoots?.(parsed.path, { workspace, home, variables })
  const {
    path,
    definition,
    isDefault,
    problems,
    positionOf,
    dialect,
    report,
    includes = [],
    providers,
  } = parsed
  return {
    path,
    folder: definition?.source.folder ?? dirname(path),
    stem: definition?.name ?? stemOf(path),
    ...(definition === undefined ? {} : { definition }),
    isDefault,
    problems,
    positionOf,
    dialect,
    toleratesMissingParts: format?.toleratesMissingParts === true,
    needsNoEntry: format !== undefined && format.needsEntry !== true,
    ...(codeRoots === undefined ? {} : { codeRoots }),
    ...(envFiles === undefined ? {} : { envFiles }),
    report,
    includes,
    ...(providers === undefined ? {} : { providers }),
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

/** Resolves links, so that a file has one card. A path that does not exist is only made absolute. */
function keyOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Reading the file reports the error.
    return resolve(path)
  }
}
