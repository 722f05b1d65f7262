import { dirname, isAbsolute, join, resolve } from 'node:path'
import { errorMessage, type Json } from '@troupe/schema'
import { isInside } from '@troupe/schema/paths'
import { type FieldContext, type FieldPath, type RawCard, type Rewriter } from '@troupe/cards/formats'
import { rule, translated, type FieldRule } from './field-rule.ts'

/** Maximum depth of nested includes. */
const MAX_DEPTH = 8
/** Maximum characters of the expanded prompt. */
const MAX_LENGTH = 1024 * 1024

/** A prompt with its includes expanded. */
interface IncludedText {
  readonly text: string
  /** The included paths as written. */
  readonly included: readonly string[]
  readonly problems: readonly string[]
}

interface IncludeState {
  readonly pattern: RegExp
  /** The folder of the card. Files outside of it are not read. */
  readonly root: string
  readonly readText: ((path: string) => string) | undefined
  readonly included: string[]
  readonly problems: string[]
  length: number
}

/**
 * Expands includes, relative to the file they are in. `pattern` must be global and have a group `path`. Never
 * throws.
 */
export function includeFiles(text: string, card: RawCard, pattern: RegExp): IncludedText {
  const folder = dirname(card.path)
  const including: IncludeState = {
    pattern,
    root: folder,
    readText: card.readText,
    included: [],
    problems: [],
    length: text.length,
  }
  const expanded = expand(text, { folder, depth: 0, including })
  return { text: expanded, included: including.included, problems: including.problems }
}

/**
 * Reads one file below the folder of the card, or returns why it cannot be read. Includes in the file are not
 * expanded. Never throws.
 */
export function readSingleInclude(
  path: string,
  card: RawCard,
): { readonly text: string } | { readonly why: string } {
  const folder = dirname(card.path)
  return readIncluded(join(folder, path), { path, root: folder, readText: card.readText })
}

/** Expands the includes of a prompt and reports those that failed. */
export function putIncluded(
  text: string,
  pattern: RegExp,
  { rewriter, card, at }: { readonly rewriter: Rewriter; readonly card: RawCard; readonly at: FieldPath },
): IncludedText {
  const read = includeFiles(text, card, pattern)
  for (const message of read.problems)
    rewriter.addProblem({
      code: 'card_include',
      message,
      at,
      fix: 'Use a path inside the folder of the card.',
    })
  return read
}

/** Creates a rule for a prompt that may include files. */
export function includeRule(pattern: RegExp): FieldRule {
  return rule({ status: 'translated', to: 'instruction' }, (value: Json, field: FieldContext) => {
    const { rewriter, card, from } = field
    if (typeof value !== 'string') {
      rewriter.put(['instruction'], value, from)
      return undefined
    }
    const { text, included } = putIncluded(value, pattern, { rewriter, card, at: from })
    rewriter.put(['instruction'], text, from)
    return included.length === 0 ? undefined : translated('instruction', `with ${included.join(', ')}`)
  })
}

function expand(
  text: string,
  at: { readonly folder: string; readonly depth: number; readonly including: IncludeState },
): string {
  return text.replaceAll(at.including.pattern, (written: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { readonly path: string }
    return includeFile(groups.path.trim(), written, at)
  })
}

function includeFile(
  path: string,
  written: string,
  {
    folder,
    depth,
    including,
  }: { readonly folder: string; readonly depth: number; readonly including: IncludeState },
): string {
  const refuse = (why: string): string => {
    including.problems.push(`The prompt includes "${path}": ${why}.`)
    return written
  }
  const file = join(folder, path)
  if (depth >= MAX_DEPTH) return refuse(`more than ${MAX_DEPTH} files include each other`)
  const read = readIncluded(file, { path, root: including.root, readText: including.readText })
  if ('why' in read) return refuse(read.why)
  const { text } = read
  including.length += text.length
  if (including.length > MAX_LENGTH) return refuse('the prompt has more than 1 MiB')
  including.included.push(path)
  return expand(text, { folder: dirname(file), depth: depth + 1, including })
}

function readIncluded(
  file: string,
  from: {
    readonly path: string
    readonly root: string
    readonly readText: ((path: string) => string) | undefined
  },
): { readonly text: string } | { readonly why: string } {
  if (isAbsolute(from.path) || !isInside(resolve(from.root), resolve(file)))
    return { why: 'it is outside the folder of the card' }
  if (from.readText === undefined) return { why: 'file access is not available' }
  try {
    const text = from.readText(file)
    return { text: text.replace(/^\uFEFF/u, '').replaceAll('\r\n', '\n') }
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ENOENT'
    return { why: isMissing ? 'the file does not exist' : errorMessage(error) }
  }
}
