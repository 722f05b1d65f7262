import { isJsonObject, type Attachment, type Message } from '@troupe/schema'
import type { StoredRunRequest } from '../run-service/stored-run.ts'
import type { OutputItem } from './response-object.ts'

/** An input item of a response. */
type InputItem = OutputItem & { readonly id: string }

/**
 * Returns the input of a response as items, the oldest first: what its client sent with it, without its system
 * messages. For a composition they are part of the first message of the user, but not the `instructions`.
 */
export function inputItems(
  responseId: string,
  { input, attachments = [], history = [] }: StoredRunRequest,
  instructions: string | null | undefined,
): readonly InputItem[] {
  const contents = [
    ...history.flatMap(itemsOf),
    { type: 'message', role: 'user', content: [...textParts(input), ...attachments.map(filePart)] },
  ]
  const first = contents.findIndex(({ role }) => role === 'user')
  return contents.map((content, index) => ({
    id: `${content.type === 'message' ? 'msg' : 'fc'}_${responseId.slice('resp_'.length)}.in${index}`,
    status: 'completed',
    ...(index === first ? withoutInstructions(content, instructions) : content),
  }))
}

/** An item without its id. Calls and results have further fields. */
interface ItemContent extends OutputItem {
  readonly type: string
  readonly role?: string
  readonly content?: readonly OutputItem[]
}

function itemsOf({ role, content }: Message): readonly ItemContent[] {
  if (typeof content === 'string') return [{ type: 'message', role, content: textParts(content) }]
  const items: ItemContent[] = []
  const texts: OutputItem[] = []
  for (const part of content) {
    if (part.type === 'text')
      texts.push(
        role === 'assistant'
          ? { type: 'output_text', text: part.text, annotations: [] }
          : textPart(part.text),
      )
    else if (part.type === 'tool-call')
      items.push({
        type: 'function_call',
        call_id: part.toolCallId,
        name: part.toolName,
        arguments: JSON.stringify(part.input),
      })
    else if (part.type === 'tool-result') {
      const { output } = part
      const text =
        'value' in output && typeof output.value === 'string' ? output.value : JSON.stringify(output)
      items.push({ type: 'function_call_output', call_id: part.toolCallId, output: text })
    }
  }
  return texts.length === 0 ? items : [{ type: 'message', role, content: texts }, ...items]
}

function textParts(text: string): readonly OutputItem[] {
  return text === '' ? [] : [textPart(text)]
}

function textPart(text: string): OutputItem {
  return { type: 'input_text', text }
}

function filePart({ mediaType, data, filename }: Attachment): OutputItem {
  const url = `data:${mediaType};base64,${data}`
  if (mediaType.startsWith('image/')) return { type: 'input_image', detail: 'auto', image_url: url }
  return { type: 'input_file', file_data: url, ...(filename === undefined ? {} : { filename }) }
}

/** Removes the instructions from the start of a message. */
function withoutInstructions(item: ItemContent, instructions: string | null | undefined): ItemContent {
  const [part, ...others] = item.content ?? []
  const text = isJsonObject(part) ? part['text'] : undefined
  const start = `${instructions ?? ''}\n\n`
  if (!instructions || typeof text !== 'string' || !text.startsWith(start)) return item
  return { ...item, content: [textPart(text.slice(start.length)), ...others] }
}
