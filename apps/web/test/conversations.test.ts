import type { SessionBranch, SessionSummary } from '@troupe/client'
import { describe, expect, it } from 'vitest'
import { addFiles, bytesForFiles, toBase64, typeOf } from '../src/chat/attachments.ts'
import { contextUse, conversationCost } from '../src/chat/conversation-meters.ts'
import { originOf, sessionChain, versionsOf } from '../src/chat/conversation-tree.ts'
import { fileNameOf, toMarkdown } from '../src/chat/export-conversation.ts'
import {
  createQueueStore,
  holdQueue,
  nextMessage,
  releaseQueue,
  withMessage,
  withoutMessage,
  type QueuedMessage,
} from '../src/chat/message-queue.ts'
import {
  addSessionPage,
  dayLabel,
  nameOfSession,
  refreshSessions,
  sessionRows,
} from '../src/chat/session-rows.ts'
import { EMPTY_RUN_VIEW_STATE, type RunViewState } from '../src/reducers/run-view-state.ts'

const NOON = new Date(2026, 10, 28, 12).getTime()
const HOUR = 60 * 60 * 1000

function session(sessionId: string, changedAt = NOON): SessionSummary {
  return { sessionId, agent: 'Lead', title: sessionId, archived: false, changedAt, state: 'completed' }
}

describe('the list of conversations', () => {
  it('conversations are grouped by day, with one heading for each group', () => {
    const list = [session('a'), session('b', NOON - HOUR), session('c', NOON - 20 * HOUR)]
    expect(sessionRows(list, NOON).map(({ key }) => key)).toEqual([
      'day Today',
      'a',
      'b',
      'day Yesterday',
      'c',
    ])
    const ages = [0, 13, 3 * 24, 10 * 24].map((hours) => dayLabel(NOON - hours * HOUR, NOON))
    expect(ages).toEqual(['Today', 'Yesterday', 'Last 7 days', 'Last 30 days'])
    expect(dayLabel(new Date(2026, 2, 1).getTime(), NOON)).toContain('2026')
  })

  it('a conversation has its name, else its first message, else a word', () => {
    expect(nameOfSession({ name: 'Trip', title: 'Hi' })).toBe('Trip')
    expect(nameOfSession({ title: 'Hi' })).toBe('Hi')
    expect(nameOfSession({ title: ' ' })).toBe('Untitled')
  })

  it('a conversation that is on two pages is listed once, at its newer place', () => {
    const first = { sessions: [session('a', 9), session('b', 8)], next: 'run_b' }
    const second = { sessions: [session('a', 3), session('c', 2)] }
    expect(addSessionPage(first, second)).toEqual({
      sessions: [session('a', 9), session('b', 8), session('c', 2)],
    })
  })

  it('a refresh replaces the newest conversations and keeps the older ones that were loaded', () => {
    const loaded = { sessions: [session('a', 9), session('b', 8), session('c', 2)], next: 'run_c' }
    const newest = { sessions: [session('b', 10), session('a', 9)], next: 'run_a' }
    expect(refreshSessions(loaded, newest)).toEqual({
      sessions: [session('b', 10), session('a', 9), session('c', 2)],
      next: 'run_c',
    })
    expect(refreshSessions(loaded, { sessions: [] })).toEqual({ sessions: [] })
  })
})

