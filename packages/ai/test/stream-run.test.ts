import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { createUIMessageStream, createUIMessageStreamResponse } from 'ai'
import { describe, expect, it } from 'vitest'
import { streamRun } from '../src/index.ts'
import { allOf, openChat, serveChat, typesOf } from './support/chat-client.ts'
import { agentA, openHost } from './support/open-host.ts'

describe('streamRun', () => {
  it('a run is merged into a stream of the AI SDK and read by useChat', async () => {
    const host = await openHost([agentA()], { 'test/a': scriptedModel([{ text: 'Hello.' }]) })
    const url = await serveChat(() => {
      const stream = createUIMessageStream({
        execute: ({ writer }) => {
          writer.write({ type: 'start' })
          writer.write({ type: 'data-note', data: 'before' })
          writer.merge(streamRun(host, 'A', 'Hi'))
        },
      })
      return createUIMessageStreamResponse({ stream })
    })
    const chat = openChat(url)
    await chat.send('Hi')
    expect(chat.messages.at(-1)?.parts).toMatchObject([
      { type: 'data-note', data: 'before' },
      { type: 'step-start' },
      { type: 'text', text: 'Hello.', state: 'done' },
    ])
    expect(chat.messages.at(-1)?.metadata).toMatchObject({ outcome: 'completed' })
  })

  it('the entry agent runs if none is named, and an unknown agent is an error of the stream', async () => {
    const host = await openHost([agentA()], { 'test/a': scriptedModel([{ text: 'Hello.' }]) })
    const chunks = await allOf(streamRun(host, undefined, 'Hi'))
    expect(typesOf(chunks)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
    const unknown = await allOf(streamRun(host, 'B', 'Hi'))
    expect(unknown.at(-2)).toMatchObject({ type: 'error', errorText: expect.stringContaining('"B"') })
  })

  it('cancelling the stream cancels the run', async () => {
    const started = deferred()
    const aborted = deferred()
    const model = scriptedModel(async (_, { options }) => {
      options.abortSignal?.addEventListener('abort', () => aborted.resolve())
      started.resolve()
      await aborted.promise
      return { text: 'late' }
    })
    const host = await openHost([agentA()], { 'test/a': model })
    const stream = streamRun(host, 'A', 'Hi')
    await started.promise
    await stream.cancel()
    await aborted.promise
    expect(model.calls).toHaveLength(1)
  })
})
