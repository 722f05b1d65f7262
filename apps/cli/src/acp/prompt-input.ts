import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk'
import type { Attachment } from '@troupe/schema'

/** Input of a run, read from a prompt. */
interface PromptInput {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

/**
 * Converts a prompt to text and attachments. Resource links become text; nothing is fetched. Throws for an empty
 * prompt and for content that is not what it declares to be. Whether the model accepts a file is decided when it
 * is called.
 */
export function toPromptInput(prompt: readonly ContentBlock[]): PromptInput {
  const text = prompt.flatMap(toText).join('\n\n')
  const attachments = prompt.flatMap(toAttachments)
  if (text === '' && attachments.length === 0) throw invalidPrompt('prompt: it is empty.')
  return { text, attachments }
}

function toText(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return block.text === '' ? [] : [block.text]
  if (block.type === 'resource_link') return [`${block.name}: ${block.uri}`]
  if (block.type !== 'resource' || !('text' in block.resource)) return []
  return [`${block.resource.uri}:\n\n${block.resource.text}`]
}

function toAttachments(block: ContentBlock, index: number): readonly Attachment[] {
  if (block.type === 'image' || block.type === 'audio') {
    const { type, mimeType, data } = block
    if (!mimeType.startsWith(`${type}/`))
      throw invalidPrompt(
        `prompt.${index}: the media type must start with ${type}/, but is ${mimeType.slice(0, 100)}.`,
      )
    return [toAttachment({ mediaType: mimeType, data }, index)]
  }
  if (block.type !== 'resource' || !('blob' in block.resource)) return []
  const { mimeType, blob, uri } = block.resource
  const filename = uri.slice(uri.lastIndexOf('/') + 1)
  return [
    toAttachment(
      {
        mediaType: mimeType ?? 'application/octet-stream',
        data: blob,
        ...(filename === '' ? {} : { filename }),
      },
      index,
    ),
  ]
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u

function toAttachment(attachment: Attachment, index: number): Attachment {
  if (attachment.data.length % 4 === 0 && BASE64.test(attachment.data)) return attachment
  throw invalidPrompt(`prompt.${index}: the content is not base64.`)
}

function invalidPrompt(message: string): RequestError {
  return RequestError.invalidParams(undefined, message)
}
