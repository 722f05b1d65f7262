import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'accountsAt',
    'accountsOf',
    'childrenOf',
    'contentText',
    'correlationId',
    'emptyAccounts',
    'emptyTimeline',
    'eventCorrelation',
    'eventFields',
    'eventLine',
    'eventText',
    'failureText',
    'findRun',
    'formatCost',
    'formatDuration',
    'formatTokens',
    'historyOf',
    'ledgerOf',
    'logRecord',
    'plainText',
    'reduceAccounts',
    'reduceTimeline',
    'toRows',
  ])
})
