import type { AnyChunk } from '@slack/types'
import type { RunEvent, RunReport } from '@troupe/schema'
import { oneLine } from './cut-text.ts'
import { changedRows, closeRows, NO_ROWS, reduceRows, type ChildRows } from './child-rows.ts'
import { escapeSlack } from './escape-slack.ts'
import { fittingPiece } from './fitting-piece.ts'
import { fenceEnd, openFence } from './open-fence.ts'
import type { RedactedText } from './redact-text.ts'
import { outcomeNote } from './outcome-note.ts'
import { answerText } from './answer-text.ts'

/** A message as it should be by now. Immutable: what Slack must be told is the difference of two (`answerChunks`). */
export interface AnswerView {
  readonly rows: ChildRows
  /** Escaped Markdown: what is shown. */
  readonly shown: string
  /** What was said in this turn, as it came. */
  readonly turnText: string
  /** Not all that was said is shown. */
  readonly isCut: boolean
  /** Deltas are shown; else the answer comes as a whole. */
  readonly streams: boolean
  /** What follows stands in a message of its own, in a code block that another one has begun so. */
  readonly fence?: string
}

/** Slack takes 12,000 characters in one message; what is left is for the end of it. */
export const MOST_SHOWN = 11_000

/** A message without words. */
export function emptyAnswer({ streams }: { readonly streams: boolean }): AnswerView {
  return { rows: NO_ROWS, shown: '', turnText: '', isCut: false, streams }
}

/** The message with lines of the app itself, plain text, above the answer. */
export function noteAnswer(view: AnswerView, lines: readonly string[]): AnswerView {
  if (lines.length === 0) return view
  const notes = lines.map((line) => `:warning: ${escapeSlack(oneLine(line, NOTE), { atLineStart: false })}`)
  return { ...view, shown: `${view.shown}${view.shown === '' ? '' : '\n\n'}${notes.join('\n')}` }
}

const NOTE = 300

/** The message after an event. `isRoot`: of the run that was asked, not of one below it. */
export function reduceAnswer(view: AnswerView, event: RunEvent): AnswerView {
  const rows = reduceRows(view.rows, event)
  const next = rows === view.rows ? view : { ...view, rows }
  if (event.runId !== event.rootRunId) return next
  if (event.type === 'turn-start') return { ...next, turnText: '' }
  if (event.type === 'text-delta' && event.text !== '' && next.streams) return said(next, event.text)
  return next
}

/** The message when the run is over: with the answer as a whole, what went wrong, and no open row. */
export function endAnswer(
  view: AnswerView,
  report: Pick<RunReport, 'outcome' | 'output' | 'error'>,
  hide: RedactedText,
): AnswerView {
  const note = outcomeNote(report)
  const whole = withWholeAnswer(view, hide(answerText(report)))
  const rows = closeRows(whole.rows, note ?? 'It was not waited for.')
  const fenced = fenceEnd(whole.shown)
  const file = whole.isCut ? '\n\n_This is the beginning. The whole answer is in the file below._' : ''
  const ending = note === undefined ? '' : `${whole.shown === '' ? '' : '\n\n'}${note}`
  return { ...whole, rows, shown: `${whole.shown}${fenced}${file}${ending}` }
}

/** What Slack must be told so that a message that is as `before` becomes as `now`. */
export function answerChunks(before: AnswerView, now: AnswerView): readonly AnyChunk[] {
  const rest = now.shown.slice(before.shown.length)
  const text = before.fence === undefined || rest === '' ? rest : `${before.fence}\n${rest}`
  return [
    ...changedRows(before.rows, now.rows),
    ...(text === '' ? [] : [{ type: 'markdown_text' as const, text }]),
  ]
}

/** What was sent, where the rest goes on in a message of its own. */
export function answerGoesOn(sent: AnswerView): AnswerView {
  const fence = openFence(sent.shown)
  return fence === undefined ? sent : { ...sent, fence }
}

/** The message of an answer that goes on elsewhere. */
export function abandonAnswer(sent: AnswerView): AnswerView {
  const rows = closeRows(sent.rows, 'See below.')
  return { ...sent, rows, shown: `${sent.shown}${fenceEnd(sent.shown)}\n\n_The answer follows below._` }
}

function said(view: AnswerView, text: string): AnswerView {
  // what was said before a call stands apart from what is said after it
  const gap = view.turnText === '' && view.shown !== '' ? `${fenceEnd(view.shown)}\n\n` : ''
  const turnText = view.turnText + text
  if (view.isCut) return { ...view, turnText }
  const atLineStart = gap !== '' || view.shown === '' || view.shown.endsWith('\n')
  const escaped = gap + escapeSlack(text, { atLineStart })
  const room = MOST_SHOWN - view.shown.length
  if (escaped.length <= room) return { ...view, turnText, shown: view.shown + escaped }
  return { ...view, turnText, isCut: true, shown: view.shown + gap + fittingPiece(text, room - gap.length) }
}

/** What was not streamed, as it was said in one piece or in another form. */
function withWholeAnswer(view: AnswerView, answer: string): AnswerView {
  if (answer === '' || view.turnText.trim() === answer.trim()) return view
  if (view.turnText !== '' && answer.startsWith(view.turnText))
    return said(view, answer.slice(view.turnText.length))
  return said({ ...view, turnText: '' }, answer)
}
