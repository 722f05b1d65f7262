import { messageText } from '@troupe/schema'
import { oneAgent } from '@troupe/testkit/teams'
import { expect, it } from 'vitest'
import { serveSlack } from './support/serve-slack.ts'

const THREADS = 200

it('200 parallel threads each get their own answer', { timeout: 120_000 }, async () => {
  const echo = oneAgent((prompt) => {
    const last = prompt.at(-1)
    return { text: `You said ${last === undefined ? '' : messageText(last)}.` }
  })
  const room = await serveSlack(echo)
  const numbers = Array.from({ length: THREADS }, (_, index) => index)
  await Promise.all(numbers.map((number) => room.mention({ text: `number ${number}`, ts: `100.${number}` })))
  const answers = await room.answered(THREADS)
  expect(answers.map(({ threadTs, text }) => `${threadTs} ${text}`).toSorted()).toEqual(
    numbers.map((number) => `100.${number} You said number ${number}.`).toSorted(),
  )
  await room.slack.until(({ messages }) => messages().length === THREADS)
  expect(room.state.open()).toEqual([])
  expect(room.errors).toEqual([])
})
