import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/hooks exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'STOCK_HOOKS',
    'TEXT_KINDS',
    'approve',
    'audit',
    'cache',
    'clamp',
    'deny',
    'hookReach',
    'rateLimit',
    'redact',
    'replaceMatches',
    'retry',
    'runHookChain',
  ])
})
