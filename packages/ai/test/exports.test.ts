import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/ai exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'agentTool',
    'createChatHandler',
    'fromAiAgent',
    'fromAiModel',
    'fromAiProvider',
    'fromAiTools',
    'streamRun',
  ])
})
