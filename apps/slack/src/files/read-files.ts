import { errorMessage, type Attachment } from '@troupe/schema'
import type { SlackContext } from '../answer/slack-context.ts'
import { toJson } from '../answer/to-json.ts'
import type { Workspace } from '../app/workspaces.ts'
import { download } from './download.ts'
import { toFile, type SharedFile } from './shared-file.ts'

/** The files of a message as attachments, and a line for each file that was not read. */
export interface MessageAttachments {
  readonly attachments: readonly Attachment[]
  /** Lines of plain text. */
  readonly skipped: readonly string[]
}

/** Providers accept no larger request. */
const MAX_BYTES = 20 * 1024 * 1024
/** Media types that are sent as they are. Other files must be text. */
const SUPPORTED_MEDIA_TYPES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
])

/** Reads the files of a message, in order. Never rejects: each failure becomes a line of text. */
export async function readFiles(
  files: readonly SharedFile[],
  tools: { readonly context: SlackContext; readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<MessageAttachments> {
  const attachments: Attachment[] = []
  const skipped: string[] = []
  let remainingBytes = MAX_BYTES
  for (const file of files) {
    const read = await readFile(file, { ...tools, remainingBytes })
    if (typeof read === 'string') skipped.push(`${file.name} was not read: ${read}`)
    else {
      attachments.push(read.attachment)
      remainingBytes -= read.size
    }
  }
  return { attachments, skipped }
}

/** Returns the attachment, or the reason why there is none. */
async function readFile(
  file: SharedFile,
  {
    remainingBytes,
    ...tools
  }: {
    readonly context: SlackContext
    readonly workspace: Workspace
    readonly signal: AbortSignal
    readonly remainingBytes: number
  },
): Promise<{ readonly attachment: Attachment; readonly size: number } | string> {
  if (file.size > remainingBytes) return 'more than 20 MiB are not sent.'
  try {
    const { url = '', mediaType, name } = file.url === undefined ? await withUrl(file, tools) : file
    const bytes = await download(url, { ...tools, maxBytes: remainingBytes, mediaType })
    if (typeof bytes === 'string') return bytes
    const sent = SUPPORTED_MEDIA_TYPES.has(mediaType) ? mediaType : isText(bytes) ? 'text/plain' : undefined
    if (sent === undefined) return 'it is neither text, a picture nor a PDF.'
    const attachment = { mediaType: sent, data: Buffer.from(bytes).toString('base64'), filename: name }
    return { attachment, size: bytes.length }
  } catch (thrown) {
    return tools.context.hide(errorMessage(thrown))
  }
}

/** Looks up the URL of a file. Files of other organisations come without it. */
async function withUrl(
  file: SharedFile,
  { workspace }: { readonly workspace: Workspace },
): Promise<SharedFile> {
  const { file: found = {} } = await workspace.client.files.info({ file: file.id })
  return toFile(toJson([found])[0])[0] ?? file
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return !bytes.includes(0)
  } catch {
    // Not UTF-8.
    return false
  }
}
