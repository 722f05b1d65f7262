import { messageText, type LanguageModel } from '@troupe/schema'
import { leadAndClerks } from '@troupe/testkit/teams'
import { scriptedModel, type Script } from '@troupe/testkit'
import { serveKept } from '../support/serve-kept.ts'

/** A process that reports its heap size after a collection in reply to each message: `<folder> <api of Slack> <app token>`. Needs `--expose-gc`. */
const [folder = '', apiUrl = '', appToken = ''] = process.argv.slice(2)

/** Creates a new scripted model for every call, because a scripted model keeps its prompts. */
function forgetful(script: Extract<Script, (...args: never) => unknown>): LanguageModel {
  const first = scriptedModel(script)
  return { ...first, doStream: (options) => scriptedModel(script).doStream(options) }
}

const { cards } = leadAndClerks([])
const lead = forgetful((prompt) => {
  const last = prompt.at(-1)
  if (last?.role === 'tool') return { text: `You said ${messageText(prompt[1] ?? last)}.` }
  const calls = ['apples', 'pears'].map((text) => ({ tool: 'agent__Clerk', args: { text } }))
  return { text: 'I ask.', calls }
})
const clerk = forgetful(() => ({ text: '3' }))

await serveKept({ cards, models: { lead, clerk } }, { folder, apiUrl, appToken })
process.on('message', () => {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.()
  process.send?.(process.memoryUsage().heapUsed)
})
