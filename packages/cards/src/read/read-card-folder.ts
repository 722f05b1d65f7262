import { errorMessage } from '@troupe/schema'
import { closeSync, openSync, readSync, readdirSync, statSync, type Dirent } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { ParsedCard } from '../card/card-types.ts'
import { hasAgentEnding, syntaxOf, type CardSyntax } from '../file/card-syntax.ts'
import { readCardText } from '../file/card-text.ts'
import { hasFence } from '../file/fence.ts'
import type { ReadOptions } from '../formats/card-format.ts'
import { cardFormatOfFile, chooseCardFormat, isForeignCard } from '../formats/choose-card-format.ts'
import { troupeFormat } from '../formats/troupe.ts'
import { rejectCard } from '../parse/parse-card.ts'
import { localFiles, readFileText, readText, toCards, unreadable } from './read-card.ts'

/** Files that are never cards, whatever their content. Includes hidden files. */
const NEVER = /^(?:\..*|readme(?:\..*)?|skill\.md|troupe\.json)$/iu
const MARKDOWN = /\.md$/iu
/** An ending of Markdown files that only some products read as cards. */
const LONG_MARKDOWN = /\.markdown$/iu
const DATA = /\.(?:ya?ml|jsonc?|toml)$/iu
const CANDIDATE = new RegExp(`${MARKDOWN.source}|${LONG_MARKDOWN.source}|${DATA.source}`, 'iu')
/** Words of which every data file with agents has one, to skip other files without parsing. */
const DATA_WORDS =
  /instruction|systemPrompt|"agents?"|"mode"|\bagents:|\btitle|\bbackstory|\b(?:sequence|fan_out|generator|worker):/u
/** Bytes to read to see how a file begins. */
const HEAD_BYTES = 4096

/** A file in a folder that contains cards. */
export interface CardFile {
  /** Path relative to the folder: the file name, unless the product of the folder searches subfolders. */
  readonly name: string
  /** True for a link. Its target may be outside the folder, or in it under several names. */
  readonly isLink: boolean
  /** At least one. A file that cannot be read is a card with a problem. */
  readonly cards: readonly ParsedCard[]
}

/**
 * Reads the cards of a folder, sorted by file name: `.ai`, `.agent.md`, `.md` with front matter, and `.yaml`
 * and `.json` with `instruction` or in another card format. Enters subfolders only as the product of the
 * folder does. Never throws: a file that cannot be read is a card with a problem.
 */
export function readCardFolder(folder: string, options: ReadOptions = {}): readonly ParsedCard[] {
  return readCardFiles(folder, options).flatMap(({ cards }) => cards)
}

/**
 * Reads the cards of a folder by file. A folder that cannot be read is returned as one file with a problem.
 */
export function readCardFiles(folder: string, options: ReadOptions = {}): readonly CardFile[] {
  let entries: readonly Dirent[]
  try {
    entries = listCandidates(folder, options)
  } catch (error) {
    return [
      {
        name: '.',
        isLink: true,
        cards: [rejectCard(unreadable(errorMessage(error)), { ...options, path: folder })],
      },
    ]
  }
  // Joined once, because the file names of a folder need no normalization.
  const prefix = join(folder, 'x').slice(0, -1)
  return entries
    .map((entry) => ({ entry, name: nameIn(prefix, entry) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ entry, name }) => {
      const isLink = !entry.isFile()
      return { name, isLink, cards: readCandidate(prefix + name, { isLink, options }) }
    })
    .filter(({ cards }) => cards.length > 0)
}

/** Lists the files of a folder that may be cards. Throws if the folder cannot be read. */
function listCandidates(folder: string, { formats }: ReadOptions): readonly Dirent[] {
  const searched = searchedPaths(folder, formats)
  const entries =
    searched === undefined ? readdirSync(folder, { withFileTypes: true }) : searched.flatMap(listTree)
  return entries.filter((entry) => isCandidate(entry))
}

/**
 * Returns the folders and files that the product of a folder searches, with their subfolders; `undefined` if
 * only the folder itself is read.
 */
