import type { ErrorCode, LimitsInput, Outcome } from '@troupe/schema'
import type { FakeAnswer } from '@troupe/testkit'
import { LONG_TEXT, TEXT, type FaultDialect } from './dialects.ts'

/** A fault of a provider and the expected outcome. */
export interface FaultRow {
  readonly name: string
  readonly answers: (dialect: FaultDialect) => readonly FakeAnswer[]
  readonly limits?: LimitsInput
  /** How long the provider stays silent, in ms. */
  readonly silence?: number
  /** Applies only to streamed answers. */
  readonly streamsOnly?: true
  readonly outcome: Outcome
  /** The failure code of the run, or `undefined` if the run has an answer. */
  readonly code?: ErrorCode
  readonly class?: string
  readonly requests: number
  /** The failure codes of the attempts that were retried. */
  readonly retries?: readonly ErrorCode[]
  /** Waits in ms: exact, or the largest that jitter may give. */
  readonly waits?: readonly ({ readonly exactly: number } | { readonly atMost: number })[]
  /** Requests that the client aborted before their answer was complete. Default: not checked. */
  readonly abandoned?: number
  /** Calls whose counts are estimated. */
  readonly estimated?: number
  /** True if the text of a failed streamed call is kept, in the ledger alone. */
  readonly partialText?: true
  readonly toolRuns?: number
}

const SAID: FakeAnswer = { text: TEXT }
const ADD: FakeAnswer = { calls: [{ name: 'add', args: { a: 1 } }] }
const LIMITED: FakeAnswer = { status: 429, message: 'Slow down.' }
const limited = (headers: Record<string, string>): readonly FakeAnswer[] => [{ ...LIMITED, headers }, SAID]
const thrice = (answer: FakeAnswer): readonly FakeAnswer[] => [answer, answer, answer]

const recovered = { outcome: 'completed', requests: 2 } as const
const jittered = [{ atMost: 2000 }] as const

