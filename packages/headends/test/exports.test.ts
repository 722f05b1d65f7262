import * as entryPoint from '../src/index.ts'
import { expect, it } from 'vitest'

it('@troupe/headends exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'BodyTooLargeError',
    'bearerChallenge',
    'createA2AHeadend',
    'createAgentMcp',
    'createAguiHeadend',
    'createAnthropicHeadend',
    'createChatHeadend',
    'createEventFeeds',
    'createHooksHeadend',
    'createMcpHeadend',
    'createOpenAIHeadend',
    'createRestHeadend',
    'createRunService',
    'createRunsHeadend',
    'createSchedulesHeadend',
    'createToolsHeadend',
    'errorBody',
    'errorResponse',
    'eventStream',
    'failureFor',
    'isFailure',
    'isHookPath',
    'isOAuthMetadataPath',
    'isOperator',
    'openApiParts',
    'postCommand',
    'retryHeader',
    'routes',
    'runForCaller',
    'servedAgent',
    'shellQuote',
    'statusOf',
  ])
})
