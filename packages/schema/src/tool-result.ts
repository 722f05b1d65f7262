import type { ErrorCode } from './error-table.ts'
import { failure, outcomeOf, type Failure } from './errors.ts'
import { isJsonObject, type Json } from './json.ts'
import type { Message } from './message.ts'
import { OUTCOMES, type Outcome } from './outcome.ts'

/** One piece of a tool's answer. Binary data is base64. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'data'; readonly mediaType: string; readonly base64: string }

/** What every tool call ends with, whatever its kind. A failure is a result, never a throw. */
export interface ToolResult {
  readonly outcome: Outcome
  /** What MCP calls it: set on every result that a hook gets from `callNext`. A hook that changes it changes the outcome. */
  readonly isError?: boolean
  readonly content: readonly ContentPart[]
  readonly structured?: Json
  readonly failure?: Failure
  /** The run of the child, where the call opened one. */
  readonly childRunId?: string
  /** Messages of a `fork_and_merge` child after its fork point; appended after the tool message of the turn, in call order. */
  readonly merge?: readonly Message[]
}

/** Makers of results for hooks and tools. */
export const toolResult: {
  /** A completed result of plain text. */
  text(text: string): ToolResult
  /** A completed result of a JSON value, shown to the model as JSON text. */
  json(value: Json): ToolResult
  /** A failed result; the model reads `Error: <message>`. */
  error(code: ErrorCode, message: string, fix?: string): ToolResult
  /** A failed result from a failure, with the text to show before it, if any. */
  failed(reason: Failure, partial?: string): ToolResult
} = {
  text: (text) => ({ outcome: 'completed', content: [{ type: 'text', text }] }),
  json: (value) => ({
    outcome: 'completed',
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structured: value,
  }),
  error: (code, message, fix) => toolResult.failed(failure(code, message, fix)),
  failed: (reason, partial) => ({
    outcome: outcomeOf(reason),
    content: [
      { type: 'text', text: `Error: ${reason.message}` },
      ...(partial === undefined || partial === '' ? [] : [{ type: 'text' as const, text: partial }]),
    ],
    failure: reason,
  }),
}

/** True for a value of the form of a {@link ToolResult}. */
export function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false
  const { outcome, content } = value as { readonly outcome?: unknown; readonly content?: unknown }
  return OUTCOMES.some((known) => known === outcome) && Array.isArray(content) && content.every(isContentPart)
}

/** The text parts of a result, joined by line breaks. */
export function resultText(result: ToolResult): string {
  const texts: string[] = []
  for (const part of result.content) if (part.type === 'text') texts.push(part.text)
  return texts.join('\n')
}

function isContentPart(value: unknown): value is ContentPart {
  if (!isJsonObject(value)) return false
  if (value['type'] === 'text') return typeof value['text'] === 'string'
  return (
    value['type'] === 'data' && typeof value['mediaType'] === 'string' && typeof value['base64'] === 'string'
  )
}
