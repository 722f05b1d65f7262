import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/meta-mcp exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'INPUT_REQUIRED_OPTIONS',
    'PROMPT_CAPABILITIES',
    'RESOURCE_CAPABILITIES',
    'TASK_CAPABILITIES',
    'createMetaMcp',
    'createMetaMcpHandler',
    'createPendingCalls',
    'createRunningCall',
    'declaresTasks',
    'failedResult',
    'questionForm',
    'readAnswer',
    'readCallTrace',
    'readContextId',
    'readExportedTools',
    'readWaitingAnswer',
    'resourceContent',
    'runFileUri',
    'serveMetaMcpStdio',
    'servePrompts',
    'serveResources',
    'serveTasks',
    'supportsForms',
    'supportsTasks',
    'toCallResult',
    'toTaskNotification',
    'toTaskResult',
    'waitingForms',
  ])
})
