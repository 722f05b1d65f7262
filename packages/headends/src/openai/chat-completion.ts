import type { RunReport } from '@troupe/schema'
import { createAnswerText, isRefused, modelAnswerOf, refusalOf } from '../client-runs/answer-text.ts'
import type { ClientRuns } from '../client-calls/client-runs.ts'
import {
  isWaitingAnswer,
  type ClientCall,
  type ModelRunEnd,
  type WaitingAnswer,
} from '../client-calls/collect-answer.ts'
import { planModelRun, prepareModelRun, readModelCall } from '../client-calls/model-run.ts'
import { placeCitations, type PlacedCitation } from '../client-runs/place-citations.ts'
import { createReasoningText, type ReasoningOptions } from '../client-runs/reasoning-text.ts'
import type { RunStream } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { HeadendContext, Handler } from '../headend/headend.ts'
import { sseBlock, type SseBuffer } from '../sse/event-stream.ts'
import { answerModelRun } from './answer-model-run.ts'
import {
  chatMessages,
  chatOutput,
  chatTools,
  chatCompletionRequest,
  wantsReasoning,
} from './chat-completion-request.ts'
import { openAIError, openAIErrorBody } from './openai-error.ts'

/**
 * Handles `POST /openai/v1/chat/completions`. The model is the name of an agent, and the client sends the
 * conversation.
 */
export function answerChatCompletion(context: HeadendContext, clientRuns: ClientRuns): Handler {
  return async ({ req, env: { caller } }) => {
    const call = await readModelCall(req.raw, {
      schema: chatCompletionRequest,
      toMessages: chatMessages,
      toTools: chatTools,
      runner: context.runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { body, agent } = call
    const runId = context.newId('run')
    const base: CompletionBase = {
      id: `chatcmpl-${runId}`,
      created: Math.floor(context.clock.now() / 1000),
      model: body.model,
    }
    const planned = await planModelRun(
      { ...call, outputOptions: chatOutput(body, agent), runId },
      caller,
      clientRuns,
    )
    if (isFailure(planned)) return openAIError(planned)
    const ready = prepareModelRun(planned, { request: req.raw, caller }, clientRuns)
    const withUsage = body.stream_options?.include_usage === true
    const isReasoningWanted = wantsReasoning(body)
    // clients that know the field expect it in every stream
    const reasoning = isReasoningWanted === false ? undefined : { withChildren: isReasoningWanted === true }
    return answerModelRun(
      ready,
      {
        headers: { 'troupe-run-id': ready.runId },
        isStream: body.stream === true,
        wantsReasoning: isReasoningWanted === true,
        stream: (started, buffer, answer) =>
          streamCompletion(started, buffer, { base, withUsage, reasoning, clock: context.clock, ...answer }),
        body: (end, text) => chatCompletion(base, end, text),
      },
      { clock: context.clock, caller },
    )
  }
}

/** The fields of every object of a completion. */
interface CompletionBase {
  readonly id: string
  /** In seconds since 1970. */
  readonly created: number
  /** Model name as the client sent it. */
  readonly model: string
}

/** Creates a whole completion. */
function chatCompletion(
  base: CompletionBase,
  end: RunReport | WaitingAnswer,
  reasoning: string,
): Readonly<Record<string, unknown>> {
  return {
    ...base,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          refusal: null,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...contentOf(end),
        },
        logprobs: null,
        finish_reason: finishOf(end),
      },
    ],
    usage: chatUsage(end),
  }
}

function contentOf(end: RunReport | WaitingAnswer): object {
  if (!isWaitingAnswer(end)) {
    const refusal = refusalOf(end)
    return {
      content: end.output.text ?? '',
      ...(refusal === undefined ? {} : { refusal }),
      ...annotationsOf(placeCitations(end.output)),
    }
  }
  return { content: end.text === '' ? null : end.text, tool_calls: end.calls.map(toolCall) }
}

/** Returns the member with the citations of a message, or no member if there are none. */
function annotationsOf(citations: readonly PlacedCitation[]): object {
  if (citations.length === 0) return {}
  return {
    annotations: citations.map(({ url, title, startIndex, endIndex }) => ({
      type: 'url_citation',
      url_citation: { url, title, start_index: startIndex, end_index: endIndex },
    })),
  }
}

function toolCall({ id, name, args }: ClientCall): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

/** Streams a completion. */
function streamCompletion(
  { listen, end }: RunStream<ModelRunEnd>,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  {
    base,
    isWhole,
    withUsage,
    reasoning: options,
    clock,
  }: {
    readonly base: CompletionBase
    readonly isWhole: boolean
    readonly withUsage: boolean
    readonly reasoning: ReasoningOptions | undefined
  } & Pick<HeadendContext, 'clock'>,
): void {
  const answer = createAnswerText({ isWhole })
  const reasoning = options && createReasoningText(options)
  const send = (more: object): void =>
    buffer.push(sseBlock({ ...base, object: 'chat.completion.chunk', ...more }))
  const sendChoice = (delta: object, finish: ReturnType<typeof finishOf> | null): void =>
    send({
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: null } : {}),
    })
  let shown = ''
  const sendText = (content: string): void => {
    shown += content
    if (content !== '') sendChoice({ content }, null)
  }
  const sendCalls = (calls: readonly ClientCall[]): void => {
    for (const [index, { id, name, args }] of calls.entries()) {
      const start = { index, id, type: 'function', function: { name, arguments: '' } }
      sendChoice({ tool_calls: [start] }, null)
      sendChoice({ tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] }, null)
    }
  }
  sendChoice({ role: 'assistant', content: '', refusal: null }, null)
  listen((event) => {
    const text = reasoning?.read(event) ?? ''
    if (text !== '') sendChoice({ reasoning_content: text }, null)
    sendText(answer.read(event))
  })
  void end.then((last) => {
    const report = isWaitingAnswer(last) ? last : modelAnswerOf(last)
    if (isFailure(report)) buffer.push(sseBlock(openAIErrorBody(report, clock.now())))
    else {
      if (isWaitingAnswer(report)) sendCalls(report.calls)
      else sendText(answer.end(report))
      const annotations = isWaitingAnswer(report) ? {} : annotationsOf(placeCitations(report.output, shown))
      if ('annotations' in annotations) sendChoice(annotations, null)
      const refusal = isWaitingAnswer(report) ? undefined : refusalOf(report)
      sendChoice(refusal === undefined ? {} : { refusal }, finishOf(report))
      if (withUsage) send({ choices: [], usage: chatUsage(report) })
      buffer.push(sseBlock('[DONE]'))
    }
    buffer.end()
  })
}

function finishOf(end: RunReport | WaitingAnswer): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  if (isWaitingAnswer(end)) return 'tool_calls'
  if (isRefused(end)) return 'content_filter'
  return end.outcome === 'partial' ? 'length' : 'stop'
}

function chatUsage({ usage }: Pick<WaitingAnswer, 'usage'>): Readonly<Record<string, unknown>> {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
