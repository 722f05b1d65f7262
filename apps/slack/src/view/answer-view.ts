import type { AnyChunk } from '@slack/types'
import { hasAnswer, type RunEvent, type RunReport } from '@troupe/schema'
import { oneLine, fittingPiece, escapeSlack } from './slack-text.ts'
import { changedRows, closeRows, NO_ROWS, reduceRows, type ChildRows } from './child-rows.ts'
import type { TextRedactor } from './hide-chunks.ts'

/** The content that a message should have. Immutable: `answerChunks` returns the difference of two. */
export interface AnswerView {
  readonly rows: ChildRows
  /** The visible text, as escaped Markdown. */
  readonly shown: string
  /** The text of the current turn, unescaped. */
  readonly turnText: string
  /** True if the visible text is incomplete. */
  readonly isCut: boolean
  /** True if deltas are shown, false if the answer appears as a whole. */
  readonly streams: boolean
  /** The marks that reopen a code block at the start of a continuation message. */
  readonly fence?: string
}

/** Slack allows 12,000 characters per message; the rest is reserved for the ending. */
const MAX_SHOWN_LENGTH = 11_000

/** Returns a message without text. */
export function emptyAnswer({ streams }: { readonly streams: boolean }): AnswerView {
  return { rows: NO_ROWS, shown: '', turnText: '', isCut: false, streams }
}

/** Adds notes of the app, as plain text, above the answer. */
export function addNotes(view: AnswerView, lines: readonly string[]): AnswerView {
  if (lines.length === 0) return view
  const notes = lines.map((line) => `:warning: ${escapeSlack(oneLine(line, NOTE), { atLineStart: false })}`)
  return { ...view, shown: `${view.shown}${view.shown === '' ? '' : '\n\n'}${notes.join('\n')}` }
}

const NOTE = 300

/** Returns the message after an event. Only the root run adds text; all runs update the rows. */
export function reduceAnswer(view: AnswerView, event: RunEvent): AnswerView {
  const rows = reduceRows(view.rows, event)
  const next = rows === view.rows ? view : { ...view, rows }
  if (event.runId !== event.rootRunId) return next
  if (event.type === 'turn-start') return { ...next, turnText: '' }
  if (event.type === 'text-delta' && event.text !== '' && next.streams) return addText(next, event.text)
  return next
}

/** Returns the finished message: the whole answer, a note if something went wrong, and no open row. */
export function endAnswer(
  view: AnswerView,
  report: Pick<RunReport, 'outcome' | 'output' | 'error'>,
  hide: TextRedactor,
): AnswerView {
  const note = outcomeNote(report)
  const whole = withWholeAnswer(view, hide(answerText(report)))
  const rows = closeRows(whole.rows, note ?? 'The run did not wait for it.')
  const fenced = fenceEnd(whole.shown)
  const file = whole.isCut ? '\n\n_This is only the beginning. The full answer is in the file below._' : ''
  const ending = note === undefined ? '' : `${whole.shown === '' ? '' : '\n\n'}${note}`
  return { ...whole, rows, shown: `${whole.shown}${fenced}${file}${ending}` }
}

/** Returns the chunks that change the message from `before` to `now`. */
export function answerChunks(before: AnswerView, now: AnswerView): readonly AnyChunk[] {
  const rest = now.shown.slice(before.shown.length)
  const text = before.fence === undefined || rest === '' ? rest : `${before.fence}\n${rest}`
  return [
    ...changedRows(before.rows, now.rows),
    ...(text === '' ? [] : [{ type: 'markdown_text' as const, text }]),
  ]
}

/** Returns the state to continue from in a new message. */
export function continueAnswer(sent: AnswerView): AnswerView {
  const fence = openFence(sent.shown)
  return fence === undefined ? sent : { ...sent, fence }
}

/** Returns the closing state of a message whose answer follows in another one. */
export function abandonAnswer(sent: AnswerView): AnswerView {
  const rows = closeRows(sent.rows, 'See below.')
  return { ...sent, rows, shown: `${sent.shown}${fenceEnd(sent.shown)}\n\n_The answer follows below._` }
}

function addText(view: AnswerView, text: string): AnswerView {
  // Separate the texts of two turns.
  const gap = view.turnText === '' && view.shown !== '' ? `${fenceEnd(view.shown)}\n\n` : ''
  const turnText = view.turnText + text
  if (view.isCut) return { ...view, turnText }
  const atLineStart = gap !== '' || view.shown === '' || view.shown.endsWith('\n')
  const escaped = gap + escapeSlack(text, { atLineStart })
  const available = MAX_SHOWN_LENGTH - view.shown.length
  if (escaped.length <= available) return { ...view, turnText, shown: view.shown + escaped }
  return {
    ...view,
    turnText,
    isCut: true,
    shown: view.shown + gap + fittingPiece(text, available - gap.length),
  }
}

/** Adds the part of the answer that was not streamed. */
function withWholeAnswer(view: AnswerView, answer: string): AnswerView {
  if (answer === '' || view.turnText.trim() === answer.trim()) return view
  if (view.turnText !== '' && answer.startsWith(view.turnText))
    return addText(view, answer.slice(view.turnText.length))
  return addText({ ...view, turnText: '' }, answer)
}

/** Returns the answer of a run as Markdown, with JSON in a code block. */
export function answerText({ output }: Pick<RunReport, 'output'>): string {
  if (output.format !== 'json') return output.text ?? ''
  const json = output.value === undefined ? (output.text ?? '') : JSON.stringify(output.value, null, 2)
  return json === '' ? '' : `\`\`\`json\n${json}\n\`\`\``
}

/** Returns the note below a missing or incomplete answer; `undefined` if the run completed. */
function outcomeNote({ outcome, error }: Pick<RunReport, 'outcome' | 'error'>): string | undefined {
  if (outcome === 'completed') return undefined
  if (outcome === 'cancelled') return '_Stopped._'
  const reason = escapeSlack(oneLine(error?.message ?? '', 500), { atLineStart: false })
  if (hasAnswer(outcome)) return `_The answer is not complete. ${reason}_`.replace(' _', '_')
  return `:warning: **${TITLES.get(outcome) ?? 'The run failed.'}** ${reason}`.trimEnd()
}

const TITLES = new Map<RunReport['outcome'], string>([
  ['timeout', 'The time ran out.'],
  ['budget', 'The budget is used up.'],
  ['denied', 'This was not allowed.'],
])

/**
 * Returns the opening marks of the code block that is open at the end of a text, by the rules of CommonMark;
 * `undefined` if there is none.
 */
export function openFence(text: string): string | undefined {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(line) ?? []
    if (marks === '') continue
    if (open === undefined) open = marks.startsWith('`') && rest.includes('`') ? undefined : marks
    else if (marks.startsWith(open) && rest.trim() === '') open = undefined
  }
  return open
}

/** Returns the text that closes the code block at the end of a text; empty if none is open. */
function fenceEnd(text: string): string {
  const open = openFence(text)
  if (open === undefined) return ''
  return text.endsWith('\n') ? open : `\n${open}`
}
