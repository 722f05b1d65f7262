import { text } from 'node:stream/consumers'
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import {
  troupeError,
  isJsonObject,
  type AgentDefinition,
  type JsonObject,
  errorMessage,
  type Attachment,
} from '@troupe/schema'
import type { Host } from '@troupe/host'
import type { CommandContext } from '../terminal/context.ts'

/**
 * Returns the message of a run: the words, with the text of stdin appended if one of them is `-`, or stdin
 * alone if there are no words. Returns `undefined` without words if stdin is not piped or is empty. Throws
 * `usage_invalid` if the message is blank.
 */
export async function readMessage(
  words: readonly string[],
  context: CommandContext,
): Promise<string | undefined> {
  if (words.length === 0 && !context.terminal.piped) return undefined
  const wantsInput = words.length === 0 || words.includes('-')
  const input = wantsInput ? await readAll(context) : ''
  if (words.length === 0 && input === '') return undefined
  const typedText = words.filter((word) => word !== '-').join(' ')
  const message = [typedText, input].filter((part) => part !== '').join('\n\n')
  if (message.trim() !== '') return message
  throw troupeError('usage_invalid', 'The message is empty.', {
    fix: wantsInput
      ? 'stdin contained only whitespace. Write the message after the card.'
      : 'Write it after the card.',
  })
}

/**
 * Returns the message that is used if none is given: none if the card has a first message of its own, else its
 * example. Throws `usage_invalid` if the card has neither.
 */
export function exampleMessage({
  name,
  usage,
  input,
}: Pick<AgentDefinition, 'name' | 'usage' | 'input'>): string {
  if (input.message !== undefined) return ''
  if (usage !== undefined) return usage
  throw troupeError(
    'usage_invalid',
    `There is no message, and the card of ${name} has no example (\`usage\`).`,
    {
      fix: 'Write it after the card, or pipe it in: echo "Hello" | troupe run <card>.',
    },
  )
}

/**
 * Reads all of stdin, without a byte order mark and the final line break. Rejects with the reason if the
 * program is stopped first.
 */
async function readAll({ terminal, stop }: CommandContext): Promise<string> {
  const stopped = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(stop.signal.reason)
    if (stop.signal.aborted) abort()
    else stop.signal.addEventListener('abort', abort, { once: true })
  })
  const input = await Promise.race([text(terminal.stdin), stopped])
  return input.replace(/^\uFEFF/u, '').replace(/\r?\n$/u, '')
}

/**
 * Parses the message as a JSON object if the agent takes JSON, so that it is validated against the input
 * schema.
 */
export function toInput(host: Host, message: string, agent?: string): string | JsonObject {
  if (host.definition(agent).input.format !== 'json') return message
  try {
    const value: unknown = JSON.parse(message)
    return isJsonObject(value) ? value : message
  } catch {
    // Not JSON: pass the text on unchanged.
    return message
  }
}

/** Media types that models accept directly, by file extension. Other files are sent as text. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.pdf', 'application/pdf'],
])
/** Maximum size in bytes. Providers reject larger requests. */
const MAX_BYTES = 20 * 1024 * 1024

/**
 * Reads the files of `--image` and `--file` in order, relative to `cwd`. Throws `usage_invalid` if one cannot
 * be read or sent.
 */
export function readAttachments(
  options: { readonly image?: readonly string[]; readonly file?: readonly string[] },
  cwd: string,
  fileOption: '--file' | '/attach' = '--file',
): Promise<readonly Attachment[]> {
  const { image = [], file = [] } = options
  return Promise.all([
    ...image.map((path) => readOne(path, { option: '--image', cwd })),
    ...file.map((path) => readOne(path, { option: fileOption, cwd })),
  ])
}

async function readOne(
  path: string,
  { option, cwd }: { readonly option: '--image' | '--file' | '/attach'; readonly cwd: string },
): Promise<Attachment> {
  const mediaType = MEDIA_TYPES.get(extname(path).toLowerCase()) ?? 'text/plain'
  if (option === '--image' && !mediaType.startsWith('image/'))
    throw troupeError('usage_invalid', `--image ${path}: not a png, jpg, gif or webp file.`, {
      fix: 'Send other files with --file.',
    })
  const bytes = await readBytes(resolve(cwd, path), `${option} ${path}`)
  if (bytes.length > MAX_BYTES)
    throw troupeError('usage_invalid', `${option} ${path}: the file is larger than 20 MiB.`, {
      fix: 'Send a smaller file, or give the agent a tool that reads it.',
    })
  if (mediaType === 'text/plain' && !isText(bytes))
    throw troupeError('usage_invalid', `${option} ${path}: the file is neither text, an image nor a PDF.`, {
      fix: 'Convert it, or give the agent a tool that reads it.',
    })
  return { mediaType, data: bytes.toString('base64'), filename: basename(path) }
}

async function readBytes(path: string, what: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw troupeError('usage_invalid', `${what}: the file cannot be read: ${errorMessage(cause)}`, {
      fix: 'Check the path, which is relative to the working folder.',
      cause,
    })
  }
}

function isText(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return !bytes.includes(0)
  } catch {
    // Not UTF-8: the caller reports the accepted types.
    return false
  }
}
