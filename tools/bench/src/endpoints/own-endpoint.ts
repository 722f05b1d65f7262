import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { defineAgent, defineTool, type RunStore } from '@troupe/schema'
import { createServer } from '@troupe/server'
import { createMemoryStore } from '@troupe/store'
import { z } from 'zod'
import { callAndTellModel } from '../models.ts'
import { openStoreFile, tempFile } from '../store-file.ts'
import { INPUT, INSTRUCTION, TOOL } from '../subjects/subject.ts'
import type { Endpoint } from './endpoint.ts'

const TOKEN = 'a-token-of-the-bench'

/** Everything that `troupe serve` has on: tokens, Host and Origin, limits, access log, metrics, and a store. */
export async function ownEndpoint(
  route: 'rest' | 'openai',
  { tokens, kept }: { readonly tokens: number; readonly kept: boolean },
): Promise<Endpoint> {
  const { store, remove } = await openStore(kept)
  const log = tempFile()
  const file = openSync(log.path, 'w')
  let records = 0
  const noop = defineTool({
    name: TOOL,
    description: 'Does nothing.',
    input: z.object({ n: z.number() }),
    effect: 'read',
    execute: () => 'ok',
  })
  const agent = defineAgent({
    name: 'Bench',
    description: 'Is measured.',
    instruction: INSTRUCTION,
    model: 'bench/counting',
    functionTools: [noop],
  })
  const models = { 'bench/counting': callAndTellModel(tokens) }
  const host = await createHost({ cards: [agent], config: false, cwd: import.meta.dirname, store, models })
  const server = await createServer({
    host,
    store,
    port: 0,
    tokens: [{ token: TOKEN, principal: 'bench' }],
    limits: { requestsPerMinute: 100_000_000, budget: { maxTokens: 1_000_000 } },
    clock: systemClock,
    newId: randomUUID,
    onAccess(record) {
      records += 1
      writeSync(file, `${JSON.stringify(record)}\n`)
    },
    onError: (thrown) => assert.fail(String(thrown)),
  })
  return {
    port: Number(new URL(server.url).port),
    ...REQUESTS[route],
    async close(requests) {
      await server.close()
      await host.close()
      await store.close()
      closeSync(file)
      log.remove()
      remove()
      assert.equal(records, requests, 'lines of the access log')
    },
  }
}

const REQUESTS: Readonly<Record<'rest' | 'openai', Pick<Endpoint, 'path' | 'headers' | 'body'>>> = {
  rest: {
    path: '/v1/Bench',
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' },
    body: JSON.stringify({ q: INPUT }),
  },
  openai: {
    path: '/openai/v1/chat/completions',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ model: 'Bench', stream: true, messages: [{ role: 'user', content: INPUT }] }),
  },
}

async function openStore(kept: boolean): Promise<{ readonly store: RunStore; readonly remove: () => void }> {
  return kept
    ? openStoreFile()
    : { store: createMemoryStore({ clock: systemClock }), remove: () => undefined }
}
