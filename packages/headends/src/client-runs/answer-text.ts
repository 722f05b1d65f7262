import { type RunEvent, type RunReport, failure, hasAnswer, type Failure } from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'

/** Extracts the text of a root run's answer from its events, piece by piece. */
interface AnswerText {
  /** Returns the text to send after this event; usually empty. */
  read(event: RunEvent): string
  /** Returns the rest of the answer at the end of the run. */
  end(report: RunReport): string
}

/** Event types that affect the text of an answer. */
const ANSWER_EVENTS: ReadonlySet<RunEvent['type']> = new Set([
  'text-delta',
  'turn-start',
  'model-retry',
  'model-fallback',
])

/** Separator between the texts of successive turns. */
const GAP = '\n\n'

/**
 * Creates the extractor from the text deltas of the root run's own model; child runs, tools and reasoning are
 * ignored. With `isWhole` the text is returned in one piece at the end, because JSON is validated and
 * possibly repaired first.
 */
export function createAnswerText({ isWhole = false }: { readonly isWhole?: boolean } = {}): AnswerText {
  // Text of the current turn that was already returned.
  let sent = ''
  let isAfterGap = false
  /**
   * Text so far of a repeated model call, which may equal text that was already returned; `undefined` if no
   * call is repeated.
   */
  let repeated: string | undefined

  const append = (text: string): string => {
    const gap = isAfterGap && text !== '' ? GAP : ''
    if (text !== '') isAfterGap = false
    sent += text
    return gap + text
  }
  const appendRepeated = (text: string): string => {
    const fullText = (repeated ?? '') + text
    repeated = fullText
    if (sent.startsWith(fullText)) return ''
    repeated = undefined
    if (fullText.startsWith(sent)) return append(fullText.slice(sent.length))
    sent = ''
    isAfterGap = true
    return append(fullText)
  }
  const nextTurn = (): void => {
    if (sent !== '') isAfterGap = true
    sent = ''
    repeated = undefined
  }

  return {
    read(event) {
      // Most events do not affect the text.
      if (!ANSWER_EVENTS.has(event.type) || isWhole || event.runId !== event.rootRunId) return ''
      if (event.type === 'text-delta')
        return repeated === undefined ? append(event.text) : appendRepeated(event.text)
      if (event.type === 'turn-start') nextTurn()
      else if (sent !== '') repeated = ''
      return ''
    },
    end({ output: { text = '' } }) {
      if (text.startsWith(sent)) return append(text.slice(sent.length))
      // The final answer differs from the streamed text, so all of it is sent.
      nextTurn()
      return append(text)
    },
  }
}

/** Returns true if a model, or the content filter of its provider, refused the answer of the run. */
export function isRefused(end: { readonly error?: Failure | undefined }): boolean {
  return end.error?.code === 'model_refused'
}

/**
 * Like {@link answerOf}, for protocols of models, in which an answer that the model refused is no error but has
 * a finish reason of its own.
 */
export function modelAnswerOf(end: RunReport | Failure): RunReport | Failure {
  return !isFailure(end) && isRefused(end) ? end : answerOf(end)
}

/** Returns the explanation of a refused answer; `undefined` if it was not refused. */
export function refusalOf(end: { readonly error?: Failure }): string | undefined {
  return isRefused(end) ? `${end.error?.message} ${end.error?.remediation}` : undefined
}

/**
 * Returns the report if the run has a complete or partial answer, otherwise the failure that explains why it
 * has none.
 */
export function answerOf(end: RunReport | Failure): RunReport | Failure {
  if (isFailure(end) || hasAnswer(end.outcome)) return end
  return (
    end.error ??
    failure('internal', `The run ended with the outcome ${end.outcome} and without an error message.`)
  )
}
