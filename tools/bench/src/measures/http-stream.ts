import assert from 'node:assert/strict'
import { cpuPerCall } from '../cpu.ts'
import type { Framework, ModelAddress } from '../frameworks/framework.ts'
import { loadFramework } from '../frameworks/load-framework.ts'
import type { Measure } from '../sample-options.ts'
import { INPUT, INSTRUCTION, tokensOf } from '../script.ts'
import { startPortServer } from '../servers/start-port-server.ts'

/**
 * Returns the CPU µs per token of a run that streams `size` tokens from a Chat Completions server in another
 * process, whose CPU time is not counted.
 */
export const measure: Measure = async ({ subject, size: tokens, budgetMs }) => {
  const server = await startPortServer('model-server')
  const model = { baseURL: `http://127.0.0.1:${server.port}/v1`, name: `tokens-${tokens}` }
  const { call, close } = await openStream(subject, model)
  const text = tokensOf(tokens).join('')
  try {
    const cpu = await cpuPerCall(async () => {
      let received = 0
      const answer = await call(INPUT, () => {
        received += 1
      })
      assert.equal(answer, text)
      assert.equal(received, tokens, 'tokens that arrived')
    }, budgetMs)
    return cpu / tokens
  } finally {
    await close?.()
    await server.close()
  }
}

async function openStream(subject: string, model: ModelAddress): ReturnType<Framework['stream']> {
  if (subject !== 'provider') return (await loadFramework(subject)).stream({ model, hasTool: false })
  const opened = (await import('../frameworks/ai.ts')).openProvider(model)
  return {
    call: async (input, onToken) => {
      const { stream } = await opened.doStream({
        prompt: [
          { role: 'system', content: INSTRUCTION },
          { role: 'user', content: [{ type: 'text', text: input }] },
        ],
      })
      let text = ''
      for await (const part of stream) {
        if (part.type !== 'text-delta') continue
        onToken(part.delta)
        text += part.delta
      }
      return text
    },
  }
}
