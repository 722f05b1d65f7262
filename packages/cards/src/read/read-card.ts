import { errorMessage, troupeError } from '@troupe/schema'
import { isInside } from '@troupe/schema/paths'
import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import type { ParsedCard } from '../card/card-types.ts'
import {
  MAX_CARD_BYTES,
  MAX_FILE_BYTES,
  isTooLarge,
  tooLarge,
  type FileRejection,
} from '../file/card-text.ts'
import type { CardFormats, ParseOptions, ReadOptions } from '../formats/card-format.ts'
import { parseCards, rejectCard } from '../parse/parse-card.ts'

/**
 * Reads a file as a card, whatever its name; if it holds several agents, the first. Never throws: a file that
 * cannot be read is a card with a problem.
 */
export function readCard(path: string, options: ReadOptions = {}): ParsedCard {
  const [first] = readCards(path, options)
  return first ?? rejectCard(unreadable(`${path} does not contain an agent.`), { ...options, path })
}

/** Reads the cards of a file: one, or one per agent if its format allows several. */
export function readCards(path: string, options: ReadOptions = {}): readonly ParsedCard[] {
  const text = readText(path, options.formats)
  return typeof text === 'string' ? toCards(text, path, options) : [rejectCard(text, { ...options, path })]
}

/** Parses a text as the cards of a path. Schema files and includes are read from disk. */
export function toCards(text: string, path: string, options: ReadOptions): readonly ParsedCard[] {
  const includes = new Set<string>()
  const files = localFiles(path)
  const cards = parseCards(text, {
    ...options,
    ...files,
    path,
    readText: (file, root) => {
      includes.add(file)
      return files.readText(file, root)
    },
    readProjectFile: (file) => {
      includes.add(file)
      return files.readProjectFile(file)
    },
  })
  return includes.size === 0
    ? cards
    : cards.map((card) => Object.freeze({ ...card, includes: [...includes] }))
}

/** The functions of `ParseOptions` that read from disk. */
type LocalFiles = Required<Pick<ParseOptions, 'readText' | 'readProjectFile' | 'listFiles' | 'realPath'>>

/** Returns the functions that read the files a card refers to from disk. */
export function localFiles(path: string): LocalFiles {
  return {
    readText: (file, root = dirname(path)) => readInFolder(root, file),
    readProjectFile,
    listFiles,
    realPath: () => withoutLinks(path),
  }
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    // Most products work without the folder.
    return []
  }
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // The file was removed after it was read.
    return path
  }
}

/** Reads a file that a card refers to. Throws if links lead outside the folder, or to a file with variables. */
function readInFolder(folder: string, file: string): string {
  const real = realpathSync(file)
  if (!isInside(realpathSync(folder), real)) throw troupeError('card_bad_value', `it is outside of ${folder}`)
  if (/^\.env(?:\.|$)/u.test(basename(real)))
    throw troupeError('card_bad_value', 'files with variables cannot be included')
  // Another kind of file, such as a pipe, could block forever.
  const status = statSync(real)
  if (!status.isFile()) throw troupeError('card_bad_value', 'it is not a file')
  if (status.size > MAX_FILE_BYTES)
    throw troupeError('card_bad_value', `it is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`)
  return readFileSync(file, 'utf8')
}

/** Reads a settings file. Returns `undefined` if there is none, throws if it cannot be read. */
function readProjectFile(path: string): string | undefined {
  // A broken link is an error, because its rules would be lost.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const text = readText(path)
  if (typeof text === 'string') return text
  throw troupeError('card_unreadable', text.problem.message)
}

/**
 * Reads a regular file up to the size limit of cards, or returns the reason if that fails. Data that no format
 * uses does not count.
 */
export function readText(path: string, formats?: CardFormats): string | FileRejection {
  try {
    // A pipe or device could block forever.
    return statSync(path).isFile() ? readRegularFile(path, formats) : unreadable(`${path} is not a file.`)
  } catch (error) {
    return isMissing(error) ? missing(path) : unreadable(errorMessage(error))
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function missing(path: string): FileRejection {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  const message = isLink ? `${path} is a broken link.` : `The file or folder ${path} does not exist.`
  const fix = 'Correct the path. `troupe init FOLDER` creates a team, `troupe new NAME` a card.'
  return unreadable(message, fix)
}

/** Reads a path that is known to be a file. */
export function readFileText(path: string, formats?: CardFormats): string | FileRejection {
  try {
    return readRegularFile(path, formats)
  } catch (error) {
    return unreadable(errorMessage(error))
  }
}

function readRegularFile(path: string, formats?: CardFormats): string | FileRejection {
  const bytes = readCardBytes(path)
  if (isTooLarge(bytes.length)) return readLargeFile(path, formats)
  const text = bytes.toString()
  // The author may have written a replacement character, so check the bytes only if there is one.
  return !text.includes('\uFFFD') || isUtf8(bytes) ? text : unreadable(`${path} is not UTF-8 text.`)
}

/** Reads a file that may be small enough without the data that no format uses. */
function readLargeFile(path: string, formats: CardFormats | undefined): string | FileRejection {
  if (formats?.withoutUnusedData === undefined || statSync(path).size > MAX_FILE_BYTES) return tooLarge()
  const text = formats.withoutUnusedData(readFileSync(path, 'utf8'), path)
  return isTooLarge(Buffer.byteLength(text)) ? tooLarge() : text
}

/** Creates the problem of a path that cannot be read. */
export function unreadable(message: string, fix?: string): FileRejection {
  return { problem: { code: 'card_unreadable', message, ...(fix === undefined ? {} : { fix }) } }
}

/** Avoids blocking if the file was replaced by a pipe after its folder was read. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

let shared: Buffer | undefined

/**
 * Reads a file up to one byte over the size limit of cards, which saves querying its size. The result is
 * valid until the next call. Throws system errors.
 */
function readCardBytes(path: string): Buffer {
  shared ??= Buffer.allocUnsafeSlow(MAX_CARD_BYTES + 1)
  const file = openSync(path, FLAGS)
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < shared.length; length += read)
      read = readSync(file, shared, length, shared.length - length, null)
    return shared.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
