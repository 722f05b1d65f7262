import { failure, type ErrorCode } from '@troupe/schema'
import { contentOf, type AnswerDraft } from './answer-draft.ts'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import type { CompleteAnswer } from './read-answer.ts'

/** Decides if a finished stream is an answer: it needs a finish reason and some content. */
export function judgeAnswer(
  draft: AnswerDraft,
  { mayCall, received }: { readonly mayCall: boolean; readonly received: number },
): CompleteAnswer | FailedAnswer {
  const { content, text } = contentOf(draft, mayCall)
  const calls = mayCall ? draft.calls : []
  const usage = draft.finish?.usage
  const reason = draft.finish?.finishReason
  const refuse = (code: ErrorCode, message: string, retryable: boolean): FailedAnswer => ({
    failure: failure(code, message),
    retryable,
    usage,
    received,
    ...(text === '' ? {} : { partialText: text }),
  })
  // without a reason from the provider, the connection ended and not the answer
  if (reason?.unified === 'interrupted' || (reason?.unified === 'other' && reason.raw === undefined))
    return refuse('model_bad_stream', 'The answer of the model broke off before its end.', true)
  if (reason?.unified === 'error')
    return refuse('model_bad_stream', 'The model ended its answer with an error.', true)
  if (reason?.unified === 'content-filter' && calls.length === 0)
    return refuse('model_refused', text === '' ? 'The provider withheld the answer.' : text, false)
  if (isEmpty(draft, text)) {
    return reason?.unified === 'length'
      ? refuse('model_output_cut', 'The limit on output tokens was used up before the answer began.', false)
      : refuse('model_empty_answer', 'The model answered with nothing.', true)
  }
  return { content, text, calls, finishReason: reason?.unified ?? 'other', usage, received }
}

/**
 * Returns true if there is only blank text or reasoning. A call counts as content, even if none was allowed.
 */
function isEmpty(draft: AnswerDraft, text: string): boolean {
  return (
    text.trim() === '' &&
    draft.calls.length === 0 &&
    draft.parts.every((part) => part.type === 'text' || part.type === 'reasoning' || part.type === 'custom')
  )
}
