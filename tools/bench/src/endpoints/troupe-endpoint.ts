import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { createServer } from '@troupe/server'
import { scriptedModel } from '../frameworks/scripted-model.ts'
import { modelId, noopTool, openStore } from '../frameworks/troupe.ts'
import { INPUT, INSTRUCTION, type Script } from '../script.ts'
import { createTempFolder } from '../temp-folder.ts'
import type { Endpoint } from './open-endpoint.ts'

const TOKEN = 'a-token-of-the-bench'

/** Opens a server as `troupe serve` does: tokens, limits, an access log in a file, metrics, and a store in a file. */
export async function openTroupeEndpoint(script: Script): Promise<Endpoint> {
  const folder = createTempFolder()
  const store = await openStore(join(folder.path, 'runs.db'))
  const log = openSync(join(folder.path, 'access.log'), 'w')
  let records = 0
  const agent = defineAgent({
    name: 'bench',
    description: 'An agent of the bench.',
    instruction: INSTRUCTION,
    model: modelId(0),
    functionTools: [noopTool()],
  })
  const models = { [modelId(0)]: scriptedModel(script) }
  const host = await createHost({ cards: [agent], config: false, cwd: folder.path, store, models })
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
      writeSync(log, `${JSON.stringify(record)}\n`)
    },
    onError: (thrown) => assert.fail(String(thrown)),
  })
  return {
    port: Number(new URL(server.url).port),
    path: '/openai/v1/chat/completions',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ model: 'bench', stream: true, messages: [{ role: 'user', content: INPUT }] }),
    async close(requests) {
      await server.close()
      await host.close()
      closeSync(log)
      folder.remove()
      assert.equal(records, requests, 'lines of the access log')
    },
  }
}
