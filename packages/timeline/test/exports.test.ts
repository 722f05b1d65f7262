import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'accountsOf',
    'childrenOf',
    'correlationId',
    'emptyAccounts',
    'emptyTimeline',
    'eventCorrelation',
    'eventFields',
    'eventLine',
    'findRun',
    'formatCost',
    'formatDuration',
    'formatTokens',
    'ledgerOf',
    'plainText',
    'reduceAccounts',
    'reduceTimeline',
    'toRows',
  ])
})
