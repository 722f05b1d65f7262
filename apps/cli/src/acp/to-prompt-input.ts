import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Attachment } from '@troupe/schema'

/** Input of a run, read from a prompt. */
export interface PromptInput {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

/** Converts a prompt to text and attachments. Resource links become text; nothing is fetched. */
export function toPromptInput(prompt: readonly ContentBlock[]): PromptInput {
  return {
    text: prompt.flatMap(toText).join('\n\n'),
    attachments: prompt.flatMap(toAttachments),
  }
}

function toText(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return block.text === '' ? [] : [block.text]
  if (block.type === 'resource_link') return [`${block.name}: ${block.uri}`]
  if (block.type !== 'resource' || !('text' in block.resource)) return []
  return [`${block.resource.uri}:\n\n${block.resource.text}`]
}

function toAttachments(block: ContentBlock): readonly Attachment[] {
  if (block.type === 'image') return [{ mediaType: block.mimeType, data: block.data }]
  if (block.type !== 'resource' || !('blob' in block.resource)) return []
  const { mimeType, blob: data } = block.resource
  return [{ mediaType: mimeType ?? 'application/octet-stream', data }]
}
