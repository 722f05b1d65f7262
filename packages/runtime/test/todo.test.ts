import { resultText, type ToolContext } from '@troupe/schema'

import { expect, it } from 'vitest'
import { openRuntime } from './support/open-runtime.ts'

const TODOS = [
  { content: 'Look', status: 'completed' },
  { content: 'Think', status: 'in_progress' },
  { content: 'Write', status: 'pending' },
]

it('todo.write replaces the list of the run and todo.read returns it', async () => {
  const { call } = await openRuntime()
  const rootState = new Map<string, unknown>()
  const inRun = (runId: string): Partial<ToolContext> => ({
    run: { rootState, request: { runId } } as unknown as ToolContext['run'],
  })
  expect(resultText(await call('todo.read', {}, inRun('a')))).toBe('The list is empty.')
  const written = await call('todo.write', { todos: TODOS }, inRun('a'))
  expect(resultText(written)).toBe('[x] Look\n[~] Think\n[ ] Write')
  expect(written.structured).toEqual({ todos: TODOS })
  expect(resultText(await call('todo.read', {}, inRun('a')))).toBe(resultText(written))
  expect(resultText(await call('todo.read', {}, inRun('b')))).toBe('The list is empty.')
  await call('todo.write', { todos: [] }, inRun('a'))
  expect(resultText(await call('todo.read', {}, inRun('a')))).toBe('The list is empty.')
})

it('todo.write refuses unknown states and more than 100 entries', async () => {
  const { call } = await openRuntime()
  for (const todos of [
    [{ content: 'x', status: 'done' }],
    [{ content: '', status: 'pending' }],
    Array.from({ length: 101 }, () => TODOS[0] ?? {}),
  ])
    expect((await call('todo.write', { todos })).failure?.code).toBe('tool_bad_arguments')
})
