import { isJsonObject, type ContentPart, type Json, type JsonObject, type Usage } from '@troupe/schema'
import {
  contentText,
  failureText,
  formatChange,
  formatCost,
  formatDuration,
  formatTokens,
  plainText,
  type AlignedPart,
  type AlignedRow,
  type AlignedRuns,
  type AlignedSide,
} from '@troupe/timeline'

/** Longest summary of the arguments of a call, in characters. */
const MAX_SUMMARY = 160
/** Longest text that is parsed as JSON, in characters. */
const MAX_PARSED = 100_000

/**
 * Returns the indexes of the rows to show: all, or the rows that differ and the rows above them, so that each
 * difference is shown in its place.
 */
export function shownRows({ rows }: AlignedRuns, onlyDifferences: boolean): readonly number[] {
  if (!onlyDifferences) return rows.map((_, index) => index)
  const shown = new Set<number>()
  for (const [index, { state }] of rows.entries()) {
    if (state === 'equal') continue
    for (let at = index; at >= 0 && !shown.has(at); at = rows[at]?.parent ?? -1) shown.add(at)
  }
  return [...shown].toSorted((a, b) => a - b)
}

/** Returns the next row that differs after `from`, or the previous one; `undefined` if there is none. */
export function nextDifference(
  { rows }: AlignedRuns,
  from: number,
  direction: 'next' | 'previous',
): number | undefined {
  const step = direction === 'next' ? 1 : -1
  for (let index = from + step; index >= 0 && index < rows.length; index += step)
    if (rows[index]?.state !== 'equal') return index
  return undefined
}

/** Returns the name of a side: the instance of an agent, or the name of a tool. */
export function sideName({ call, run }: AlignedSide): string {
  return run?.instance ?? call?.childInstance ?? call?.toolName ?? ''
}

/** Returns the input or the arguments of a side as one short line. */
export function sideSummary({ call, run }: AlignedSide): string {
  if (call === undefined) return plainText(run?.input ?? '', { max: MAX_SUMMARY })
  const values = Object.entries(call.args)
  const [first] = values
  const text = values.length === 1 ? valueText(first?.[1] ?? '') : compactText(call.args)
  return plainText(text, { max: MAX_SUMMARY })
}

/** Writes arguments in one line. Stops once the line is full. */
function compactText(args: JsonObject): string {
  let text = ''
  for (const [name, value] of Object.entries(args)) {
    if (text.length > MAX_SUMMARY) break
    text += `${text === '' ? '' : ', '}${name}: ${valueText(value)}`
  }
  return text
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A part of a row as text for both sides. `undefined` if a side has no such part. */
export interface ComparedText {
  readonly part: 'Input' | 'Arguments' | 'Result' | 'Answer'
  readonly left: string | undefined
  readonly right: string | undefined
}

/** Returns the texts of a row: arguments and result of a call, input and answer of a run. */
export function comparedTexts({ left, right }: AlignedRow): readonly ComparedText[] {
  const isCall = left?.call !== undefined || right?.call !== undefined
  const read = isCall
    ? ([
        ['Arguments', argumentsText],
        ['Result', resultText],
      ] as const)
    : ([
        ['Input', ({ run }: AlignedSide) => run?.input],
        ['Answer', answerText],
      ] as const)
  return read.map(([part, textOf]) => ({
    part,
    left: left === undefined ? undefined : textOf(left),
    right: right === undefined ? undefined : textOf(right),
  }))
}

function argumentsText({ call }: AlignedSide): string | undefined {
  return call === undefined ? undefined : objectText(call.args)
}

/** Writes an object with one member per line. Texts are not quoted, so that their lines can be compared. */
function objectText(value: JsonObject): string {
  return Object.entries(value)
    .map(([name, member]) => {
      if (typeof member !== 'string') return `${name}: ${JSON.stringify(member, null, 2)}`
      return member.includes('\n') ? `${name}:\n${member}` : `${name}: ${member}`
    })
    .join('\n')
}

function resultText({ call }: AlignedSide): string | undefined {
  if (call?.error !== undefined) return failureText(call.error)
  return call?.content === undefined ? undefined : contentOrJson(call.content)
}

function contentOrJson(content: readonly ContentPart[]): string {
  const text = contentText(content)
  if (!/^\s*[[{]/u.test(text) || text.length > MAX_PARSED) return text
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) ? objectText(value) : JSON.stringify(value, null, 2)
  } catch {
    // A text that only looks like JSON.
    return text
  }
}

function answerText({ run }: AlignedSide): string | undefined {
  if (run?.error !== undefined) return failureText(run.error)
  if (run?.output?.value !== undefined && isJsonObject(run.output.value)) return objectText(run.output.value)
  return run?.output?.text ?? run?.text
}

/** A measure of two runs and its change. */
export interface ComparedMeasure {
  readonly name: string
  readonly left: string
  readonly right: string
  readonly change: string
  /** True if the right side needs more. */
  readonly isMore: boolean
}

/** Returns time, tokens, cost and calls of both sides of a row. A measure that a side lacks is left out. */
export function comparedMeasures({ left, right }: AlignedRow): readonly ComparedMeasure[] {
  if (left === undefined || right === undefined) return []
  const isRun = left.run !== undefined || right.run !== undefined
  return [
    ...measure('Time', [left.durationMs, right.durationMs], formatDuration),
    ...(isRun
      ? [
          ...measure('Tokens', [tokensOf(left.usage), tokensOf(right.usage)], formatTokens),
          ...measure('Cost', [costOf(left.usage), costOf(right.usage)], formatCost),
          ...measure('Model calls', [left.usage.modelCalls, right.usage.modelCalls], String),
          ...measure('Tool calls', [left.usage.toolCalls, right.usage.toolCalls], String),
        ]
      : []),
  ]
}

function measure(
  name: string,
  [left, right]: readonly [left: number | undefined, right: number | undefined],
  format: (value: number) => string,
): readonly ComparedMeasure[] {
  if (left === undefined || right === undefined) return []
  const change = formatChange(right - left, format)
  return [{ name, left: format(left), right: format(right), change, isMore: right > left }]
}

function tokensOf({ input, output }: Usage): number {
  return input + output
}

/** Returns the cost in USD; `undefined` if the price of a call is not known. */
function costOf({ micros, unpriced }: Usage): number | undefined {
  return unpriced > 0 ? undefined : micros / 1_000_000
}

const PART_NAMES: Readonly<Record<AlignedPart, string>> = {
  agent: 'agent',
  input: 'input',
  arguments: 'arguments',
  result: 'result',
  answer: 'answer',
  outcome: 'outcome',
  model: 'model',
}

/** Returns how the two sides of a row differ, such as `arguments, result`. */
export function stateText({ state, differences }: Pick<AlignedRow, 'state' | 'differences'>): string {
  if (state === 'left') return 'only left'
  if (state === 'right') return 'only right'
  return state === 'equal' ? 'equal' : differences.map((part) => PART_NAMES[part]).join(', ')
}
