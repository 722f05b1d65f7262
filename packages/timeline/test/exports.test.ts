import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/timeline exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'accountsAt',
    'accountsOf',
    'callLines',
    'alignRuns',
    'childrenOf',
    'contentText',
    'correlationId',
    'countChildren',
    'describeCall',
    'emptyAccounts',
    'emptyTimeline',
    'eventCorrelation',
    'eventFields',
    'eventLine',
    'eventText',
    'failureText',
    'findRun',
    'formatChange',
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
    'visibleText',
    'xmlElement',
    'xmlSeconds',
    'xmlText',
  ])
})
