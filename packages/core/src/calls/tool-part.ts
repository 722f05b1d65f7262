import { resultText, type ToolResult, type ToolResultOutput, type ToolResultPart } from '@troupe/schema'

/** Converts a result to the message part for the model. */
export function toolPart(
  { toolUseId, wireName }: { readonly toolUseId: string; readonly wireName: string },
  result: ToolResult,
): ToolResultPart {
  return { type: 'tool-result', toolCallId: toolUseId, toolName: wireName, output: toModelOutput(result) }
}

/** Returns text for errors and text-only results, otherwise content parts. */
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
