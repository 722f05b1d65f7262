import { setTimeout as wait } from 'node:timers/promises'
import { createHost } from '@troupe/host'
import { defineAgent, defineTool, toolResult, type LimitsInput, type RunReport } from '@troupe/schema'
import { type FakeAnswer, type FakeProvider } from '@troupe/testkit'
import { fakeClock, recordEvents, settle, type FakeClock } from '@troupe/testkit/internal'
import type { FaultDialect } from './dialects.ts'

/** A recognisable key, so that a test finds every copy of it. */
export const KEY = 'sk-team-0123456789abcdef'
const START = Date.UTC(2026, 0, 1)
/** Turns of the event loop in which data arrives over a socket of this process. */
const SETTLE_TURNS = 100
/** The longest wait for connections to close, in turns of a ms or more. */
const MOST_TRIES = 50_000

/** One case of the matrix. */
export interface FaultCase {
  readonly dialect: FaultDialect
  /** The setting of the configuration; `undefined` leaves the default of a run without a listener. */
  readonly streams: boolean | undefined
  readonly answers: readonly FakeAnswer[]
  readonly limits?: LimitsInput
  /** The time to advance before the limit of a silent provider applies, in ms. */
  readonly silence?: number
}

/** The outcome of a case. */
export interface FaultRecord {
  readonly report: RunReport
  readonly requests: FakeProvider['requests']
  readonly record: ReturnType<typeof recordEvents>
  /** Waits before further attempts, in ms. */
  readonly delays: readonly number[]
  /** Requests that had been made when each wait was about to end. */
  readonly requestsBefore: readonly number[]
  /** Everything that a user or a log can read of the run. */
  readonly seen: string
  /** The number of tool calls that ran. */
  readonly toolRuns: number
}

/** Runs an agent with one tool against a provider that fails as scripted: real sockets, the real adapters, and a clock that only the test advances. */
export async function runFault(fault: FaultCase): Promise<FaultRecord> {
  const { dialect, streams, answers, limits = {} } = fault
  const fake = await dialect.start({ answers })
  const clock = fakeClock(START)
  const record = recordEvents()
  let toolRuns = 0
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    execute: ({ a }) => {
      toolRuns += 1
      if (a === 13) throw new Error('no luck\n    at secret (/srv/team/secret.ts:1:2)')
      return toolResult.text('4')
    },
  })
  const agent = defineAgent({
    name: 'A',
    instruction: 'You count.',
    model: `${dialect.provider}/fake-model`,
    functionTools: [add],
    limits,
  })
  const provider = {
    ...dialect.config,
    baseURL: fake.baseURL,
    ...(streams === undefined ? {} : { stream: streams }),
  }
  const host = await createHost({
    cards: [agent],
    cwd: '/',
    config: { providers: { [dialect.provider]: provider } },
    env: { [dialect.keyVariable]: KEY },
    clock,
  })
  const waits = { delays: [] as number[], requestsBefore: [] as number[] }
  try {
    const running = host.run(undefined, 'count', {
      deltas: streams !== undefined,
      onEvent: (event) => {
        record.listener(event)
        if (event.type === 'model-retry') void passWait(event.delayMs, { clock, fake, waits })
      },
    })
    if (fault.silence !== undefined) await passSilence(fault.silence, { clock, fake })
    const report = await running
    await untilClosed(fake)
    const seen = JSON.stringify([report, record.events])
    return { report, requests: [...fake.requests], record, ...waits, seen, toolRuns }
  } finally {
    await host.close()
    await fake.close()
  }
}

/** Waits for connections to close; the test detects one that stays open. */
async function untilClosed({ requests }: FakeProvider): Promise<void> {
  await settle(SETTLE_TURNS)
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (requests.every(({ endedAt }) => endedAt !== undefined)) return
    await wait(1)
  }
}

/** Advances to the last ms of a wait, in which no request may be sent, then to its end. */
async function passWait(
  delayMs: number,
  {
    clock,
    fake,
    waits,
  }: {
    readonly clock: FakeClock
    readonly fake: FakeProvider
    readonly waits: { readonly delays: number[]; readonly requestsBefore: number[] }
  },
): Promise<void> {
  waits.delays.push(delayMs)
  await new Promise(setImmediate)
  if (delayMs > 1) await clock.advance(delayMs - 1)
  waits.requestsBefore.push(fake.requests.length)
  await clock.advance(1)
}

/** Advances the time that a provider may be silent, once it has sent everything. */
async function passSilence(
  ms: number,
  { clock, fake }: { readonly clock: FakeClock; readonly fake: FakeProvider },
): Promise<void> {
  while (fake.requests.length === 0) await wait(1)
  await settle(SETTLE_TURNS)
  await clock.advance(ms)
}