function searchedPaths(folder: string, formats: ReadOptions['formats']): readonly string[] | undefined {
  const found = findAgentsFolder(folder, formats)
  if (found === undefined) return undefined
  return found.folder === withoutSlash(folder) ? found.paths() : [folder]
}

/** Lists a file, or the files of a folder and its subfolders, without hidden ones and links to folders. */
function listTree(path: string): readonly Dirent[] {
  try {
    if (!isFolder(path))
      return readdirSync(dirname(path), { withFileTypes: true }).filter(
        (entry) => join(entry.parentPath, entry.name) === join(path),
      )
    return readdirSync(path, { withFileTypes: true, recursive: true }).filter(
      ({ parentPath }) => !/(?:^|[\\/])(?:\.|node_modules)/u.test(relative(path, parentPath)),
    )
  } catch {
    // Most folders that a product searches need not exist.
    return []
  }
}

function nameIn(prefix: string, { name, parentPath }: Dirent): string {
  const path = join(parentPath, name)
  return path.startsWith(prefix) ? path.slice(prefix.length) : relative(prefix, path)
}

/** Returns the folder that a product searches for agents together with a folder; `undefined` if none does. */
export function agentsFolderOf(folder: string, { formats }: ReadOptions = {}): string | undefined {
  return findAgentsFolder(folder, formats)?.folder
}

function withoutSlash(path: string): string {
  return join(path, 'x').slice(0, -2)
}

function findAgentsFolder(
  folder: string,
  formats: ReadOptions['formats'],
): { readonly folder: string; paths(): readonly string[] } | undefined {
  const files = localFiles(join(folder, 'x'))
  const path = withoutSlash(folder).replaceAll(sep, '/')
  for (const cardFormat of formats?.formats ?? []) {
    const found = cardFormat.agentsFolder?.(path, files)
    if (found === undefined) continue
    const own = withoutSlash(found)
    return { folder: own, paths: () => cardFormat.agentPaths?.(own, files) ?? [own] }
  }
  return undefined
}

/**
 * Returns the existing folders in which products look for the agents of a project, by product, as absolute or
 * relative as `folder`.
 */
export function projectFoldersIn(
  folder: string,
  { formats }: ReadOptions = {},
): readonly (readonly string[])[] {
  return (formats?.formats ?? [])
    .map(({ projectFolders = [] }) => projectFolders.map((name) => join(folder, name)).filter(isFolder))
    .filter((folders) => folders.length > 0)
}

/** A file that could be a card by its name but is not. */
export interface NonCardFile {
  /** File name in the folder. */
  readonly name: string
  /** Completes "notes.md …", as in "notes.md has no front matter". */
  readonly why: string
}

/**
 * Lists the files of a folder that could be cards by their names but are not, sorted by name. Never throws;
 * returns none if the folder cannot be read.
 */
export function listNonCards(folder: string): readonly NonCardFile[] {
  let entries: readonly Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  return entries
    .filter((entry) => !entry.isDirectory())
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }) => {
      const why = nonCardReason(name)
      return why === undefined ? [] : [{ name, why }]
    })
}

/** Returns why a file is not a card; `undefined` if its name does not suggest one. */
function nonCardReason(name: string): string | undefined {
  if (name.startsWith('.') || /^(?:troupe|package(?:-lock)?|tsconfig)\.json$/iu.test(name)) return undefined
  if (/\.toml$/iu.test(name)) return 'is TOML, which is not supported'
  if (MARKDOWN.test(name)) return NEVER.test(name) ? 'is never read as a card' : 'has no front matter'
  return DATA.test(name) ? 'has no `instruction`' : undefined
}

/** Returns true if the name of a file suggests a card. A link counts as its target. */
function isCandidate(entry: Dirent): boolean {
  const { name, parentPath } = entry
  if (NEVER.test(name) || !(hasAgentEnding(name) || CANDIDATE.test(name))) return false
  return entry.isFile() || (entry.isSymbolicLink() && !isFolder(join(parentPath, name)))
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // The link is broken, which is reported when it is read.
    return false
  }
}

