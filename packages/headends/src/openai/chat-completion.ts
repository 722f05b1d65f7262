import type { RunReport } from '@troupe/schema'
import { answerOf } from '../answer-of.ts'
import { createAnswerText } from '../answer-text.ts'
import { isFailure } from '../is-failure.ts'
import type { RunStream } from '../start-run-stream.ts'
import { sseBlock } from '../sse-block.ts'
import type { SseBuffer } from '../sse-buffer.ts'
import { openAIErrorBody } from './openai-error.ts'

/** The fields of every object of a completion. */
export interface CompletionHead {
  readonly id: string
  /** In seconds since 1970. */
  readonly created: number
  /** Model name as the client sent it. */
  readonly model: string
}

/** Creates a whole completion. */
export function chatCompletion(head: CompletionHead, report: RunReport): Readonly<Record<string, unknown>> {
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: report.output.text ?? '', refusal: null },
        logprobs: null,
        finish_reason: finishOf(report),
      },
    ],
    usage: chatUsage(report),
  }
}

/** Streams a completion. */
export function streamCompletion(
  { listen, end }: RunStream,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  {
    head,
    isWhole,
    withUsage,
  }: { readonly head: CompletionHead; readonly isWhole: boolean; readonly withUsage: boolean },
): void {
  const answer = createAnswerText({ isWhole })
  const send = (more: object): void =>
    buffer.push(sseBlock({ ...head, object: 'chat.completion.chunk', ...more }))
  const sendChoice = (delta: object, finish: ReturnType<typeof finishOf> | null): void =>
    send({
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: null } : {}),
    })
  const sendText = (content: string): void => {
    if (content !== '') sendChoice({ content }, null)
  }
  sendChoice({ role: 'assistant', content: '', refusal: null }, null)
  listen((event) => sendText(answer.read(event)))
  void end.then((last) => {
    const report = answerOf(last)
    if (isFailure(report)) buffer.push(sseBlock(openAIErrorBody(report)))
    else {
      sendText(answer.end(report))
      sendChoice({}, finishOf(report))
      if (withUsage) send({ choices: [], usage: chatUsage(report) })
      buffer.push(sseBlock('[DONE]'))
    }
    buffer.end()
  })
}

function finishOf({ outcome }: RunReport): 'stop' | 'length' {
  return outcome === 'partial' ? 'length' : 'stop'
}

function chatUsage({ usage }: RunReport): Readonly<Record<string, unknown>> {
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
