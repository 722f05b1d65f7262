import type { Message, Part } from '@a2a-js/sdk'
import {
  failure,
  isJsonObject,
  type AgentDefinition,
  type Attachment,
  type Failure,
  type JsonObject,
} from '@troupe/schema'
import { INPUT_TYPES, TEXT_TYPES } from '../client-runs/input-types.ts'

/** The input of a run, from a message. */
export interface MessageInput {
  readonly input: string | JsonObject
  readonly attachments: readonly Attachment[]
}

/** Media types of answers. */
export const OUTPUT_TYPES: readonly string[] = TEXT_TYPES

/**
 * Reads a message that starts a task: texts, files and data. A single data object is the input object of an
 * agent that takes JSON.
 */
export function readMessage(
  { parts }: Pick<Message, 'parts'>,
  { input }: Pick<AgentDefinition, 'input'>,
): MessageInput | Failure {
  if (parts.some(({ content }) => content?.$case === 'url'))
    return failure(
      'request_invalid',
      'message.parts: files are not fetched from URLs.',
      'Send the content of the file as bytes.',
    )
  const attachments = parts.flatMap(fileOf)
  const unknown = attachments.find(({ mediaType }) => !INPUT_TYPES.includes(mediaType))
  if (unknown !== undefined)
    return failure(
      'request_media_type',
      `message.parts: files of the type ${unknown.mediaType.slice(0, 100)} are not accepted.`,
      'Send a file of a type in `defaultInputModes` of the agent card, and name it in `mediaType`.',
    )
  const only = parts.length === 1 ? parts[0] : undefined
  if (input.format === 'json' && only?.content?.$case === 'data' && isJsonObject(only.content.value))
    return { input: only.content.value, attachments }
  const text = messageText({ parts })
  if (text === '' && attachments.length === 0)
    return failure(
      'request_invalid',
      'message.parts: there is no text and no file.',
      'Send a part with text.',
    )
  return { input: text, attachments }
}

/** Returns the text of a message, with data as JSON. */
export function messageText({ parts }: Pick<Message, 'parts'>): string {
  return parts.flatMap(textsOf).join('\n\n')
}

/** Returns the first data object of a message. */
export function messageData({ parts }: Pick<Message, 'parts'>): JsonObject | undefined {
  for (const { content } of parts)
    if (content?.$case === 'data' && isJsonObject(content.value)) return content.value
  return undefined
}

function textsOf({ content }: Part): readonly string[] {
  if (content?.$case === 'text') return content.value === '' ? [] : [content.value]
  return content?.$case === 'data' ? [JSON.stringify(content.value)] : []
}

function fileOf({ content, mediaType, filename }: Part): readonly Attachment[] {
  if (content?.$case !== 'raw') return []
  return [
    {
      mediaType: mediaType === '' ? 'application/octet-stream' : mediaType.toLowerCase(),
      data: content.value.toString('base64'),
      ...(filename === '' ? {} : { filename }),
    },
  ]
}