/** Every row of the fault table. */
export const FAULT_ROWS: readonly FaultRow[] = [
  {
    name: '401',
    answers: () => [{ status: 401, message: `Incorrect API key provided: sk-team-0123456789abcdef.` }],
    outcome: 'failed',
    code: 'model_auth',
    class: 'auth',
    requests: 1,
  },
  {
    name: '403',
    answers: () => [{ status: 403, message: 'Not allowed.' }],
    outcome: 'failed',
    code: 'model_auth',
    class: 'auth',
    requests: 1,
  },
  {
    name: '404',
    answers: () => [{ status: 404, message: 'No such model.' }],
    outcome: 'failed',
    code: 'model_not_found',
    class: 'model',
    requests: 1,
  },
  {
    name: '429 without a header',
    answers: () => limited({}),
    ...recovered,
    retries: ['model_rate_limited'],
    waits: jittered,
  },
  {
    name: '429 with Retry-After: 1',
    answers: () => limited({ 'retry-after': '1' }),
    ...recovered,
    retries: ['model_rate_limited'],
    waits: [{ exactly: 1000 }],
  },
  {
    name: '429 with retry-after-ms',
    answers: () => limited({ 'retry-after-ms': '250', 'retry-after': '9' }),
    ...recovered,
    retries: ['model_rate_limited'],
    waits: [{ exactly: 250 }],
  },
  {
    name: '429 with Retry-After as a date',
    answers: () => limited({ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }),
    ...recovered,
    retries: ['model_rate_limited'],
    waits: [{ exactly: 7000 }],
  },
  {
    name: '429 with Retry-After: 90',
    answers: () => limited({ 'retry-after': '90' }),
    ...recovered,
    retries: ['model_rate_limited'],
    waits: [{ exactly: 90_000 }],
  },
  {
    name: '429 with Retry-After: 90 and a minute left',
    answers: () => limited({ 'retry-after': '90' }).slice(0, 1),
    limits: { timeout: '1m' },
    outcome: 'failed',
    code: 'model_rate_limited',
    class: 'model',
    requests: 1,
  },
  {
    name: '429, quota used up',
    answers: ({ quota }) => [quota],
    outcome: 'budget',
    code: 'model_quota_exceeded',
    class: 'budget',
    requests: 1,
  },
  {
    name: '500',
    answers: () => thrice({ status: 500, message: 'Oh.' }),
    outcome: 'failed',
    code: 'model_overloaded',
    class: 'model',
    requests: 3,
    retries: ['model_overloaded', 'model_overloaded'],
    waits: [{ atMost: 2000 }, { atMost: 4000 }],
  },
  {
    name: '529',
    answers: () => [{ status: 529, message: 'Overloaded.' }, SAID],
    ...recovered,
    retries: ['model_overloaded'],
    waits: jittered,
  },
  {
    name: '502, the page of a proxy',
    answers: () => thrice({ status: 502, errorPage: '<html>sk-team-0123456789abcdef</html>' }),
    outcome: 'failed',
    code: 'model_overloaded',
    class: 'model',
    requests: 3,
    retries: ['model_overloaded', 'model_overloaded'],
    waits: [{ atMost: 2000 }, { atMost: 4000 }],
  },
  {
    name: 'a malformed chunk',
    answers: ({ midText }) => [{ ...SAID, garbleAfter: midText }, SAID],
    ...recovered,
    retries: ['model_bad_stream'],
    waits: jittered,
    estimated: 1,
    partialText: true,
  },
  {
    name: 'a malformed chunk each time',
    answers: ({ midText }) => thrice({ ...SAID, garbleAfter: midText }),
    outcome: 'failed',
    code: 'model_bad_stream',
    class: 'model',
    requests: 3,
    retries: ['model_bad_stream', 'model_bad_stream'],
    waits: [{ atMost: 2000 }, { atMost: 4000 }],
    estimated: 3,
    partialText: true,
  },
  {
    name: 'the socket cut in the middle of a text',
    answers: ({ midText }) => [{ ...SAID, breakAfter: midText }, SAID],
    ...recovered,
    retries: ['model_unreachable'],
    waits: jittered,
    estimated: 1,
  },
  {
    name: 'the socket cut in the middle of a tool call',
    answers: ({ midCall }) => [{ ...ADD, breakAfter: midCall }, ADD, SAID],
    outcome: 'completed',
    requests: 3,
    retries: ['model_unreachable'],
    waits: jittered,
    estimated: 1,
    toolRuns: 1,
  },
  {
    name: 'an end in the middle of a tool call',
    answers: ({ midCall }) => [{ ...ADD, endAfter: midCall }, ADD, SAID],
    outcome: 'completed',
    requests: 3,
    retries: ['model_bad_stream'],
    waits: jittered,
    estimated: 1,
    toolRuns: 1,
  },
  {
    name: 'an end in the middle of a text',
    answers: ({ midText }) => thrice({ ...SAID, endAfter: midText }),
    outcome: 'failed',
    code: 'model_bad_stream',
    class: 'model',
    requests: 3,
    retries: ['model_bad_stream', 'model_bad_stream'],
    waits: [{ atMost: 2000 }, { atMost: 4000 }],
    estimated: 3,
    partialText: true,
  },
  {
    name: 'an error in the stream',
    answers: ({ midText }) => [
      { ...SAID, failAfter: { chunks: midText, status: 529, message: 'Overloaded.' } },
      SAID,
    ],
    ...recovered,
    retries: ['model_overloaded'],
    waits: jittered,
    estimated: 1,
    partialText: true,
  },
  {
    name: 'an empty answer',
    answers: () => [{}, SAID],
    ...recovered,
    retries: ['model_empty_answer'],
    waits: [{ exactly: 0 }],
  },
  {
    name: 'two empty answers',
    answers: () => [{}, {}],
    outcome: 'failed',
    code: 'model_empty_answer',
    class: 'model',
    requests: 2,
    retries: ['model_empty_answer'],
    waits: [{ exactly: 0 }],
  },
  {
    name: 'wrong arguments',
    answers: () => [{ calls: [{ name: 'add', args: { a: 'x' } }] }, ADD, SAID],
    outcome: 'completed',
    requests: 3,
    toolRuns: 1,
  },
  {
    name: 'wrong arguments each time',
    answers: () => thrice({ calls: [{ name: 'add', args: { a: 'x' } }] }),
    outcome: 'failed',
    code: 'tool_bad_arguments',
    class: 'tool',
    requests: 3,
  },
  {
    name: 'an unknown tool',
    answers: () => [{ calls: [{ name: 'addd', args: { a: 1 } }] }, SAID],
    ...recovered,
  },
  {
    name: 'a tool that throws',
    answers: () => [{ calls: [{ name: 'add', args: { a: 13 } }] }, SAID],
    ...recovered,
    toolRuns: 1,
  },
  {
    name: 'an endless loop of tools',
    answers: () => [ADD, ADD, SAID],
    limits: { maxTurns: 2 },
    outcome: 'partial',
    code: 'turns_exceeded',
    class: 'limit',
    requests: 3,
    toolRuns: 1,
  },
  {
    name: 'no answer at all',
    answers: () => [{ ...SAID, until: new Promise(() => undefined) }],
    limits: { maxRetries: 0 },
    silence: 60_000,
    outcome: 'timeout',
    code: 'model_timeout',
    class: 'timeout',
    requests: 1,
    abandoned: 1,
    estimated: 1,
  },
  {
    name: 'silence in the middle',
    answers: ({ midText }) => [{ ...SAID, stallAfter: midText }],
    limits: { maxRetries: 0 },
    silence: 30_000,
    outcome: 'timeout',
    code: 'model_timeout',
    class: 'timeout',
    requests: 1,
    abandoned: 1,
    estimated: 1,
    partialText: true,
  },
  {
    name: 'an answer without an end',
    answers: ({ midText }) => [{ text: LONG_TEXT, repeat: midText }],
    outcome: 'failed',
    code: 'model_output_too_long',
    class: 'limit',
    requests: 1,
    abandoned: 1,
    estimated: 1,
    partialText: true,
  },
  {
    name: 'a prompt that is too long',
    answers: ({ overflow }) => [overflow],
    outcome: 'failed',
    code: 'context_overflow',
    class: 'model',
    requests: 1,
  },
  {
    name: 'no usage, or a wrong one',
    answers: ({ provider }) => [
      { ...SAID, usage: provider === 'anthropic' ? { input: 0, output: 0 } : 'none' },
    ],
    outcome: 'completed',
    requests: 1,
    estimated: 1,
  },
  {
    name: 'JSON in place of a stream',
    answers: () => [{ ...SAID, neverStreams: true }],
    streamsOnly: true,
    outcome: 'failed',
    code: 'model_bad_request',
    class: 'model',
    requests: 1,
    abandoned: 0,
    estimated: 1,
  },
]
