import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { compareLines, toLines, type CallLine } from './compare-lines.ts'
import { describeWrite, type CallTarget } from './describe-write.ts'
import { visibleText } from './visible-text.ts'

/** A tool call in a form that a person can read before they allow it. Invisible characters are escaped. */
export interface CallDescription {
  /** Short name of the action in one line, such as `Write notes.md`; `undefined` for a tool that is not known. */
  readonly action?: string
  /** A fact about the file that the call writes, such as that it was changed meanwhile. */
  readonly note?: string
  /** All arguments of the call. */
  readonly parts: readonly ArgumentPart[]
  /** Number of characters that are left out, because the arguments are too long to show. */
  readonly omitted: number
}

/**
 * One argument, or several that belong together:
 * a command line, an HTTP request, the new content of a file, a text of several lines, a replacement in a text, or
 * a short value.
 */
export interface ArgumentPart {
  readonly kind: 'command' | 'request' | 'file' | 'text' | 'change' | 'value'
  /** Path of the argument, such as `edits[0]`. */
  readonly label: string
  readonly lines: readonly CallLine[]
}

/** Maximum number of characters of all parts. */
const MAX_LENGTH = 100_000

/**
 * Describes a tool call. All arguments are part of the description, up to a total of 100,000 characters. A call that
 * writes a file is compared with `target`, the file as it is.
 */
export function describeCall(toolName: string, args: JsonObject, target?: CallTarget): CallDescription {
  const rest = new Map(Object.entries(args))
  const written = target === undefined || toolName !== 'filesystem.write' ? {} : describeWrite(args, target)
  const parts = [
    ...commandParts(rest),
    ...requestParts(rest),
    ...changeParts(rest, written),
    ...fileParts(toolName, rest),
  ]
  const others = [...rest].flatMap(([key, value]) => valueParts(visibleText(key), value))
  const action = actionOf(toolName, args)
  return {
    ...(action === undefined ? {} : { action }),
    ...(written.note === undefined ? {} : { note: visibleText(written.note) }),
    ...withinLimit([...parts, ...others]),
  }
}

/** Takes the path of a file and the argument that changes it out of the other arguments. */
function changeParts(
  rest: Map<string, Json>,
  { change }: ReturnType<typeof describeWrite>,
): readonly ArgumentPart[] {
  const path = rest.get('path')
  if (change === undefined || path === undefined) return []
  rest.delete('path')
  rest.delete(change.argument)
  return [...valueParts('path', path), { kind: 'change', label: change.argument, lines: change.lines }]
}

const MAX_ACTION = 60

/**
 * Returns the action of a tool of Troupe. The arguments of other tools do not say what the tool does with them.
 */
function actionOf(toolName: string, args: JsonObject): string | undefined {
  const { path, mode, edits, command, url } = args
  if (toolName === 'filesystem.write' && typeof path === 'string')
    return actionText(writeVerb(mode, edits), path)
  if (toolName === 'shell.execute' && typeof command === 'string')
    return actionText('Run', commandText(command, args['args']) ?? command)
  if (toolName === 'web.fetch' && typeof url === 'string') return actionText('Fetch', url)
  return undefined
}

function writeVerb(mode: Json | undefined, edits: Json | undefined): string {
  if (edits !== undefined) return 'Edit'
  if (mode === 'append') return 'Append to'
  return mode === 'create' ? 'Create' : 'Write'
}

function actionText(verb: string, object: string): string {
  const characters = Array.from(visibleText(object.slice(0, MAX_ACTION * 2)))
  const isShort = characters.length <= MAX_ACTION && object.length <= MAX_ACTION * 2
  return `${verb} ${isShort ? characters.join('') : `${characters.slice(0, MAX_ACTION).join('')}…`}`
}

/** Takes the arguments of a command line out of the others. */
function commandParts(rest: Map<string, Json>): readonly ArgumentPart[] {
  const command = rest.get('command')
  if (typeof command !== 'string') return []
  const text = commandText(command, rest.get('args'))
  rest.delete('command')
  if (text !== undefined) rest.delete('args')
  return [{ kind: 'command', label: 'command', lines: toLines(text ?? command) }]
}

/** Returns a command line; `undefined` if its arguments cannot be written in it without escapes. */
function commandText(command: string, args: Json | undefined): string | undefined {
  if (args === undefined) return command
  if (!Array.isArray(args)) return undefined
  const words = args.map((word: Json) => (typeof word === 'string' ? quoted(word) : undefined))
  const isWord = quoted(command) === command
  return isWord && words.every((word) => word !== undefined) ? [command, ...words].join(' ') : undefined
}

/** Returns an argument as one word of a command line, in quotes if needed; `undefined` if it needs escapes. */
function quoted(word: string): string | undefined {
  if (/^[\w@%+=:,./-]+$/u.test(word)) return word
  return word.includes("'") ? undefined : `'${word}'`
}

