import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/timeline exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'accountsAt',
    'accountsOf',
    'childrenOf',
    'contentText',
    'correlationId',
    'countChildren',
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
    'xmlElement',
    'xmlSeconds',
    'xmlText',
  ])
})
