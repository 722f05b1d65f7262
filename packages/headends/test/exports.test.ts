import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'BEAT',
    'BEAT_MS',
    'BodyTooLargeError',
    'PATIENCE_MS',
    'createA2AHeadend',
    'createAgentMcp',
    'createAguiHeadend',
    'createAnthropicHeadend',
    'createChatHeadend',
    'createEventFeeds',
    'createMcpHeadend',
    'createOpenAIHeadend',
    'createRestHeadend',
    'createRunDesk',
    'createRunsHeadend',
    'createToolsHeadend',
    'errorBody',
    'errorResponse',
    'failureFor',
    'isFailure',
    'postCommand',
    'retryHeader',
    'shellQuote',
    'statusOf',
  ])
})
