import { hasAnswer, type AssistantMessage, type Failure, type Json, type OutputFile } from '@troupe/schema'
import { fileText } from '@troupe/schema/ports'
import { checkTexts } from '../guards/check-texts.ts'
import { guardedAnswerText, withAnswerText } from '../log/recorded-steps.ts'
import { encodeText } from '../log/request-texts.ts'
import type { RunEnd } from '../run/run.ts'
import { emitWithheldText } from './answer-draft.ts'
import type { PreparedRun } from './ask-model.ts'
import { outputGuards } from './call-model.ts'
import { readJsonAnswer } from './output.ts'
import { textOfValue } from '../run/json.ts'

/** The text of one answer of the model, before its output guards. */
interface UncheckedAnswer {
  readonly content: AssistantMessage['content']
  readonly text: string
  /** The text as it was already released. */
  readonly released?: string | undefined
  readonly isJson: boolean
  /** True if the answer was given before the run was interrupted. */
  readonly isRecalled?: boolean
}

type GuardedAnswer = Pick<UncheckedAnswer, 'content' | 'text'>

/**
 * Checks an answer of the model with the output guards of its agent, and emits its text if that was withheld.
 * Returns the answer without what they removed, or the failure of the run if they deny it.
 */
export async function guardAnswer(
  run: PreparedRun,
  answer: UncheckedAnswer,
): Promise<GuardedAnswer | { readonly failure: Failure }> {
  const guards = outputGuards(run)
  const { content, text, released, isJson } = answer
  if (guards.length === 0 || text === '') return answer
  const { turn } = run.progress
  const texts = answerTexts(text, isJson)
  const verdict = await checkTexts(run, guards, {
    place: 'output',
    ordinal: 0,
    texts,
    what: 'the answer',
    key: String(turn),
  })
  if (run.cancellation.reason !== undefined) return { failure: run.cancellation.reason }
  if (verdict.denied !== undefined) return { failure: verdict.denied }
  const checked = verdict.isChanged ? (released ?? guardedAnswerText(verdict.texts)) : text
  run.progress.releasedText = checked
  if (released === undefined && answer.isRecalled !== true) emitWithheldText(run, checked)
  return checked === text ? answer : { content: withAnswerText(content, checked), text: checked }
}

/**
 * Returns the texts of an answer to check: the value if the answer is JSON, so that escapes hide nothing, with
 * the text if the JSON is only a part of it.
 */
function answerTexts(text: string, isJson: boolean): readonly Json[] {
  const found = isJson ? readJsonAnswer(text) : undefined
  if (found === undefined) return [text]
  return found.isWhole ? [found.value] : [text, found.value]
}

/**
 * Checks the end of a run with its output guards: a text that other agents or tools wrote, and text files. Text of
 * its own model was already checked. A run that was cancelled keeps no unchecked text.
 */
export async function guardEnd(run: PreparedRun, end: RunEnd): Promise<RunEnd> {
  const guards = outputGuards(run)
  if (guards.length === 0) return end
  const { progress, cancellation, output } = run
  const isReleased = end.text === '' || end.text === progress.releasedText
  const files = [...(end.files ?? []), ...progress.files]
  const fileTexts = files.flatMap((file) => fileText(file) ?? [])
  if (isReleased && fileTexts.length === 0) return end
  if (cancellation.reason !== undefined) return withoutUnchecked(run, end, isReleased)
  const own = isReleased ? [] : answerTexts(end.text, output.format === 'json')
  const verdict = await checkTexts(run, guards, {
    place: 'output',
    ordinal: 0,
    isEnd: true,
    texts: [...own, ...fileTexts],
    what: 'the answer',
    key: 'end',
  })
  if (cancellation.reason !== undefined) return withoutUnchecked(run, end, isReleased)
  const { denied, isChanged, texts } = verdict
  if (denied !== undefined) {
    progress.files = []
    return hasAnswer(end.outcome)
      ? { outcome: 'denied', text: '', failure: denied }
      : withoutUnchecked(run, end, isReleased)
  }
  if (!isChanged) return end
  const clean = withFileTexts(files, texts.slice(own.length))
  progress.files = []
  const text = isReleased ? end.text : guardedAnswerText(texts.slice(0, own.length))
  return { ...end, text, files: clean }
}

function withoutUnchecked(run: PreparedRun, end: RunEnd, isReleased: boolean): RunEnd {
  run.progress.files = []
  const { files: _, ...rest } = end
  return isReleased ? rest : { ...rest, text: '' }
}

function withFileTexts(files: readonly OutputFile[], texts: readonly Json[]): readonly OutputFile[] {
  let index = -1
  return files.map((file) => {
    if (fileText(file) === undefined) return file
    index += 1
    return { ...file, data: encodeText(textOfValue(texts[index] ?? '')) }
  })
}
