import type { JsonObject } from '@troupe/schema'
import { NO_USAGE } from '@troupe/schema'
import type { AlignedRow, AlignedRuns, AlignedSide } from '@troupe/timeline'
import { expect, it } from 'vitest'
import {
  comparedMeasures,
  comparedTexts,
  nextDifference,
  shownRows,
  sideSummary,
  stateText,
} from '../src/compare/comparison-view.ts'
import { diffTexts, MAX_DIFF_LENGTH, type DiffPiece } from '../src/compare/diff-texts.ts'

const COMPARISON: AlignedRuns = {
  rows: [
    row(-1, 'equal'),
    row(0, 'equal'),
    row(1, 'changed'),
    row(0, 'equal'),
    row(3, 'equal'),
    row(0, 'right'),
  ],
  counts: { equal: 4, changed: 1, left: 0, right: 1 },
}

it('only differences keeps the rows above a difference, so that its place is visible', () => {
  expect(shownRows(COMPARISON, true)).toEqual([0, 1, 2, 5])
  expect(shownRows(COMPARISON, false)).toHaveLength(6)
  expect(shownRows({ rows: [row(-1, 'equal')], counts: COMPARISON.counts }, true)).toEqual([])
})

it('the next difference is found in both directions, and none is found after the last', () => {
  expect(nextDifference(COMPARISON, 0, 'next')).toBe(2)
  expect(nextDifference(COMPARISON, 2, 'next')).toBe(5)
  expect(nextDifference(COMPARISON, 5, 'next')).toBeUndefined()
  expect(nextDifference(COMPARISON, 5, 'previous')).toBe(2)
})

it('arguments are compared with one member per line and without quotes', () => {
  const { left } = {
    left: callSide({ path: 'a.md', text: 'one\ntwo', count: 2 }),
  }
  expect(comparedTexts({ ...row(0, 'left'), left })).toEqual([
    { part: 'Arguments', left: 'path: a.md\ntext:\none\ntwo\ncount: 2', right: undefined },
    { part: 'Result', left: 'temperature: 9', right: undefined },
  ])
  expect(sideSummary(left)).toBe('path: a.md, text: one two, count: 2')
})

it('the measures of a row have their change, and an unknown price has none', () => {
  const side = (input: number, micros: number, unpriced: number): AlignedSide => ({
    ...callSide({}),
    run: { runId: 'r' } as NonNullable<AlignedSide['run']>,
    usage: { ...NO_USAGE, input, micros, unpriced },
    durationMs: 1000 + input,
  })
  const measures = comparedMeasures({
    ...row(0, 'changed'),
    left: side(500, 10_000, 0),
    right: side(2500, 4000, 0),
  })
  expect(measures.slice(0, 3)).toEqual([
    { name: 'Time', left: '1.5 s', right: '3.5 s', change: '+2.0 s', isMore: true },
    { name: 'Tokens', left: '500', right: '2.5k', change: '+2.0k', isMore: true },
    { name: 'Cost', left: '$0.0100', right: '$0.0040', change: '−$0.0060', isMore: false },
  ])
  const unknown = comparedMeasures({ ...row(0, 'changed'), left: side(1, 1, 1), right: side(1, 1, 0) })
  expect(unknown.map(({ name }) => name)).not.toContain('Cost')
})

it('the state of a row names the parts that differ', () => {
  expect(stateText({ state: 'changed', differences: ['arguments', 'result'] })).toBe('arguments, result')
  expect(stateText({ state: 'left', differences: [] })).toBe('only left')
})

it('short texts are compared word by word, and both sides keep their whole text', async () => {
  const diff = await diffTexts('a grey ship', 'a blue ship')
  expect(diff?.left.map(mark)).toEqual(['a ', '*grey*', ' ship'])
  expect(diff?.right.map(mark)).toEqual(['a ', '*blue*', ' ship'])
})

it('long texts are compared line by line', async () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line number ${index}`)
  const diff = await diffTexts(lines.join('\n'), lines.with(500, 'another line').join('\n'))
  expect(diff?.left.filter(({ isChanged }) => isChanged)).toEqual([
    { text: 'line number 500\n', isChanged: true },
  ])
})

it('texts that are too long or too different are not compared', async () => {
  expect(await diffTexts('a'.repeat(MAX_DIFF_LENGTH + 1), 'b')).toBeUndefined()
  const words = (prefix: string): string =>
    Array.from({ length: 1500 }, (_, index) => `${prefix}${index}`)
      .join(' ')
      .slice(0, 8000)
  expect(await diffTexts(words('a'), words('b'))).toBeUndefined()
})

function mark({ text, isChanged }: DiffPiece): string {
  return isChanged ? `*${text}*` : text
}

function row(parent: number, state: AlignedRow['state']): AlignedRow {
  return { depth: parent + 1, parent, state, differences: [] }
}

function callSide(args: JsonObject): AlignedSide {
  return {
    call: {
      callId: '1.1',
      correlationId: 'root:1.1',
      toolName: 'write',
      source: 'function',
      args,
      turn: 1,
      state: 'done',
      attempts: 1,
      content: [{ type: 'text', text: '{"temperature": 9}' }],
    },
    usage: NO_USAGE,
  }
}
