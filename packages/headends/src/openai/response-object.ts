import type { Failure, RunReport } from '@troupe/schema'
import { statusOf } from '../headend/errors.ts'
import type { ResponsesRequest } from './responses-request.ts'

/** The fields of a response that are known before its content. */
export interface ResponseHead {
  readonly id: string
  /** In seconds since 1970. */
  readonly createdAt: number
  readonly request: Pick<
    ResponsesRequest,
    'model' | 'instructions' | 'previous_response_id' | 'store' | 'metadata' | 'text'
  >
}

/** The state of a response. */
export type ResponseState =
  | { readonly status: 'in_progress' }
  | { readonly status: 'completed' | 'incomplete'; readonly text: string; readonly usage: RunReport['usage'] }
  | { readonly status: 'failed'; readonly reason: Failure }

/**
 * Creates a response in OpenAI's format. It does not list the tools of the agent, because clients cannot call
 * them.
 */
export function responseObject(head: ResponseHead, end: ResponseState): Readonly<Record<string, unknown>> {
  const { id, createdAt, request } = head
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: end.status,
    background: false,
    error: end.status === 'failed' ? errorOf(end.reason) : null,
    incomplete_details: end.status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: null,
    metadata: request.metadata ?? {},
    model: request.model,
    output: 'text' in end ? [messageItem(id, end)] : [],
    parallel_tool_calls: true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: request.store ?? true,
    temperature: 1,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: 'usage' in end ? usageOf(end.usage) : null,
  }
}

/** Creates the single item of the output. */
export function messageItem(
  responseId: string,
  { status, text }: { readonly status: 'in_progress' | 'completed' | 'incomplete'; readonly text?: string },
): Readonly<Record<string, unknown>> {
  return {
    id: `msg_${responseId.slice('resp_'.length)}`,
    type: 'message',
    role: 'assistant',
    status,
    content: text === undefined ? [] : [textPart(text)],
  }
}

/** Creates the single part of the item's content. */
export function textPart(text: string): Readonly<Record<string, unknown>> {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function errorOf(reason: Failure): Readonly<Record<string, unknown>> {
  const code = statusOf(reason) === 429 ? 'rate_limit_exceeded' : 'server_error'
  return { code, message: `${reason.message} ${reason.remediation}` }
}

function usageOf(usage: RunReport['usage']): Readonly<Record<string, unknown>> {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}
