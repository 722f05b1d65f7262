import path from 'node:path'
import { startFakeOpenAI } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createHost } from '../src/index.ts'

afterEach(() => vi.unstubAllEnvs())

async function greeterCard(): Promise<string> {
  const project = await tempProject({
    'greeter.md': '---\nname: greeter\nmodel: openai/gpt-5-mini\n---\nGreet.',
  })
  onTestFinished(() => project.remove())
  return path.join(project.path, 'greeter.md')
}

it('createHost of the library reads provider keys and addresses from the environment of the process', async () => {
  const provider = await startFakeOpenAI({ apiKey: 'sk-of-the-shell', answers: [{ text: 'Good day.' }] })
  onTestFinished(() => provider.close())
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-shell')
  vi.stubEnv('OPENAI_BASE_URL', provider.baseURL)
  const host = await createHost({ cards: [await greeterCard()], config: false })
  onTestFinished(() => host.close())
  const report = await host.run('greeter', 'Hello')
  expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Good day.' } })
})

it('createHost of the library reads no variable of the process if it is given an environment', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-shell')
  const host = await createHost({ cards: [await greeterCard()], config: false, env: {} })
  onTestFinished(() => host.close())
  const report = await host.run('greeter', 'Hello')
  expect(report).toMatchObject({ outcome: 'failed', error: { code: 'env_missing' } })
})
