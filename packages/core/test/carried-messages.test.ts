import type { Message } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { carriedMessages } from '../src/index.ts'

const text = (words: string) => ({ type: 'text' as const, text: words })
const user = (words: string): Message => ({ role: 'user', content: [text(words)] })
const assistant = (...content: Extract<Message, { role: 'assistant' }>['content']): Message => ({
  role: 'assistant',
  content,
})
const call = (id: string, more: object = {}) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: 'look',
  input: {},
  ...more,
})
const results = (...ids: readonly string[]): Message => ({
  role: 'tool',
  content: ids.map((id) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'look',
    output: { type: 'text', value: `result of ${id}` },
  })),
})
const NOTE = assistant(text('[There was no answer.]'))

describe('messages carried over to the next run', () => {
  it('a run that completed carries over its own messages', () => {
    const said = [user('a'), assistant(text('b'), call('1')), results('1'), assistant(text('c'))]
    expect(carriedMessages(said)).toEqual(said)
    expect(carriedMessages([])).toEqual([])
  })

  it('carried-over messages have exactly one result for each call, in the order of the calls', () => {
    const said = [user('a'), assistant(call('1'), call('2')), results('2', '3'), results('4')]
    expect(carriedMessages(said, 'run_cancelled')).toEqual([
      user('a'),
      assistant(call('1'), call('2')),
      {
        role: 'tool',
        content: [
          expect.objectContaining({
            toolCallId: '1',
            output: { type: 'error-text', value: 'The run ended before this call completed.' },
          }),
          expect.objectContaining({ toolCallId: '2', output: { type: 'text', value: 'result of 2' } }),
        ],
      },
      assistant(text('[There was no answer: run_cancelled.]')),
    ])
  })

  it('carried-over messages alternate, begin with the user and end with the assistant', () => {
    expect(carriedMessages([assistant(text('hi')), user('a'), user('b')])).toEqual([
      user('[The conversation begins with the assistant.]'),
      assistant(text('hi')),
      user('a'),
      NOTE,
      user('b'),
      NOTE,
    ])
    expect(carriedMessages([user('a'), assistant(text('b')), assistant(text('c'))])).toEqual([
      user('a'),
      assistant(text('b'), text('c')),
    ])
  })

  it('carried-over messages contain nothing that only one provider can read', () => {
    const said = [
      user('a'),
      assistant(
        { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } },
        { ...text('b'), providerOptions: { p: { itemId: 'i' } } },
        call('1', { providerExecuted: true }),
        { type: 'tool-result', toolCallId: '1', toolName: 'look', output: { type: 'text', value: 'x' } },
      ),
    ]
    expect(carriedMessages(said)).toEqual([user('a'), assistant(text('b'))])
  })

  it('carried-over messages contain no blank parts', () => {
    const said = [user('a'), assistant(text(' '), call('1')), results('1'), assistant(text(''))]
    expect(carriedMessages(said)).toEqual([user('a'), assistant(call('1')), results('1'), NOTE])
  })
})
