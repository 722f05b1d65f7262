import * as chat from '../src/chat/index.ts'
import * as entryPoint from '../src/index.ts'
import { expect, it } from 'vitest'

it('@troupe/headends exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'BodyTooLargeError',
    'LINK_LIFETIME_MS',
    'bearerChallenge',
    'bodyTooLarge',
    'createA2AHeadend',
    'createAgentMcp',
    'createAguiHeadend',
    'createAnthropicHeadend',
    'createApprovalLink',
    'createApprovalTracker',
    'createByteLimit',
    'createChatHeadend',
    'createEvalsHeadend',
    'createEventFeeds',
    'createHooksHeadend',
    'createMcpHeadend',
    'createOpenAIHeadend',
    'createPushHeadend',
    'createReadableRuns',
    'createRestHeadend',
    'createRunResources',
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
    'isLinkPath',
    'isOAuthMetadataPath',
    'isOpenA2APath',
    'isOperator',
    'linkUrl',
    'openApiParts',
    'postCommand',
    'retryHeader',
    'routes',
    'runForCaller',
    'servedAgent',
    'shellQuote',
    'statusOf',
    'storedWebPush',
  ])
})

it('@troupe/headends/chat exports exactly these names', () => {
  expect(Object.keys(chat).toSorted()).toEqual([
    'createByteLimit',
    'createChatRuns',
    'createChunkMapper',
    'errorResponse',
    'finishChunks',
    'isFailure',
  ])
})
