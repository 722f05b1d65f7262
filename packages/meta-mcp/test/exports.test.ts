import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/meta-mcp exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'INPUT_REQUIRED_OPTIONS',
    'createMetaMcp',
    'createMetaMcpHandler',
    'createPendingCalls',
    'createRunningCall',
    'failedResult',
    'readContextId',
    'readExportedTools',
    'serveMetaMcpStdio',
    'supportsForms',
    'toCallResult',
  ])
})