describe('versions of a message', () => {
  const BRANCHES: readonly SessionBranch[] = [
    { sessionId: 'b', branchOf: { sessionId: 'a', runId: 'a2' } },
    { sessionId: 'c', branchOf: { sessionId: 'a', runId: 'a2' } },
    { sessionId: 'd', branchOf: { sessionId: 'c', runId: 'c2' } },
  ]

  it('a branch is shown after the runs of the sessions that it branches off', () => {
    expect(sessionChain('a', BRANCHES)).toEqual([{ sessionId: 'a' }])
    expect(sessionChain('d', BRANCHES)).toEqual([
      { sessionId: 'a', until: 'a2' },
      { sessionId: 'c', until: 'c2' },
      { sessionId: 'd' },
    ])
  })

  it('sessions that branch off each other in a circle end the chain', () => {
    const circle = [
      { sessionId: 'x', branchOf: { sessionId: 'y', runId: '1' } },
      { sessionId: 'y', branchOf: { sessionId: 'x', runId: '2' } },
    ]
    expect(sessionChain('x', circle).map(({ sessionId }) => sessionId)).toEqual(['y', 'x'])
  })

  it('the original and each branch are versions of a message, in order', () => {
    const sessionIds = ['a', 'b', 'c']
    const original = { runId: 'a2', sessionId: 'a', isFirst: false }
    expect(versionsOf(original, BRANCHES)).toEqual({ sessionIds, index: 0 })
    expect(versionsOf({ runId: 'b1', sessionId: 'b', isFirst: true }, BRANCHES)).toEqual({
      sessionIds,
      index: 1,
    })
    expect(versionsOf({ runId: 'a1', sessionId: 'a', isFirst: true }, BRANCHES)).toBeUndefined()
    expect(versionsOf({ runId: 'b2', sessionId: 'b', isFirst: false }, BRANCHES)).toBeUndefined()
  })

  it('another version of the first message of a branch replaces the same message as the branch', () => {
    expect(originOf({ runId: 'b1', sessionId: 'b', isFirst: true }, BRANCHES)).toEqual({
      sessionId: 'a',
      runId: 'a2',
    })
    expect(originOf({ runId: 'b2', sessionId: 'b', isFirst: false }, BRANCHES)).toEqual({
      sessionId: 'b',
      runId: 'b2',
    })
  })
})

describe('the queue of messages', () => {
  const message = (id: string): QueuedMessage => ({
    id,
    text: id,
    files: [],
    settings: { budget: {}, model: undefined },
    state: 'waiting',
  })

  it('messages are sent in order, one at a time', () => {
    const queue = [message('1'), message('2')]
    expect(nextMessage(queue)?.id).toBe('1')
    expect(nextMessage(withMessage(queue, '1', { state: 'sending' }))).toBeUndefined()
    expect(nextMessage(withoutMessage(queue, '1'))?.id).toBe('2')
  })

  it('a message that could not be sent holds back the later ones until it is released', () => {
    const failure = { class: 'network', code: 'server_unreachable', message: 'x' } as const
    const held = withMessage([message('1'), message('2')], '1', { state: 'held', failure })
    expect(nextMessage(held)).toBeUndefined()
    expect(releaseQueue(held)).toEqual([message('1'), message('2')])
    expect(nextMessage(holdQueue([message('1')]))).toBeUndefined()
    expect(holdQueue([{ ...message('1'), state: 'sending' }])[0]?.state).toBe('sending')
  })

  it('each conversation has its own queue, and listeners are called on a change', () => {
    const store = createQueueStore()
    let calls = 0
    const stop = store.subscribe(() => (calls += 1))
    store.change('a', (queue) => [...queue, message('1')])
    expect([store.get('a').length, store.get('b').length, calls]).toEqual([1, 0, 1])
    stop()
    store.change('a', () => [])
    expect([store.get('a'), calls]).toEqual([store.get('b'), 1])
  })
})

