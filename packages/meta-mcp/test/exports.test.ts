import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('exports these names and no others', () => {
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
