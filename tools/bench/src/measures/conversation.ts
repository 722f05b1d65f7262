import assert from 'node:assert/strict'
import { cpuPerCall } from '../cpu.ts'
import { loadFramework } from '../frameworks/load-framework.ts'
import type { Measure } from '../sample-options.ts'
import { childScript, FINAL_TEXT, INPUT } from '../script.ts'

/** Returns the CPU µs per message of a saved conversation of `size` messages, each with an answer. */
export const measure: Measure = async ({ subject, size: messages, budgetMs }) => {
  const script = childScript(0)
  const { call, close } = await (await loadFramework(subject)).conversation(script)
  let conversations = 0
  const cpu = await cpuPerCall(async () => {
    const id = `conversation-${(conversations += 1)}`
    for (let index = 0; index < messages; index++) assert.equal(await call(id, INPUT), FINAL_TEXT)
    // the instruction, the earlier messages with their answers, and the last message
    assert.equal(script.messages, 1 + 2 * (messages - 1) + 1, 'messages of the last request')
  }, budgetMs)
  await close?.()
  return cpu / messages
}