describe('files of a message', () => {
  let ids = 0
  const limit = (maxBytes: number) => ({ maxBytes, newId: () => `file ${(ids += 1)}` })
  const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0])

  it('images, documents and texts are accepted, and other files are not', () => {
    expect(typeOf('image/png', PNG)).toBe('image/png')
    expect(typeOf('text/csv;charset=utf-8', new TextEncoder().encode('a,b'))).toBe('text/csv')
    expect(typeOf('text/x-python', new TextEncoder().encode('print(1)'))).toBe('text/plain')
    expect(typeOf('', new TextEncoder().encode('grüße'))).toBe('text/plain')
    expect(typeOf('image/svg+xml', new TextEncoder().encode('<svg/>'))).toBe('text/plain')
    expect(typeOf('application/zip', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0xff]))).toBeUndefined()
  })

  it('files are added until the request is full, and each other file has a reason', async () => {
    const note = new File(['hello'], 'note.txt', { type: 'text/plain' })
    const large = new File(['x'.repeat(2000)], 'large.txt', { type: 'text/plain' })
    const empty = new File([], 'empty.txt')
    const zip = new File([new Uint8Array([0x50, 0x4b, 0, 0xff])], 'all.zip', { type: 'application/zip' })
    const { files, problems } = await addFiles([], [note, large, empty, zip], limit(1000))
    expect(files).toMatchObject([{ name: 'note.txt', mediaType: 'text/plain', data: 'aGVsbG8=', size: 5 }])
    expect(problems).toEqual([
      'large.txt: 2 kB is too large. The server accepts 1 kB of files with a message, and 995 B of these are left.',
      'empty.txt: the file is empty.',
      'all.zip: not an image (PNG, JPEG, WebP, GIF), a PDF, a WAV or MP3 recording, or a text file.',
    ])
  })

  it('a message has at most 20 files', async () => {
    const note = (index: number): File => new File(['x'], `${index}.txt`, { type: 'text/plain' })
    const { files, problems } = await addFiles(
      [],
      Array.from({ length: 21 }, (_, index) => note(index)),
      limit(1000),
    )
    expect([files.length, problems]).toEqual([20, ['20.txt: a message can have 20 files.']])
  })

  it('large files are encoded whole, and the size leaves room for the message', () => {
    const bytes = new Uint8Array(100_000).fill(7)
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
    expect(bytesForFiles(1024 * 1024)).toBe(737_280)
    expect(bytesForFiles(10)).toBe(0)
  })
})

describe('the file of a conversation', () => {
  it('the Markdown of a conversation has a heading for each message and each answer', () => {
    const run = {
      runId: 'run_1',
      agent: 'Lead',
      state: 'completed',
      sessionId: 'a',
      startedAt: 0,
      input: 'Hi\n',
      detail: 'full',
      approvals: [],
      lastSeq: 1,
    } as const
    const failed = {
      ...run,
      error: { code: 'internal', class: 'internal', message: 'No key.', remediation: '' },
    }
    const text = toMarkdown({
      sessionId: 'a',
      name: 'A\ntrip',
      runs: [{ ...run, output: { format: 'text', text: 'Hello.' } }, failed] as never,
    })
    expect(text).toBe(
      [
        '# A trip',
        '## You, 1970-01-01T00:00:00.000Z',
        'Hi',
        '## Lead',
        'Hello.',
        '## You, 1970-01-01T00:00:00.000Z',
        'Hi',
        '## Lead',
        'No answer: No key.\n',
      ].join('\n\n'),
    )
  })

  it('the name of the file has no characters that file systems reject', () => {
    expect(fileNameOf('../a: "trip" <to> Oslo?', 'md')).toBe('a trip to Oslo.md')
    expect(fileNameOf('***', 'json')).toBe('conversation.json')
    expect(fileNameOf('旅'.repeat(100), 'md')).toBe(`${'旅'.repeat(60)}.md`)
  })
})

describe('the meters of a conversation', () => {
  it('the cost is the sum of all messages, and a lower bound if a price is unknown', () => {
    expect(conversationCost([0.1, undefined, 0.02], undefined)).toEqual({
      usd: 0.12000000000000001,
      isLowerBound: false,
    })
    expect(conversationCost([0.1, null], EMPTY_RUN_VIEW_STATE)).toEqual({ usd: 0.1, isLowerBound: true })
  })

  it('the context is that of the last model call, with the window of its model or its alias', () => {
    const run = { runId: 'r', rootRunId: 'r' }
    const call = {
      from: 0,
      to: 1,
      turn: 1,
      model: 'test/small',
      inputTokens: 900,
      outputTokens: 100,
      cost: 0,
    }
    const viewState = {
      ...EMPTY_RUN_VIEW_STATE,
      timeline: { ...EMPTY_RUN_VIEW_STATE.timeline, rootRunId: 'r', runs: [run] },
      spans: new Map([['r', { models: [{ ...call, inputTokens: 1 }, call], calls: [], waits: [] }]]),
    } as unknown as RunViewState
    expect(contextUse(viewState, [])).toEqual({ tokens: 1000, window: undefined })
    const models = [{ id: 'fast', means: ['test/small'], contextWindow: 8000 }]
    expect(contextUse(viewState, models)).toEqual({ tokens: 1000, window: 8000 })
    expect(contextUse(EMPTY_RUN_VIEW_STATE, models)).toBeUndefined()
  })
})
