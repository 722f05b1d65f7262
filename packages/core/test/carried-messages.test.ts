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

describe('the messages that one run leaves to the next', () => {
  it('are its own where it ended well', () => {
    const said = [user('a'), assistant(text('b'), call('1')), results('1'), assistant(text('c'))]
    expect(carriedMessages(said)).toEqual(said)
    expect(carriedMessages([])).toEqual([])
  })

  it('hold a result for every call, in their order, and no others', () => {
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

  it('alternate, begin with the person and end with the model', () => {
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

  it('hold nothing that only one provider can read', () => {
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

  it('hold no part without a word', () => {
    const said = [user('a'), assistant(text(' '), call('1')), results('1'), assistant(text(''))]
    expect(carriedMessages(said)).toEqual([user('a'), assistant(call('1')), results('1'), NOTE])
  })
})
