import { defineAgent } from '@troupe/schema'
import { startFakeOpenAI } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import type { FakeMessage } from '@troupe/testkit/slack'
import { expect, it, onTestFinished } from 'vitest'
import { serveSlack } from './support/serve-slack.ts'

it('a model failure is shown in Slack without key location, model, URL and provider text, also in details and downloads', async () => {
  const message = 'Your organisation org-acme may not do this'
  const provider = await startFakeOpenAI({ answers: () => ({ status: 401, message }) })
  onTestFinished(() => provider.close())
  const project = await tempProject({
    'troupe.json': JSON.stringify({
      providers: { openai: { apiKey: 'sk-the-key-of-acme-1234', baseURL: provider.baseURL } },
    }),
  })
  onTestFinished(() => project.remove())
  const agent = defineAgent({
    name: 'Boom',
    description: 'Fails.',
    instruction: 'Fail.',
    model: 'openai/gpt-private-7',
    limits: { maxRetries: 0 },
  })
  const room = await serveSlack({
    cards: [agent],
    hostOptions: { config: `${project.path}/troupe.json` },
  })
  await room.mention({ text: 'Hi' })
  const [answer] = await room.answered()
  await room.click(answer as FakeMessage, 'troupe_details')
  await room.slack.until(({ views }) => views.length === 1)
  await room.click(answer as FakeMessage, 'troupe_download')
  await room.slack.until(({ files }) => files.length === 1)
  const seen = JSON.stringify([room.slack.messages(), room.slack.views, room.slack.files])
  expect(seen).toContain('The provider refused the key.')
  for (const secret of ['providers.openai.apiKey', new URL(provider.baseURL).host, message])
    expect(seen).not.toContain(secret)
  expect(answer?.text).not.toContain('gpt-private-7')
  expect(room.errors.map(String).join('\n')).toMatch(/gpt-private-7.*org-acme.*providers\.openai\.apiKey/u)
})
