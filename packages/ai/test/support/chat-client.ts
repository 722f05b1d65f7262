import { serve } from '@hono/node-server'
import {
  DefaultChatTransport,
  readUIMessageStream,
  validateUIMessages,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { Hono } from 'hono'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Serves a handler of web requests at `/api/chat` of a Hono app, on a free port until the test ends. */
export async function serveChat(
  handler: (request: Request) => Response | Promise<Response>,
): Promise<string> {
  const app = new Hono()
  app.post('/api/chat', ({ req }) => handler(req.raw))
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  if (!server.listening) await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`
}

/** A chat over the transport of `useChat`. */
export interface ChatClient {
  readonly messages: UIMessage[]
  /** Sends the messages, with another one from the user if it is given. Returns the chunks of the answer. */
  send(text?: string, abortSignal?: AbortSignal): Promise<readonly UIMessageChunk[]>
}

/** Opens a chat, whose transport rejects chunks that violate their schema. */
export function openChat(
  api: string,
  {
    chatId = 'chat',
    ...init
  }: { readonly chatId?: string; readonly headers?: Record<string, string> } & {
    readonly body?: object
  } = {},
): ChatClient {
  const transport = new DefaultChatTransport({ api, ...init })
  const messages: UIMessage[] = []
  return {
    messages,
    async send(text, abortSignal) {
      if (text !== undefined)
        messages.push({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] })
      const stream = await transport.sendMessages({
        chatId,
        trigger: 'submit-message',
        messageId: undefined,
        messages,
        abortSignal,
      })
      const [forChunks, forMessage] = stream.tee()
      const last = messages.at(-1)
      const before = last?.role === 'assistant' ? { message: structuredClone(last) } : {}
      const [chunks, answer] = await Promise.all([
        allOf(forChunks),
        lastOf(readUIMessageStream({ stream: forMessage, ...before, onError: () => undefined })),
      ])
      if (answer === undefined) return chunks
      if (last?.role === 'assistant') messages.pop()
      messages.push(answer)
      await validateUIMessages({ messages })
      return chunks
    },
  }
}

/** Returns all values. */
export async function allOf<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

async function lastOf<T>(values: AsyncIterable<T>): Promise<T | undefined> {
  let last: T | undefined
  for await (const value of values) last = value
  return last
}

/** Returns the types of the chunks, without repetitions. */
export function typesOf(chunks: readonly UIMessageChunk[]): readonly string[] {
  const types = chunks.map(({ type }) => type)
  return types.filter((type, at) => type !== types[at - 1])
}
