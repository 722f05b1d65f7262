import { createHost } from '@troupe/host'
import type { Attachment } from '@troupe/schema'
import {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOllama,
  startFakeOpenAI,
  type FakeProvider,
} from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'

const PNG = 'iVBORw0KGgo='
const PDF = 'JVBERi0xLjc='
const picture: Attachment = { mediaType: 'image/png', data: PNG, filename: 'a.png' }
const report: Attachment = { mediaType: 'application/pdf', data: PDF, filename: 'r.pdf' }
const notes: Attachment = { mediaType: 'text/plain', data: btoa('remember'), filename: 'n.txt' }

async function run(model: string, server: FakeProvider, attachments: readonly Attachment[], card = '') {
  onTestFinished(() => server.close())
  const provider = model.slice(0, model.indexOf('/'))
  const project = await tempProject({
    'a.md': `---\ndescription: Looks.\nmodel: ${model}\n${card}---\nLook.\n`,
    'b.md': `---\ndescription: Reads.\nmodel: ${model}\n---\nRead.\n`,
    'troupe.json': JSON.stringify({ providers: { [provider]: { apiKey: 'key', baseURL: server.baseURL } } }),
  })
  onTestFinished(() => project.remove())
  const host = await createHost({ cards: [project.path], cwd: project.path, env: {} })
  onTestFinished(() => host.close())
  const result = await host.run('a', 'What is it?', { attachments })
  return { result, body: server.requests[0]?.body }
}

const answers = [{ text: 'A picture.' }]
const words = { type: 'text', text: 'What is it?' }
const noted = { type: 'text', text: 'n.txt:\n\nremember' }

describe('files that go with the message', () => {
  it('attached files are parts of the first message for OpenAI', async () => {
    const { result, body } = await run('openai/gpt-5', await startFakeOpenAI({ answers }), [
      picture,
      report,
      notes,
    ])
    expect(result.outcome).toBe('completed')
    expect(body).toMatchObject({
      messages: [
        { role: 'developer' },
        {
          role: 'user',
          content: [
            words,
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: 'file', file: { filename: 'r.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
            noted,
          ],
        },
      ],
    })
  })

  it('attached files are blocks for Anthropic', async () => {
    const server = await startFakeAnthropic({ answers })
    const { body } = await run('anthropic/claude-sonnet-4-5', server, [picture, report, notes])
    expect(body).toMatchObject({
      messages: [
        {
          content: [
            words,
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            { type: 'document', source: { media_type: 'application/pdf', data: PDF }, title: 'r.pdf' },
            noted,
          ],
        },
      ],
    })
  })

  it('attached files are inline data for Google', async () => {
    const { body } = await run('google/gemini-2.5-flash', await startFakeGoogle({ answers }), [
      picture,
      notes,
    ])
    expect(body).toMatchObject({
      contents: [
        {
          parts: [
            { text: words.text },
            { inlineData: { mimeType: 'image/png', data: PNG } },
            { text: noted.text },
          ],
        },
      ],
    })
  })

  it('attached images are sent beside the text for Ollama', async () => {
    const { body } = await run('ollama/llava', await startFakeOllama({ answers }), [picture])
    expect(body).toMatchObject({ messages: [{ role: 'system' }, { content: words.text, images: [PNG] }] })
  })

  it('attached files are rejected by a composition, which would not pass them to any model', async () => {
    const card = 'type: chain\nsequence: [b]\n'
    const { result } = await run('openai/gpt-5', await startFakeOpenAI({ answers }), [picture], card)
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'input_invalid' } })
  })
})
