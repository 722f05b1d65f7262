import type { ErrorCode } from './error-table.ts'
import { failure, outcomeOf, type Failure } from './errors.ts'
import { isJsonObject, type Json } from './json.ts'
import type { Message } from './message.ts'
import { OUTCOMES, type Outcome } from './outcome.ts'

/** One part of a tool result. Binary data is in base64. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'data'; readonly mediaType: string; readonly base64: string }

/** The result of a tool call of any kind. Failures are results, too. */
export interface ToolResult {
  readonly outcome: Outcome
  /**
   * The error flag of MCP. Set on every result that a hook gets from `callNext`. A hook changes the outcome
   * by changing it.
   */
  readonly isError?: boolean
  readonly content: readonly ContentPart[]
  readonly structured?: Json
  readonly failure?: Failure
  /** Id of the child run that the call opened. */
  readonly childRunId?: string
  /**
   * Messages of a `fork_and_merge` child run after its fork point. They are appended after the tool message
   * of the turn, in call order.
   */
  readonly merge?: readonly Message[]
}

/** Factory functions for results of hooks and tools. */
export const toolResult: {
  /** Creates a completed result of plain text. */
  text(text: string): ToolResult
  /** Creates a completed result of a JSON value. The model sees it as JSON text. */
  json(value: Json): ToolResult
  /** Creates a failed result. The model reads `Error: <message>`. */
  error(code: ErrorCode, message: string, fix?: string): ToolResult
  /** Creates a failed result from a failure. `partial` is text that follows the error message. */
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

/** Returns true if a value has the form of a {@link ToolResult}. */
export function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false
  const { outcome, content } = value as { readonly outcome?: unknown; readonly content?: unknown }
  return OUTCOMES.some((known) => known === outcome) && Array.isArray(content) && content.every(isContentPart)
}

/** Joins the text parts of a result with line breaks. */
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
