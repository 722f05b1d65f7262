import { resultText, type Question } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { openRuntime } from './support/open-runtime.ts'

describe('human.ask', () => {
  it('human.ask returns the answer of the user and reports progress while it waits', async () => {
    const { call } = await openRuntime()
    const asked: Question[] = []
    const told: string[] = []
    const result = await call(
      'human.ask',
      { question: 'Red or blue?', choices: ['red', 'blue'] },
      {
        ask: (question) => {
          asked.push(question)
          return Promise.resolve({ answered: true, text: 'blue' })
        },
        progress: (text) => void told.push(text),
      },
    )
    expect(resultText(result)).toBe('blue')
    expect(asked).toEqual([{ question: 'Red or blue?', choices: ['red', 'blue'] }])
    expect(told).toEqual(['waiting for an answer from the user'])
  })

  it('human.ask fails without an answer and says what to do', async () => {
    const { call } = await openRuntime()
    expect((await call('human.ask', { question: 'Which one?' })).failure).toEqual({
      class: 'permission',
      code: 'human_unavailable',
      message: 'The question was not answered: no user is connected.',
      remediation: 'Continue without the answer, or say what is missing.',
    })
  })
})
