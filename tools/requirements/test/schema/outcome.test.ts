import { hasAnswer, OUTCOMES, userMessage, messageText } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'

it(`a run ends with one of these outcomes ${verifies('R6')}`, () => {
  expect(OUTCOMES).toEqual(['completed', 'partial', 'failed', 'timeout', 'budget', 'cancelled', 'denied'])
  expect(OUTCOMES.filter(hasAnswer)).toEqual(['completed', 'partial'])
})

it('the text of a message consists of its text parts', () => {
  expect(messageText(userMessage('hello'))).toBe('hello')
  expect(messageText({ role: 'system', content: 'rules' })).toBe('rules')
  expect(
    messageText({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
        { type: 'tool-call', toolCallId: '1', toolName: 't', input: {} },
        { type: 'text', text: 'b' },
      ],
    }),
  ).toBe('ab')
})
