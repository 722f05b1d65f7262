import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'PERSON_ROUNDS',
    'canBeAsked',
    'createHeldCalls',
    'createMetaMcp',
    'createMetaMcpHandler',
    'createRunningCall',
    'failedResult',
    'givenContext',
    'readExportedTools',
    'serveMetaMcpStdio',
    'toCallResult',
  ])
})