/** Takes the address of an HTTP request and its method out of the other arguments. */
function requestParts(rest: Map<string, Json>): readonly ArgumentPart[] {
  const url = rest.get('url')
  const method = rest.get('method')
  if (typeof url !== 'string' || !/^https?:\/\//u.test(url)) return []
  if (method !== undefined && (typeof method !== 'string' || !/^[A-Za-z]{1,20}$/u.test(method))) return []
  rest.delete('url')
  rest.delete('method')
  const text = method === undefined ? url : `${method} ${url}`
  return [{ kind: 'request', label: 'request', lines: toLines(text) }]
}

/** Takes the path and the new content of a file out of the other arguments. */
function fileParts(toolName: string, rest: Map<string, Json>): readonly ArgumentPart[] {
  const path = rest.get('path')
  const content = rest.get('content')
  if (toolName !== 'filesystem.write' || typeof path !== 'string' || typeof content !== 'string') return []
  rest.delete('path')
  rest.delete('content')
  const kind = rest.get('mode') === 'append' ? 'text' : 'file'
  return [...valueParts('path', path), { kind, label: 'content', lines: toLines(content) }]
}

/** Maximum depth at which values are listed one by one. Deeper ones are shown as JSON. */
const MAX_DEPTH = 12

/** Returns the parts of a value and of all its members. */
function valueParts(label: string, value: Json, depth = 0): readonly ArgumentPart[] {
  if (typeof value === 'string') return [textPart(label, value)]
  if (value === null || typeof value !== 'object' || depth === MAX_DEPTH)
    return [textPart(label, JSON.stringify(value))]
  if (Array.isArray(value))
    return value.length === 0
      ? [textPart(label, '[]')]
      : value.flatMap((member: Json, index) => valueParts(`${label}[${index}]`, member, depth + 1))
  const change = isJsonObject(value) ? changePart(label, value) : undefined
  if (change !== undefined) return [change]
  const members = Object.entries(value)
  return members.length === 0
    ? [textPart(label, '{}')]
    : members.flatMap(([key, member]) => valueParts(`${label}.${visibleText(key)}`, member, depth + 1))
}

function textPart(label: string, text: string): ArgumentPart {
  const lines = toLines(text)
  return { kind: lines.length === 1 ? 'value' : 'text', label, lines }
}

/** Names under which tools receive the old and the new text of a replacement. */
const CHANGE_KEYS = [
  ['find', 'replace'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
] as const

/** Returns a replacement as a diff of its lines; `undefined` if the value is none, or has other members too. */
function changePart(label: string, value: JsonObject): ArgumentPart | undefined {
  for (const [oldKey, newKey] of CHANGE_KEYS) {
    const { [oldKey]: before, [newKey]: after, ...others } = value
    if (typeof before === 'string' && typeof after === 'string' && Object.keys(others).length === 0)
      return { kind: 'change', label, lines: compareLines(before, after) }
  }
  return undefined
}

/** Cuts the parts to the limit, and counts the characters that are left out. */
function withinLimit(parts: readonly ArgumentPart[]): Pick<CallDescription, 'parts' | 'omitted'> {
  let left = MAX_LENGTH
  let omitted = 0
  const take = (text: string): string => {
    const taken = text.slice(0, left)
    left -= taken.length
    omitted += text.length - taken.length
    return taken
  }
  const shown = parts.flatMap(({ kind, label, lines }) => {
    const name = take(label)
    // A line break counts as a character, so that the number of lines is limited too.
    const shownLines = lines.flatMap((line) => {
      const taken = take(`${line.text}\n`)
      return taken === '' ? [] : [{ ...line, text: taken.replace('\n', '') }]
    })
    return shownLines.length === 0 ? [] : [{ kind, label: name, lines: shownLines }]
  })
  return { parts: shown, omitted }
}

/** Returns the parts of a description as lines of text. Lines of longer texts are marked at their start. */
export function callLines({ parts, omitted, note }: CallDescription): readonly string[] {
  const lines = parts.flatMap(({ kind, label, lines: own }) => {
    const [first] = own
    if (kind === 'value' && first !== undefined) return [`${label}: ${first.text}`]
    const width = String(own.length).length
    return [
      `${label}:`,
      ...own.map(({ text, change }, index) => {
        if (kind === 'file') return `  ${String(index + 1).padStart(width)} │ ${text}`
        return `  ${kind === 'command' ? '$' : changeMark(change)} ${text}`
      }),
    ]
  })
  return [
    ...lines,
    ...(omitted === 0 ? [] : [`… ${omitted} more characters are not shown.`]),
    ...(note === undefined ? [] : [note]),
  ]
}

function changeMark(change: CallLine['change']): string {
  if (change === undefined) return '│'
  return CHANGE_MARKS[change]
}

const CHANGE_MARKS = { added: '+', removed: '-', skipped: '…' } as const
