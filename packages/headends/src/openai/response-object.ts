import type { Citation, Failure, UsageReport } from '@troupe/schema'
import type { ClientCall } from '../client-calls/collect-answer.ts'
import { offeredName } from '../client-calls/client-tools.ts'
import { placeCitations, type PlacedCitation } from '../client-runs/place-citations.ts'
import { statusOf } from '../headend/errors.ts'
import { openAICode, openAIMessage } from './openai-error.ts'
import { conversationOf, responsesTools, type ResponsesRequest } from './responses-request.ts'

/** The fields of a response that are known before its content. */
export interface ResponseBase {
  readonly id: string
  /** In seconds since 1970. */
  readonly createdAt: number
  readonly request: Pick<
    ResponsesRequest,
    | 'model'
    | 'instructions'
    | 'previous_response_id'
    | 'conversation'
    | 'store'
    | 'stream'
    | 'background'
    | 'reasoning'
    | 'metadata'
    | 'text'
    | 'tools'
    | 'tool_choice'
    | 'parallel_tool_calls'
  >
}

/** An item in the output of a response. */
export type OutputItem = Readonly<Record<string, unknown>>

/** The state of a response. */
export type ResponseState =
  | { readonly status: 'queued' | 'in_progress' | 'cancelled' }
  | {
      readonly status: 'completed' | 'incomplete'
      readonly output: readonly OutputItem[]
      readonly usage: UsageReport
      /** True if a model refused the answer. */
      readonly isFiltered: boolean
    }
  | {
      readonly status: 'failed'
      readonly reason: Failure
      /** Set to say in how many seconds to try again. */
      readonly now?: number
    }

/**
 * Creates a response in OpenAI's format. It lists the tools of the client but not those of the agent, because
 * clients cannot call them.
 */
export function responseObject(
  { id, createdAt, request }: ResponseBase,
  state: ResponseState,
): Readonly<Record<string, unknown>> {
  const conversation = conversationOf(request)
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: state.status,
    background: request.background ?? false,
    error: state.status === 'failed' ? errorOf(state) : null,
    incomplete_details:
      state.status === 'incomplete'
        ? { reason: state.isFiltered ? 'content_filter' : 'max_output_tokens' }
        : null,
    instructions: request.instructions ?? null,
    max_output_tokens: null,
    metadata: request.metadata ?? {},
    model: request.model,
    output: 'output' in state ? state.output : [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    conversation: conversation === undefined ? null : { id: conversation },
    reasoning: { effort: null, summary: request.reasoning?.summary ?? null },
    service_tier: 'default',
    store: request.store ?? true,
    temperature: 1,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: 1,
    truncation: 'disabled',
    usage: 'usage' in state ? usageOf(state.usage) : null,
  }
}

/** The content of an answer. */
export interface ResponseContent {
  readonly status: 'completed' | 'incomplete'
  readonly text: string
  /** Web pages that support the text. */
  readonly citations?: readonly Citation[] | undefined
  readonly usage: UsageReport
  /** True if a model refused the answer. */
  readonly isFiltered?: boolean
  /** Calls for the client. */
  readonly calls?: readonly ClientCall[]
  /** Reasoning that the client asked for; empty if there is none. */
  readonly reasoning?: string
}

/** Returns the state of a response with a whole answer. The message is left out if there are only calls. */
export function endState(
  base: ResponseBase,
  { status, text, citations = [], usage, isFiltered = false, calls = [], reasoning = '' }: ResponseContent,
): ResponseState {
  const message =
    text === '' && calls.length > 0
      ? []
      : [messageItem(base.id, { status, text, citations: placeCitations({ text, citations }) })]
  const summary = reasoning === '' ? [] : [reasoningItem(base.id, { status, text: reasoning })]
  return {
    status,
    output: [...summary, ...message, ...calls.map((call) => callItem(base, call))],
    usage,
    isFiltered,
  }
}

/** Creates the item of a call for the client. A tool of a namespace has the name that it has there. */
export function callItem(
  { request }: Pick<ResponseBase, 'request'>,
  { id, name, args }: ClientCall,
  { isStarted = false }: { readonly isStarted?: boolean } = {},
): OutputItem & { readonly id: string } {
  const requested = responsesTools({ ...request, tool_choice: undefined })
  const tools = 'tools' in requested ? requested.tools : []
  const tool = tools.find((candidate) => offeredName(candidate) === name)
  return {
    id: `fc_${id.slice('call_'.length)}`,
    type: 'function_call',
    status: isStarted ? 'in_progress' : 'completed',
    call_id: id,
    name: tool?.name ?? name,
    ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
    arguments: isStarted ? '' : JSON.stringify(args),
  }
}

/** A text in an item, and its place among the items of its kind; `text` is `undefined` at its start. */
interface ItemText {
  readonly status: 'in_progress' | 'completed' | 'incomplete'
  readonly text?: string
  readonly citations?: readonly PlacedCitation[]
  /** Number of items of this kind before it. Default: 0. */
  readonly ordinal?: number
}

/** Creates an item with text of the agent. */
export function messageItem(
  responseId: string,
  { status, text, citations, ordinal }: ItemText,
): OutputItem & { readonly id: string } {
  return {
    id: itemId('msg', responseId, ordinal),
    type: 'message',
    role: 'assistant',
    status,
    content: text === undefined ? [] : [textPart(text, citations)],
  }
}

/** Creates an item with a summary of the reasoning. */
export function reasoningItem(
  responseId: string,
  { status, text, ordinal }: ItemText,
): OutputItem & { readonly id: string } {
  return {
    id: itemId('rs', responseId, ordinal),
    type: 'reasoning',
    status,
    summary: text === undefined ? [] : [summaryPart(text)],
  }
}

function itemId(prefix: string, responseId: string, ordinal = 0): string {
  const id = `${prefix}_${responseId.slice('resp_'.length)}`
  return ordinal === 0 ? id : `${id}.${ordinal}`
}

/** Creates the single part of a message. */
export function textPart(text: string, citations: readonly PlacedCitation[] = []): OutputItem {
  return { type: 'output_text', text, annotations: citations.map(toAnnotation), logprobs: [] }
}

/** Converts a citation to an annotation of a text. */
export function toAnnotation({ url, title, startIndex, endIndex }: PlacedCitation): OutputItem {
  return { type: 'url_citation', url, title, start_index: startIndex, end_index: endIndex }
}

/** Creates the single part of a summary. */
export function summaryPart(text: string): OutputItem {
  return { type: 'summary_text', text }
}

function errorOf({ reason, now }: Extract<ResponseState, { readonly status: 'failed' }>): OutputItem {
  const own = openAICode(reason)
  const code = own === reason.code ? codeOf(statusOf(reason)) : own
  return { code, message: openAIMessage(reason, now) }
}

function codeOf(status: number): string {
  return status === 429 ? 'rate_limit_exceeded' : 'server_error'
}

function usageOf(usage: UsageReport): OutputItem {
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
