import { AsyncLocalStorage } from 'node:async_hooks'
import type { ToolContext } from '@troupe/schema'
import { expect, it } from 'vitest'
import { createActiveCalls } from '../src/elicitation/answer-elicitation.ts'

const context = (): ToolContext => ({}) as ToolContext

it('a question that arrives after its call has ended belongs to no call', async () => {
  const calls = createActiveCalls()
  const askLater = await calls.run(context(), async () => AsyncLocalStorage.bind(() => calls.current()))
  expect(askLater()).toBeUndefined()
})

it('a question of a call belongs to it while other calls are in progress', async () => {
  const calls = createActiveCalls()
  const contexts = [context(), context()]
  const found = await Promise.all(
    contexts.map((each) =>
      calls.run(each, async () => {
        await Promise.resolve()
        return calls.current()
      }),
    ),
  )
  expect(found[0]).toBe(contexts[0])
  expect(found[1]).toBe(contexts[1])
})
