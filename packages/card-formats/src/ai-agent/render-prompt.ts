import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { errorMessage } from '@troupe/schema'
import { isBelow, isInside } from '@troupe/schema/paths'
import type { FieldContext, ProjectSettings } from '@troupe/cards/formats'
import { Liquid } from 'liquidjs'

const MAX_DEPTH = 8
const MAX_FILES = 200
/** Maximum characters of all templates, and of the prompt. */
const MAX_LENGTH = 1024 * 1024
/** Longest rendering, in ms. */
const RENDER_LIMIT = 1000
/** Objects that a template may create. Without a limit, a range such as `(1..1000000000)` blocks for seconds. */
const MEMORY_LIMIT = 4 * MAX_LENGTH

const PARTIAL = /(?<start>\{%-?\s*(?:render|include)\s+)(?:(?<quote>["'])(?<path>[^"'\n]*)\k<quote>)?/gu
const TEMPLATE = /\{%|\{\{/u
const SECRET_FILE = /^\.env|\.env$/iu

interface Partials {
  readonly root: string
  readonly readText: NonNullable<FieldContext['card']['readText']> | undefined
  /** Texts of the templates by path, with the paths in their tags resolved. */
  readonly templates: Record<string, string>
  /** Paths as written, for the report. */
  readonly included: Set<string>
  length: number
}

/**
 * Renders a prompt that is a Liquid template. Templates get no variables and include files by literal paths
 * relative to the including file. Reports the reason if the prompt cannot be rendered.
 */
export function renderPrompt(
  body: string,
  layers: readonly ProjectSettings[],
  { card, rewriter }: FieldContext,
): string {
  if (!TEMPLATE.test(body)) return body
  const partials: Partials = {
    root: projectFolder(layers, card),
    readText: card.readText,
    templates: {},
    included: new Set(),
    length: body.length,
  }
  try {
    const text = resolvePartials(body, { folder: resolve(dirname(card.path)), depth: 0, partials })
    const rendered = createEngine(partials.templates).parseAndRenderSync(text) as unknown as string
    if (rendered.length > MAX_LENGTH) throw new Error('the prompt has more than 1 MiB')
    if (partials.included.size > 0)
      rewriter.note({
        key: '(prompt) {% render … %}',
        status: 'translated',
        to: 'instruction',
        reason: `with ${[...partials.included].join(', ')}`,
      })
    return rendered
  } catch (error) {
    const [line = ''] = errorMessage(error).split('\n', 1)
    rewriter.addProblem({ code: 'card_include', message: `The prompt cannot be rendered: ${line}.` })
    return body
  }
}

function createEngine(templates: Record<string, string>): Liquid {
  return new Liquid({
    templates,
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    parseLimit: MAX_LENGTH * 2,
    renderLimit: RENDER_LIMIT,
    memoryLimit: MEMORY_LIMIT,
  })
}

/** Returns the folder whose files the prompt may include: the workspace if it has a configuration file. */
function projectFolder(
  layers: readonly ProjectSettings[],
  { path, workspace }: FieldContext['card'],
): string {
  const own = resolve(dirname(path))
  const isProject =
    workspace !== undefined && layers.some(({ file }) => resolve(dirname(file)) === resolve(workspace))
  return isProject && isBelow(resolve(workspace), own) ? resolve(workspace) : own
}

/** Reads the files that a template includes and replaces their paths by absolute ones. Throws why it cannot. */
function resolvePartials(
  text: string,
  at: { readonly folder: string; readonly depth: number; readonly partials: Partials },
): string {
  return text.replaceAll(PARTIAL, (tag: string, ...rest: unknown[]) => {
    const { start, path } = rest.at(-1) as { readonly start: string; readonly path?: string }
    if (path === undefined) throw new Error(`"${tag.trim()}" needs a path in quotes`)
    const file = resolve(join(at.folder, path))
    readPartial(path, file, at)
    const quote = file.includes('"') ? "'" : '"'
    return `${start}${quote}${keyOf(file)}${quote}`
  })
}

function readPartial(
  path: string,
  file: string,
  { depth, partials }: { readonly depth: number; readonly partials: Partials },
): void {
  const refuse = (why: string): never => {
    throw new Error(`it includes "${path}", but ${why}`)
  }
  if (depth >= MAX_DEPTH) refuse(`more than ${MAX_DEPTH} files include each other`)
  if (Object.hasOwn(partials.templates, keyOf(file))) return
  if (SECRET_FILE.test(basename(file))) refuse('files with variables are never part of a prompt')
  if (isAbsolute(path) || !isInside(partials.root, file)) refuse('it is outside the folder of the project')
  if (partials.included.size >= MAX_FILES) refuse(`the prompt includes more than ${MAX_FILES} files`)
  const text = readFile(file, partials, refuse)
  partials.length += text.length
  if (partials.length > MAX_LENGTH) refuse('the prompt has more than 1 MiB')
  partials.included.add(path)
  const resolved = resolvePartials(text, { folder: dirname(file), depth: depth + 1, partials })
  partials.templates[keyOf(file)] = resolved
}

/** A backslash would start an escape sequence in a template. */
function keyOf(file: string): string {
  return file.replaceAll('\\', '/')
}

function readFile(file: string, { readText, root }: Partials, refuse: (why: string) => never): string {
  if (readText === undefined) return refuse('file access is not available')
  try {
    return readText(file, root)
      .replace(/^\uFEFF/u, '')
      .replaceAll('\r\n', '\n')
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ENOENT'
    return refuse(isMissing ? 'the file does not exist' : errorMessage(error))
  }
}
