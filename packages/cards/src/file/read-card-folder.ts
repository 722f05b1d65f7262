import { closeSync, openSync, readSync, readdirSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '@troupe/schema'
import { formOf, hasAgentEnding } from './card-form.ts'
import { readCardText } from './card-text.ts'
import type { ParsedCard, ReadOptions } from '../card-types.ts'
import { isForeign } from '../dialects/choose-dialect.ts'
import { hasFence } from './fence.ts'
import { rejectCard } from '../parse-card.ts'
import { saysAgent } from './says-agent.ts'
import { readFileText, readText, toCards, unreadable } from './read-card.ts'

/** Never cards, whatever they hold; so are hidden files. */
const NEVER = /^(?:\..*|readme(?:\..*)?|skill\.md|troupe\.json)$/iu
const MARKDOWN = /\.md$/iu
const DATA = /\.(?:ya?ml|jsonc?)$/iu
/** What every file of agents says somewhere. */
const DATA_WORDS = /instruction|systemPrompt|"agents?"|"mode"|\bagents:|\btitle/u
/** Enough of a file to see how it begins. */
const HEAD_BYTES = 4096

/** A file of a folder that holds cards. */
export interface CardFile {
  /** In its folder. */
  readonly name: string
  /** It may lie anywhere, and be in the folder under several names. */
  readonly isLink: boolean
  /** At least one: a file that cannot be read is a card with a problem. */
  readonly cards: readonly ParsedCard[]
}

/**
 * The cards of a folder, sorted by file name: `.ai`, `.agent.md`, `.md` with front matter, and `.yaml` and `.json` with
 * `instruction` or in the shape of another product's agents. Subfolders are not entered. Never throws: what cannot be read is a card with a problem.
 */
export function readCardFolder(folder: string, options: ReadOptions = {}): readonly ParsedCard[] {
  return readCardFiles(folder, options).flatMap(({ cards }) => cards)
}

/** The same, file by file; a folder that cannot be read counts as one. */
export function readCardFiles(folder: string, options: ReadOptions = {}): readonly CardFile[] {
  let entries: readonly Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    return [{ name: '.', isLink: true, cards: [rejectCard(unreadable(errorMessage(error)), folder)] }]
  }
  // a name in a folder has no parts of its own that would have to be normalised
  const prefix = join(folder, 'x').slice(0, -1)
  return entries
    .filter((entry) => isCandidate(entry, folder))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => {
      const isLink = !entry.isFile()
      return { name: entry.name, isLink, cards: readCandidate(prefix + entry.name, { isLink, options }) }
    })
    .filter(({ cards }) => cards.length > 0)
}

/** A file of a folder that holds no card, though a file of its kind may hold one. */
export interface NoCardFile {
  /** In its folder. */
  readonly name: string
  /** As in "notes.md has no front matter". */
  readonly why: string
}

/** Lists the files of a folder that look as if they were meant to be cards and are none, sorted by name. Never throws: without the folder there are none. */
export function listNoCards(folder: string): readonly NoCardFile[] {
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
      const why = whyNoCard(name)
      return why === undefined ? [] : [{ name, why }]
    })
}

/** Why a file counts as no card in its folder, for a file that is none; `undefined` for files that nobody takes for cards. */
function whyNoCard(name: string): string | undefined {
  if (name.startsWith('.') || /^(?:troupe|package(?:-lock)?|tsconfig)\.json$/iu.test(name)) return undefined
  if (/\.toml$/iu.test(name)) return 'is TOML, which is not read'
  if (MARKDOWN.test(name)) return NEVER.test(name) ? 'never counts as a card' : 'has no front matter'
  return DATA.test(name) ? 'has no `instruction`' : undefined
}

/** True for files by their names; a link counts as what it leads to. */
function isCandidate(entry: Dirent, folder: string): boolean {
  const { name } = entry
  if (NEVER.test(name) || !(hasAgentEnding(name) || MARKDOWN.test(name) || DATA.test(name))) return false
  return entry.isFile() || (entry.isSymbolicLink() && !isFolder(join(folder, name)))
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // a link that leads nowhere: reading it will say so
    return false
  }
}

function readCandidate(
  path: string,
  { isLink, options }: { readonly isLink: boolean; readonly options: ReadOptions },
): readonly ParsedCard[] {
  const text = isLink ? readText(path) : readFileText(path)
  if (typeof text === 'string') return isCard(text, path) ? toCards(text, path, options) : []
  return mayBeCard(path) ? [rejectCard(text, path)] : []
}

function isCard(text: string, path: string): boolean {
  if (DATA.test(path)) return isDataCard(text, path)
  return hasAgentEnding(path) || beginsLikeCard(text)
}

/** True for a file that cannot be read as text and yet looks like a card. */
function mayBeCard(path: string): boolean {
  if (hasAgentEnding(path)) return true
  return MARKDOWN.test(path) && beginsLikeCard(readHead(path) ?? '---')
}

function beginsLikeCard(text: string): boolean {
  return hasFence(text.replace(/^\uFEFF?(?:#!.*)?/u, ''))
}

/** Data is a card when it has a prompt, under the name that some dialect has for it. Data that is broken is one when it says `instruction:` at its top level. */
function isDataCard(text: string, path: string): boolean {
  if (!DATA_WORDS.test(text)) return false
  const form = formOf(path)
  const data = readCardText(text, form)
  if (!('problem' in data))
    return (
      Object.hasOwn(data.fields, 'instruction') || isForeign({ path, fields: data.fields, body: undefined })
    )
  return saysAgent(text, form)
}

/** The first bytes of a file as text, or undefined when it cannot be opened. */
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
    // it was reported already that the file cannot be read
    return undefined
  }
}
