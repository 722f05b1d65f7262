import { expect, it } from 'vitest'
import { formatChange, formatCost, formatDuration, formatTokens } from '../src/index.ts'

it('formatDuration formats durations', () => {
  expect([0, 999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 9_000_000].map(formatDuration)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 m 00 s',
    '59 m 59 s',
    '1 h 00 m',
    '2 h 30 m',
  ])
})

it('formatCost formats costs, and does not show an unknown cost as zero', () => {
  expect([0, 0.00002, 0.00012, 0.5, 3, null].map(formatCost)).toEqual([
    '$0.00',
    '<$0.0001',
    '$0.0001',
    '$0.5000',
    '$3.00',
    'price unknown',
  ])
})

it('formatTokens formats token counts', () => {
  expect([0, 999, 1000, 12_345, 999_949, 999_950, 2_500_000].map(formatTokens)).toEqual([
    '0',
    '999',
    '1.0k',
    '12.3k',
    '999.9k',
    '1.00M',
    '2.50M',
  ])
})

it('formatChange writes the sign of a change, and none if nothing changed', () => {
  expect([1234, -1234, 0].map((change) => formatChange(change, formatTokens))).toEqual([
    '+1.2k',
    '−1.2k',
    '±0',
  ])
  expect([0.2, -0.4, 30].map((change) => formatChange(change, formatDuration))).toEqual([
    '±0',
    '±0',
    '+30 ms',
  ])
  expect([0.00002, -0.00002, 0.5].map((change) => formatChange(change, formatCost))).toEqual([
    '±0',
    '±0',
    '+$0.5000',
  ])
})
