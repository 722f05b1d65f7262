import assert from 'node:assert/strict'
import { cpuPerCall } from '../cpu.ts'
import { loadFramework } from '../frameworks/load-framework.ts'
import type { Measure } from '../sample-options.ts'
import { INPUT, tokenScript, tokensOf } from '../script.ts'

/** Returns the CPU µs per token of a run that streams `size` tokens to one listener. */
export const measure: Measure = async ({ subject, size: tokens, budgetMs }) => {
  const framework = await loadFramework(subject)
  const { call, close } = await framework.stream({ model: tokenScript(tokens), hasTool: false })
  const text = tokensOf(tokens).join('')
  const cpu = await cpuPerCall(async () => {
    let received = 0
    const answer = await call(INPUT, () => {
      received += 1
    })
    assert.equal(answer, text)
    assert.equal(received, tokens, 'tokens that arrived')
  }, budgetMs)
  await close?.()
  return cpu / tokens
}
