import { type AgentDefinition, type Attachment, errorMessage } from '@troupe/schema'
import type { Workspace } from '../context/workspaces.ts'
import { type SlackRequest, toFile, type SharedFile } from '../intake/slack-request.ts'
import type { SlackContext } from '../context/slack-context.ts'
import { toJson } from '../context/slack-api.ts'

/**
 * Returns the attachments for the agent: the channel that the person has open, and the files of the request.
 * Never rejects.
 */
export async function collectAttachments(
  request: SlackRequest,
  definition: Pick<AgentDefinition, 'type' | 'name'>,
  tools: { readonly context: SlackContext; readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<MessageAttachments> {
  const { files = [] } = request
  if (definition.type !== 'agent') {
    const why = `${definition.name} is a ${definition.type}, and only agents of type agent read files.`
    return { attachments: [], skipped: files.map(({ name }) => `${name} was not read: ${why}`) }
  }
  const [context, read] = await Promise.all([contextOf(request, tools), readFiles(files, tools)])
  return { ...read, attachments: [...context, ...read.attachments] }
}

/** Returns the open channel, only in direct conversations: elsewhere it is the channel of the request. */
async function contextOf(
  { kind, team, user, viewing }: SlackRequest,
  { context, workspace }: { readonly context: SlackContext; readonly workspace: Workspace },
): Promise<readonly Attachment[]> {
  const channel = kind === 'direct' ? (viewing ?? context.viewed.get({ team, user })) : undefined
  return channel === undefined ? [] : [await contextAttachment(channel, workspace)]
}

/** Returns an attachment for the agent that names the channel the person has open. */
async function contextAttachment(channel: string, workspace: Workspace): Promise<Attachment> {
  const name = await nameOf(channel, workspace)
  const words = `The user has the channel ${name === '' ? channel : `#${name} (${channel})`} open.`
  return { mediaType: 'text/plain', filename: 'Slack', data: Buffer.from(words).toString('base64') }
}

async function nameOf(id: string, { client }: Workspace): Promise<string> {
  try {
    const { channel } = await client.conversations.info({ channel: id })
    return channel?.name ?? ''
  } catch {
    // Fall back to the id: the app may not be in the channel.
    return ''
  }
}

/** The files of a message as attachments, and a line for each file that was not read. */
interface MessageAttachments {
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
async function readFiles(
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
  if (file.size > remainingBytes) return 'the files are larger than 20 MiB.'
  try {
    const { url = '', mediaType, name } = file.url === undefined ? await withUrl(file, tools) : file
    const bytes = await download(url, { ...tools, maxBytes: remainingBytes, mediaType })
    if (typeof bytes === 'string') return bytes
    const sent = SUPPORTED_MEDIA_TYPES.has(mediaType) ? mediaType : isText(bytes) ? 'text/plain' : undefined
    if (sent === undefined) return 'it is neither text, an image nor a PDF.'
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

const MAX_WAIT_MS = 30_000

/**
 * Downloads a file. Returns its bytes, or the reason why they cannot be read. The token is sent only to
 * Slack: other addresses are rejected, and redirects are not followed.
 */
async function download(
  url: string,
  {
    context,
    workspace,
    signal,
    maxBytes,
    mediaType,
  }: {
    readonly context: SlackContext
    readonly workspace: Workspace
    readonly signal: AbortSignal
    /** Maximum size in bytes. */
    readonly maxBytes: number
    readonly mediaType: string
  },
): Promise<Uint8Array | string> {
  if (!isOfSlack(url, context.config.apiUrl)) return 'its URL does not belong to Slack.'
  const timeout = new AbortController()
  const cancel = context.clock.after(MAX_WAIT_MS, () => timeout.abort())
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${workspace.botToken}` },
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout.signal]),
    })
    // Slack sends a login page if the token may not read the file.
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
    if (response.status !== 200 || (isPage && mediaType !== 'text/html'))
      return 'the app needs the scope files:read.'
    return await bytesOf(response, maxBytes)
  } finally {
    cancel()
  }
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array | string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxBytes) return 'the files are larger than 20 MiB.'
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function isOfSlack(url: string, apiUrl: string | undefined): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, origin } = new URL(url)
  if (apiUrl !== undefined && origin === new URL(apiUrl).origin) return true
  return protocol === 'https:' && (hostname === 'slack.com' || hostname.endsWith('.slack.com'))
}
