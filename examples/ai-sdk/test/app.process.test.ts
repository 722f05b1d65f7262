import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'

/** Starts the app on a free port until the test ends. Returns the address that it prints. */
async function startApp(): Promise<string> {
  const app = spawn(process.execPath, ['--conditions=@troupe/source', 'app.ts'], {
    cwd: path.join(import.meta.dirname, '..'),
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    const exit = once(app, 'exit')
    app.kill()
    await exit
  })
  const [line] = (await once(createInterface(app.stdout), 'line')) as [string]
  return line
}

it('the transport of useChat gets the answer of a team from a Hono app, with its children', async () => {
  const transport = new DefaultChatTransport({ api: await startApp() })
  const stream = await transport.sendMessages({
    chatId: 'chat',
    trigger: 'submit-message',
    messageId: undefined,
    messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'the sea and the moon' }] }],
    abortSignal: undefined,
  })
  let message: UIMessage | undefined
  for await (const next of readUIMessageStream({ stream })) message = next
  const parts = message?.parts ?? []
  expect(parts.at(-1)).toMatchObject({ type: 'text', text: 'O the sea! / O the moon!' })
  const children = parts.flatMap((part) => (part.type === 'data-child' ? [part.data] : []))
  expect(children).toMatchObject([
    { agent: 'poet', state: 'completed', output: { text: 'O the sea!' } },
    { agent: 'poet', state: 'completed', output: { text: 'O the moon!' } },
  ])
})
