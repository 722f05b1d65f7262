import { userMessage } from '@troupe/schema'
import { expect, it } from 'vitest'
import { resolveModel } from '../src/index.ts'
import { contextOf } from './context.ts'
import { stream } from './drive.ts'

it('passthrough repeats the last message of the user', async () => {
  const handle = await resolveModel('passthrough', contextOf())
  const model = handle.open({ agent: 'A', runId: 'r' })
  const prompt = [
    { role: 'system' as const, content: 'Be brief.' },
    userMessage('first'),
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'first' }] },
    userMessage('say  this\nback'),
  ]

  const turn = await stream(model, { prompt })
  const result = await model.doGenerate({ prompt })

  expect(handle).toMatchObject({ id: 'passthrough', provider: 'passthrough', limiterKey: 'passthrough' })
  expect(turn.text).toBe('say  this\nback')
  expect(turn.finish).toMatchObject({ finishReason: { unified: 'stop' } })
  expect(turn.finish.usage.outputTokens.total).toBe(4)
  expect(result.content).toEqual([{ type: 'text', text: 'say  this\nback' }])
})

it('passthrough returns an empty answer if there is no user message', async () => {
  const handle = await resolveModel('passthrough', contextOf())

  const turn = await stream(handle.open({ agent: 'A', runId: 'r' }), { prompt: [] })

  expect(turn.text).toBe('')
})
