import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import path from 'node:path'
import { expect, it, vi } from 'vitest'

it('the transport of useChat gets the answer of a team from the route of a Next app', async () => {
  // Next runs routes in the folder of the app
  vi.spyOn(process, 'cwd').mockReturnValue(path.join(import.meta.dirname, '..'))
  const { POST } = await import('../app/api/chat/route.ts')
  const transport = new DefaultChatTransport({
    api: 'http://localhost:3000/api/chat',
    fetch: (url, init) => POST(new Request(url, init)),
  })
  const ask = async (messages: UIMessage[]): Promise<UIMessage | undefined> => {
    const stream = await transport.sendMessages({
      chatId: 'chat',
      trigger: 'submit-message',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    })
    let message: UIMessage | undefined
    for await (const next of readUIMessageStream({ stream })) message = next
    return message
  }
  const answer = await ask([
    { id: '1', role: 'user', parts: [{ type: 'text', text: 'the sea and the moon' }] },
  ])
  expect(answer?.parts.at(-1)).toMatchObject({ type: 'text', text: 'O the sea! / O the moon!' })
  expect(answer?.metadata).toMatchObject({ outcome: 'completed' })
})
