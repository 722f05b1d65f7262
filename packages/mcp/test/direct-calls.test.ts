import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { failure, type Failure, type JsonObject, type CancellationToken } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { DirectCalls } from '../src/stdio/direct-calls.ts'
import { plainResult } from '../src/calls/plain-result.ts'

interface Sent {
  readonly id?: number
  readonly method: string
  readonly params: JsonObject
}

function wire(envelope?: JsonObject) {
  const sent: Sent[] = []
  const calls = new DirectCalls({
    envelope,
    send: (message) => Promise.resolve(void sent.push(message as unknown as Sent)),
  })
  const take = (message: object): boolean => calls.take({ jsonrpc: '2.0', ...message } as JSONRPCMessage)
  return { sent, calls, take }
}

function stoppable(): CancellationToken & { stop(): void } {
  const listeners = new Set<(reason: Failure) => void>()
  let reason: Failure | undefined
  return {
    get reason() {
      return reason
    },
    onCancel(fn) {
      listeners.add(fn)
      return () => listeners.delete(fn)
    },
    stop() {
      reason = failure('tool_timeout', 'too late')
      for (const listener of listeners) listener(reason)
    },
  }
}

const call = (over: object = {}) => ({
  name: 'act',
  args: { n: 1 },
  stop: stoppable(),
  onProgress: () => undefined,
  ...over,
})

describe('calls past the SDK', () => {
  it('are sent as the SDK sends them, each with an id that it never uses', async () => {
    const { sent, calls, take } = wire({ version: 'x' })
    const answers = [calls.call(call()), calls.call(call({ name: 'other' }))]
    const [first, second] = sent.map(({ id }) => id)
    expect(sent[0]).toEqual({
      jsonrpc: '2.0',
      id: first,
      method: 'tools/call',
      params: { name: 'act', arguments: { n: 1 }, _meta: { version: 'x', progressToken: String(first) } },
    })
    expect(take({ id: second, result: { content: [] } })).toBe(true)
    expect(take({ id: first, error: { code: 1, message: 'no' } })).toBe(true)
    expect(await Promise.all(answers)).toMatchObject([{ error: { message: 'no' } }, { result: {} }])
  })

  it('leave to the SDK what is not theirs', () => {
    const { take } = wire()
    expect(take({ id: 3, result: {} })).toBe(false)
    expect(take({ id: 'listen', result: {} })).toBe(false)
    expect(take({ id: 7, method: 'elicitation/create', params: {} })).toBe(false)
    expect(take({ method: 'notifications/progress', params: { progressToken: 4, progress: 1 } })).toBe(false)
  })

  it('hear of their progress, also from a server that makes a number of their token', () => {
    const { sent, calls, take } = wire()
    const told: JsonObject[] = []
    void calls.call(call({ onProgress: (params: JsonObject) => told.push(params) }))
    const id = sent[0]?.id
    const progress = (progressToken: unknown, done: number): boolean =>
      take({ method: 'notifications/progress', params: { progressToken, progress: done } })
    expect(progress(String(id), 1)).toBe(true)
    expect(progress(id, 2)).toBe(true)
    for (const foreign of ['', 'x', null, {}, [id]]) expect(progress(foreign, 3)).toBe(false)
    expect(told).toEqual([{ progress: 1 }, { progress: 2 }])
  })

  it('are taken back when they are stopped, and their late answer goes to nobody', async () => {
    const { sent, calls, take } = wire()
    const stop = stoppable()
    const answer = calls.call(call({ stop }))
    stop.stop()
    expect(await answer).toBeUndefined()
    expect(sent[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: sent[0]?.id, reason: 'the call was stopped' },
    })
    expect(take({ id: sent[0]?.id, result: {} })).toBe(true)
    expect(await calls.call(call({ stop }))).toBeUndefined()
    expect(sent).toHaveLength(2)
  })

  it('fail with their connection', async () => {
    const { calls } = wire()
    const answer = calls.call(call())
    calls.end()
    await expect(answer).rejects.toMatchObject({ message: 'Connection closed' })
  })
})

describe('an answer is plain', () => {
  const text = { type: 'text', text: 'ok' }
  const modern = { resultType: 'complete' }

  it.each([
    ['text', { content: [text] }],
    ['nothing', { content: [] }],
    ['text and an object', { content: [text], structuredContent: { n: 1 } }],
    ['an error in words', { content: [text], isError: true }],
  ])('with %s', (_, result) => {
    expect(plainResult({ result }, { era: 'legacy' })).toBeDefined()
    expect(plainResult({ result: { ...result, ...modern } }, { era: 'modern' })).toBeDefined()
  })

  it.each([
    ['an error of the protocol', { error: { code: 1, message: 'no' } }],
    ['no content', { result: { ...modern } }],
    ['data', { result: { ...modern, content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] } }],
    ['a block of no known form', { result: { ...modern, content: [text, { type: 'text', text: 1 }] } }],
    ['a structure that is no object', { result: { ...modern, content: [text], structuredContent: [1] } }],
    ['an error that is no yes or no', { result: { ...modern, content: [text], isError: 'yes' } }],
    ['a question back', { result: { resultType: 'input_required', content: [text] } }],
    ['no word of what it is', { result: { content: [text] } }],
  ])('but not with %s', (_, answer) => {
    expect(plainResult(answer, { era: 'modern' })).toBeUndefined()
  })
})
