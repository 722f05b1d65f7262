import { isJsonObject, type ContentPart, type Json, type JsonObject } from '@troupe/schema'
import { visibleText } from '@troupe/schema/text'
import { isUsableName } from './server-tool.ts'

/** A prompt in the server's list: a message template that the server renders. */
export interface ServerPrompt {
  /** The server's own name of the prompt. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

/** An argument of a prompt. Its value is always text. */
export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** One message of a rendered prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentPart[]
}

/** A rendered prompt. */
export interface FilledPrompt {
  readonly messages: readonly PromptMessage[]
}

const MOST_ARGUMENTS = 1000

/** Reads one entry of a prompt list. Returns the prompt, if it is usable, and a remark on problems. */
export function readServerPrompt(entry: unknown): {
  readonly item?: ServerPrompt
  readonly remark?: string
} {
  if (!isJsonObject(entry)) return { remark: 'an entry of its list is not a prompt; it is left out' }
  const { name, title, arguments: given } = entry
  if (!isUsableName(name)) return { remark: 'a prompt has no usable name; it is left out' }
  const entries = Array.isArray(given) ? given : []
  if (entries.length > MOST_ARGUMENTS)
    return { remark: `its prompt "${name}" has more than ${MOST_ARGUMENTS} arguments; it is left out` }
  const args = entries.map((each: Json) => (isArgument(each) ? each : undefined))
  if (args.includes(undefined))
    return { remark: `its prompt "${name}" has an argument without a usable name; it is left out` }
  const texts = proseReader()
  const item: ServerPrompt = {
    name,
    ...(typeof title === 'string' ? { title: texts.read(title) } : {}),
    description: texts.read(entry['description']),
    arguments: args.flatMap((arg) => (arg === undefined ? [] : [toArgument(arg, texts.read)])),
  }
  const { remark } = texts
  return remark === undefined ? { item } : { item, remark: `a text of its prompt "${name}" ${remark}` }
}

/** Returns the number of characters in the texts of a prompt. */
export function promptSize({ name, title = '', description, arguments: args }: ServerPrompt): number {
  const texts = [name, title, description, ...args.flatMap((arg) => [arg.name, arg.description])]
  return texts.reduce((sum, text) => sum + text.length, 0)
}

function isArgument(entry: Json): entry is JsonObject & { readonly name: string } {
  return isJsonObject(entry) && isUsableName(entry['name'])
}

function toArgument(
  entry: JsonObject & { readonly name: string },
  read: (text: Json | undefined) => string,
): PromptArgument {
  return {
    name: entry.name,
    description: read(entry['description']),
    required: entry['required'] === true,
  }
}

/** Creates a reader that removes invisible characters from texts and remembers a remark if it found any. */
function proseReader(): { read(text: Json | undefined): string; readonly remark: string | undefined } {
  let remark: string | undefined
  return {
    read(text) {
      const seen = visibleText(typeof text === 'string' ? text : '')
      remark ??= seen.remark
      return seen.text
    },
    get remark() {
      return remark
    },
  }
}
