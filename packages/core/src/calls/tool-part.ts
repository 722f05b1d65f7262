import { resultText, type Message, type ToolResult, type ToolResultOutput } from '@troupe/schema'

/** The result of one call in the conversation. */
export type ToolPart = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>

/** What the model reads of a result. */
export function toolPart(
  { toolUseId, wireName }: { readonly toolUseId: string; readonly wireName: string },
  result: ToolResult,
): ToolPart {
  return { type: 'tool-result', toolCallId: toolUseId, toolName: wireName, output: toModelOutput(result) }
}

/** Text for an error, text, or parts where there is something else than text. */
function toModelOutput(result: ToolResult): ToolResultOutput {
  if (result.failure !== undefined) return { type: 'error-text', value: resultText(result) }
  if (result.content.every((part) => part.type === 'text')) return { type: 'text', value: resultText(result) }
  return {
    type: 'content',
    value: result.content.map((part) =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.base64 } },
    ),
  }
}