function readCandidate(
  path: string,
  { isLink, options }: { readonly isLink: boolean; readonly options: ReadOptions },
): readonly ParsedCard[] {
  const text = isLink ? readText(path, options.formats) : readFileText(path, options.formats)
  if (typeof text === 'string') return isCard(text, path, options) ? toCards(text, path, options) : []
  return mayBeCard(path) ? [rejectCard(text, { ...options, path })] : []
}

function isCard(text: string, path: string, options: ReadOptions): boolean {
  if (DATA.test(path)) return isDataCard(text, path, options)
  if (LONG_MARKDOWN.test(path)) return isLongMarkdownCard(text, path, options)
  return hasAgentEnding(path) || beginsLikeCard(text) || acceptsProse(path, options)
}

/** Returns true for a `.markdown` file with front matter of a product that reads such files. */
function isLongMarkdownCard(text: string, path: string, { formats, workspace }: ReadOptions): boolean {
  const read = beginsLikeCard(text) ? readCardText(text, 'markdown') : undefined
  if (read === undefined) return false
  const fields = 'problem' in read ? {} : read.fields
  const card = { ...localFiles(path), path, fields, body: '', formats, workspace }
  return chooseCardFormat(card).cardFormat.acceptsLongEnding === true
}

/** Returns true for a path in a folder whose product needs no front matter. */
function acceptsProse(path: string, { formats }: ReadOptions): boolean {
  const card = { ...localFiles(path), path, fields: {}, body: '', formats }
  const { cardFormat, by } = chooseCardFormat(card)
  return by === 'path' && cardFormat.acceptsProse === true
}

/** Returns true if a file that cannot be read as text looks like a card. */
function mayBeCard(path: string): boolean {
  if (hasAgentEnding(path)) return true
  return MARKDOWN.test(path) && beginsLikeCard(readHead(path) ?? '---')
}

function beginsLikeCard(text: string): boolean {
  return hasFence(text.replace(/^\uFEFF?(?:#!.*)?/u, ''))
}

/**
 * Returns true for data with `instruction` or in another card format, and for invalid data that seems to
 * define an agent.
 */
function isDataCard(text: string, path: string, { formats, workspace }: ReadOptions): boolean {
  const syntax = syntaxOf(path)
  const isToml = syntax === 'toml'
  if (isToml ? cardFormatOfFile(path, formats) === troupeFormat.name : !DATA_WORDS.test(text)) return false
  const data = readCardText(formats?.withoutUnusedData?.(text, path) ?? text, syntax, formats)
  if (!('problem' in data))
    return (
      Object.hasOwn(data.fields, 'instruction') ||
      isForeignCard({
        path,
        fields: data.fields,
        body: undefined,
        formats,
        workspace,
        listFiles: localFiles(path).listFiles,
      })
    )
  return isToml || looksLikeAgent(text, syntax)
}

/** Returns the first bytes of a file as text, or `undefined` if it cannot be opened. */
function readHead(path: string): string | undefined {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(HEAD_BYTES)
      return bytes.toString('latin1', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch {
    // It was reported already that the file cannot be read.
    return undefined
  }
}

const TITLE = /^["']?title["']?\s*:/mu
const AGENTS = /^["']?agents["']?\s*:/mu
const INSTRUCTION = /\binstruction/u

/** Returns true if invalid data has the keys of an agent file at its top level. */
export function looksLikeAgent(text: string, syntax: CardSyntax): boolean {
  if (syntax !== 'yaml') return /"(?:instruction|systemPrompt)"\s*:/u.test(text)
  return (
    /^["']?(?:instruction|systemPrompt)["']?\s*:/mu.test(text) ||
    (/^["']?(?:instructions|prompt)["']?\s*:/mu.test(text) && TITLE.test(text)) ||
    (AGENTS.test(text) && INSTRUCTION.test(text))
  )
}
