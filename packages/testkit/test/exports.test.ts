import { expect, it } from 'vitest'
import * as contracts from '../src/contracts/index.ts'
import * as entryPoint from '../src/index.ts'
import * as internal from '../src/internal.ts'
import * as postgres from '../src/postgres/index.ts'
import * as slack from '../src/slack/index.ts'
import * as teams from '../src/teams/index.ts'

it('@troupe/testkit exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'collectRun',
    'expectRun',
    'replayRun',
    'scriptedModel',
    'startFakeAnthropic',
    'startFakeAzure',
    'startFakeBedrock',
    'startFakeDeepSeek',
    'startFakeGoogle',
    'startFakeGroq',
    'startFakeMistral',
    'startFakeOllama',
    'startFakeOpenAI',
    'startFakeVertex',
    'startMcpServer',
  ])
  expect(Object.keys(internal).toSorted()).toEqual([
    'HAS_PYTHON',
    'HOSTILE_SCHEMAS',
    'HOSTILE_TEXTS',
    'HOSTILE_VALIDATIONS',
    'PYTHON_NOTE',
    'advanceUntil',
    'deferred',
    'fakeClock',
    'faultMcpStdio',
    'findProcesses',
    'heldClock',
    'leakCheck',
    'recordEvents',
    'recordFigures',
    'sampleEvent',
    'settle',
    'spanTree',
    'startFaultMcpHttp',
    'startOtlpReceiver',
    'startProtectedServer',
    'tempProject',
    'verifies',
  ])
  expect(Object.keys(teams).toSorted()).toEqual(['SYSTEM_CLOCK', 'leadAndClerks', 'oneAgent', 'toModelIds'])
  expect(Object.keys(contracts)).toEqual([
    'executorContract',
    'runStoreContract',
    'scheduleContract',
    'sharedStoreContract',
  ])
  expect(Object.keys(postgres).toSorted()).toEqual([
    'HAS_POSTGRES',
    'POSTGRES_NOTE',
    'createDatabase',
    'setup',
    'startPostgres',
  ])
  expect(Object.keys(slack).toSorted()).toEqual([
    'ACME',
    'buttonOf',
    'clickPayload',
    'commandPayload',
    'eventRequirements',
    'mentionPayload',
    'messagePayload',
    'neededScopes',
    'startFakeSlack',
    'viewPayload',
  ])
})
