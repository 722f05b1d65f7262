import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, tokensOf } from '../models.ts'
import type { Effort } from '../probe.ts'
import { startModelServer } from '../servers/start-model-server.ts'
import type { Run } from '../subjects/subject.ts'

/** Who asks a model that is reached over a socket. */
export interface HttpSubject {
  loop(at: ModelAddress, turns: number): Promise<Run>
  stream(at: ModelAddress, onToken: () => void): Promise<Run>
}

/** Which model of which server. */
export interface ModelAddress {
  readonly baseURL: string
  readonly name: string
}

/** CPU µs per token of one stream that comes over a socket. */
export async function measureHttpStream(
  subject: HttpSubject,
  options: Effort & { readonly tokens: number },
): Promise<number> {
  const { tokens } = options
  const text = tokensOf(tokens).join('')
  let heard = 0
  const onToken = (): void => {
    heard += 1
  }
  return withModel(`tokens-${tokens}`, async (model) => {
    const run = await subject.stream(model, onToken)
    const { cpu } = await cpuOf(async () => {
      heard = 0
      assert.equal(await run(), text)
      assert.equal(heard, tokens, 'tokens that arrived')
    }, options)
    return cpu / tokens
  })
}

/** CPU µs per turn of a loop whose model is asked over a socket. */
export async function measureHttpLoop(
  subject: HttpSubject,
  options: Effort & { readonly turns: number },
): Promise<number> {
  const { turns } = options
  return withModel(`turns-${turns}`, async (model) => {
    const run = await subject.loop(model, turns)
    const { cpu } = await cpuOf(async () => {
      assert.equal(await run(), `${LAST_WORDS}: ${2 + 2 * turns} messages`)
    }, options)
    return cpu / turns
  })
}

async function withModel(name: string, measure: (at: ModelAddress) => Promise<number>): Promise<number> {
  const server = await startModelServer()
  try {
    return await measure({ baseURL: server.baseURL, name })
  } finally {
    await server.close()
  }
}
