import { toolResult, type JsonObject, type ToolDefinition, type ToolResult } from '@troupe/schema'
import { wholeCharacters } from './cap-result.ts'
import type { FullTextStore } from './full-text-store.ts'

const DEFAULT_BYTES = 65_536

/** Name of the tool that reads on in a truncated result. */
export const READ_RESULT = 'read_result'

/** Creates the `read_result` tool of one run. It returns at most `maxBytes` per call. */
export function readResultTool(fullTexts: FullTextStore, maxBytes: number): ToolDefinition {
  return Object.freeze({
    name: READ_RESULT,
    wireName: READ_RESULT,
    source: 'runtime',
    server: 'runtime',
    description:
      'Reads on in the result of an earlier tool call that was cut. The note at its end names the handle and the offset.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: { type: 'string', description: 'From the note at the end of the cut result' },
        offset: { type: 'integer', minimum: 0, description: 'In bytes; default 0' },
        length: { type: 'integer', minimum: 1, description: `In bytes; default ${DEFAULT_BYTES}` },
      },
      required: ['handle'],
      additionalProperties: false,
    },
    effect: 'read',
    execute: (args) => read(fullTexts, args, maxBytes),
  } satisfies ToolDefinition)
}

function read(
  fullTexts: FullTextStore,
  { handle, offset = 0, length = DEFAULT_BYTES }: JsonObject,
  maxBytes: number,
): ToolResult {
  const bytes = fullTexts.read(handle as string)
  if (bytes === undefined)
    return toolResult.error(
      'tool_bad_arguments',
      `Nothing is kept under the handle ${JSON.stringify(handle)} (any more). Call the tool again that gave the result.`,
    )
  const start = wholeCharacters(bytes, Math.min(Number(offset), bytes.length))
  const wanted = Math.min(Number(length), maxBytes)
  const end = wholeCharacters(bytes, Math.min(start + wanted, bytes.length))
  // a character that is longer than requested is returned whole, or reading would never advance
  const to = end > start ? end : nextCharacter(bytes, start)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, to))
  return toolResult.text(`${text}\n[${describeRange({ start, to, of: bytes.length })}]`)
}

function describeRange({
  start,
  to,
  of,
}: {
  readonly start: number
  readonly to: number
  readonly of: number
}): string {
  const range = `bytes ${start} to ${to} of ${of}`
  return to < of ? `${range}; go on with offset ${to}` : `${range}: the end`
}

function nextCharacter(bytes: Uint8Array, at: number): number {
  let next = at + 1
  while (next < bytes.length && wholeCharacters(bytes, next) !== next) next += 1
  return Math.min(next, bytes.length)
}
