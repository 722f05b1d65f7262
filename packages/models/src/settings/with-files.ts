import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import {
  troupeError,
  type LanguageModel,
  type Message,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from '@troupe/schema'
import type { ApiName, ProtocolName } from '../protocols/protocol-names.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

/** Media types of the files that an API accepts. Adapters drop or corrupt other files without an error. */
interface SupportedFiles {
  readonly fromUser: RegExp
  /**
   * Files accepted in tool results. Others move to a user message after the results, if the API accepts them
   * there.
   */
  readonly fromTools: RegExp
}

const ANY = /^/u
const NONE = /^(?!)/u
const IMAGES = /^image\//u
const IMAGES_AND_PDF = /^(?:image\/|application\/pdf$)/u

const CHAT: SupportedFiles = { fromUser: /^(?:image\/|audio\/|application\/pdf$)/u, fromTools: NONE }

/** Tool messages are only text in APIs with `fromTools: NONE`: their adapters would send base64 as text. */
const SUPPORTED_FILES: Readonly<Record<Exclude<ProtocolName, 'openai'>, SupportedFiles>> = {
  'openai-compatible': CHAT,
  anthropic: { fromUser: /^(?:image\/|application\/pdf$|text\/plain$)/u, fromTools: IMAGES_AND_PDF },
  // the adapter sends a result with only a file without a function response, which the API rejects
  google: { fromUser: ANY, fromTools: NONE },
  openrouter: { fromUser: ANY, fromTools: IMAGES },
  ollama: { fromUser: IMAGES, fromTools: NONE },
  bedrock: { fromUser: /^(?:image\/|application\/pdf$|text\/)/u, fromTools: IMAGES_AND_PDF },
  mistral: { fromUser: IMAGES_AND_PDF, fromTools: NONE },
  groq: { fromUser: IMAGES, fromTools: NONE },
  // the adapter drops a PDF in a result without a warning
  xai: { fromUser: IMAGES, fromTools: IMAGES },
  deepseek: { fromUser: IMAGES, fromTools: NONE },
  // the adapter sends other files as text in base64
  cohere: { fromUser: IMAGES, fromTools: NONE },
  // the adapter of an unknown package rejects what it cannot send, or warns
  other: { fromUser: ANY, fromTools: NONE },
}
const OPENAI_FILES: Readonly<Record<'chat' | 'responses', SupportedFiles>> = {
  chat: CHAT,
  responses: { fromUser: IMAGES_AND_PDF, fromTools: IMAGES_AND_PDF },
}

type Prompt = LanguageModelV4CallOptions['prompt']
type FileContentPart = Extract<ToolResultPart['output'], { type: 'content' }>['value'][number]
type ResultFile = Extract<FileContentPart, { type: 'file' }>

/**
 * Wraps a model to send files only where its API accepts them. A file in a tool result may move to a user
 * message after the results. If the API accepts it nowhere, a text tells the model so. A user's file that is
 * not accepted fails the call with `input_invalid`.
 */
export function withFiles(
  model: LanguageModel,
  { id, protocol, api }: { readonly id: string; readonly protocol: ProtocolName; readonly api: ApiName },
): LanguageModel {
  const supported =
    protocol === 'openai' ? OPENAI_FILES[api === 'responses' ? api : 'chat'] : SUPPORTED_FILES[protocol]
  const support = { supported, id }
  return withCallOptions(model, (options) =>
    options.prompt.some(hasFile) ? { ...options, prompt: moveFiles(options.prompt, support) } : options,
  )
}

interface FileSupport {
  readonly supported: SupportedFiles
  readonly id: string
}

function hasFile(message: Message): boolean {
  if (message.role === 'user') return message.content.some(({ type }) => type === 'file')
  return message.role === 'tool' && message.content.some((part) => filesOf(part).length > 0)
}

function filesOf(part: ToolMessage['content'][number]): readonly ResultFile[] {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return []
  return part.output.value.filter((each) => each.type === 'file')
}

/** Replaces or moves files. Numbers them the same in every call, so that providers can cache the prompt. */
function moveFiles(prompt: Prompt, support: FileSupport): Prompt {
  let count = 0
  return prompt.flatMap((message): Message[] => {
    if (message.role === 'user') requireSupported(message, support)
    if (message.role !== 'tool') return [message]
    const moved: UserMessage['content'] = []
    const content = message.content.map((part) =>
      withoutFiles(part, support.supported, (file, tool) => {
        if (!support.supported.fromUser.test(file.mediaType))
          return `[${tool} returned a file of type ${file.mediaType}, which this model cannot read]`
        count += 1
        const name = `[${file.mediaType.startsWith('image/') ? 'image' : 'file'} ${count} from ${tool}]`
        moved.push({ type: 'text', text: name }, file)
        return name
      }),
    )
    return moved.length === 0
      ? [{ ...message, content }]
      : [
          { ...message, content },
          { role: 'user', content: moved },
        ]
  })
}

/** Replaces the files that the API does not accept in a tool result with text. */
function withoutFiles(
  part: ToolMessage['content'][number],
  { fromTools }: SupportedFiles,
  replace: (file: ResultFile, tool: string) => string,
): ToolMessage['content'][number] {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  const value = part.output.value.map((each) =>
    each.type === 'file' && !fromTools.test(each.mediaType)
      ? { type: 'text' as const, text: replace(each, part.toolName) }
      : each,
  )
  if (value.some(({ type }) => type !== 'text')) return { ...part, output: { type: 'content', value } }
  const text = value.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n')
  return { ...part, output: { type: 'text', value: text } }
}

function requireSupported({ content }: UserMessage, { supported, id }: FileSupport): void {
  for (const part of content) {
    if (part.type !== 'file' || supported.fromUser.test(part.mediaType)) continue
    throw troupeError('input_invalid', `The model ${id} does not accept files of type ${part.mediaType}.`, {
      fix: 'Remove the file, send its text, or use a model that reads such files.',
    })
  }
}
