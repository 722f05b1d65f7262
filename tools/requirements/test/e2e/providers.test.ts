import path from 'node:path'
import { createHost } from '@troupe/host'
import type { RunReport } from '@troupe/schema'
import {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOpenAI,
  type FakeAnswer,
  type FakeProvider,
  type RecordedRequest,
} from '@troupe/testkit'
import { recordEvents, tempProject, verifies } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'

const KEY = 'sk-team-0123456789abcdef'
const servers: FakeProvider[] = []
const folders: { remove(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await Promise.all(folders.splice(0).map((folder) => folder.remove()))
})

/** Scripts a parent that calls both children in parallel; each child calls a tool, and every agent ends with a sentence. */
function answers({ body }: RecordedRequest): FakeAnswer {
  const text = JSON.stringify(body)
  const isFollowUp = /tool_result|"role":"tool"|functionResponse/u.test(text)
  if (text.includes('You lead.')) {
    if (isFollowUp) return { text: 'Both answered.' }
    return {
      calls: [
        { name: 'agent__Left', args: { text: 'go' } },
        { name: 'agent__Right', args: { text: 'go' } },
      ],
    }
  }
  return { text: 'A child answers.', delayMs: 150 }
}

const team = (model: string): Record<string, string> => ({
  'Lead.md': `---\ndescription: Leads.\nmodel: ${model}\ndefault: true\nagents: [Left, Right]\n---\nYou lead.\n`,
  'Left.md': `---\ndescription: Left.\nmodel: ${model}\n---\nYou are left.\n`,
  'Right.md': `---\ndescription: Right.\nmodel: ${model}\n---\nYou are right.\n`,
})

async function project(files: Record<string, string>): Promise<string> {
  const made = await tempProject(files)
  folders.push(made)
  return made.path
}

/** Runs the team of a folder with an environment that contains no keys. */
async function run(folder: string): Promise<{ readonly report: RunReport; readonly seen: string }> {
  const record = recordEvents()
  const host = await createHost({ cards: [folder], cwd: folder, env: { PATH: process.env['PATH'] } })
  try {
    const report = await host.run(undefined, 'hello', { onEvent: record.listener })
    return { report, seen: JSON.stringify([report, record.events, host.plan()]) }
  } finally {
    await host.close()
  }
}

const providers = [
  {
    name: 'openai',
    model: 'openai/x',
    start: startFakeOpenAI,
    key: 'OPENAI_API_KEY',
    url: 'OPENAI_BASE_URL',
    header: 'authorization',
  },
  {
    name: 'anthropic',
    model: 'anthropic/x',
    start: startFakeAnthropic,
    key: 'ANTHROPIC_API_KEY',
    url: 'ANTHROPIC_BASE_URL',
    header: 'x-api-key',
  },
  {
    name: 'google',
    model: 'google/x',
    start: startFakeGoogle,
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    url: 'GOOGLE_BASE_URL',
    header: 'x-goog-api-key',
  },
] as const

describe.each(providers)('the team over the wire of $name', ({ model, start, key, url, header }) => {
  it(`the parent calls both children at once with the key of the sidecar, which appears in no output ${verifies('A2', 'C22', 'C34', 'C43', 'C45')}`, async () => {
    const server = await start({ answers, apiKey: KEY })
    servers.push(server)
    const folder = await project({
      ...team(model),
      'troupe.env': `${key}=${KEY}\n${url}=${server.baseURL}\n`,
    })
    const { report, seen } = await run(folder)
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Both answered.' } })
    expect(server.maxInFlight).toBe(2)
    expect(server.requests.map((request) => JSON.stringify(request.headers[header]))).toEqual(
      Array.from({ length: 4 }, () => expect.stringContaining(KEY) as unknown),
    )
    expect(seen).not.toContain(KEY)
    expect(report.usage.byAgent['Left']?.modelCalls).toBe(1)
  })

  it('the key is not shown when the provider echoes it in an error', async () => {
    const server = await start({
      answers: () => ({ status: 401, message: `Incorrect key provided: ${KEY}` }),
    })
    servers.push(server)
    const folder = await project({
      ...team(model),
      'troupe.env': `${key}=${KEY}\n${url}=${server.baseURL}\n`,
    })
    const { report, seen } = await run(folder)
    expect(report.error).toMatchObject({ class: 'auth', code: 'model_auth' })
    expect(seen).not.toContain(KEY)
    expect(server.requests).toHaveLength(1)
  })
})

it(`two teams that run at once each use their own key ${verifies('C2', 'C3', 'C45')}`, async () => {
  const server = await startFakeOpenAI({ answers })
  servers.push(server)
  const keys = ['sk-first-0123456789', 'sk-second-9876543210']
  const runs = await Promise.all(
    keys.map(async (key) => {
      const folder = await project({
        ...team('openai/x'),
        'troupe.env': `OPENAI_API_KEY=${key}\nOPENAI_BASE_URL=${server.baseURL}\n`,
      })
      return run(folder)
    }),
  )
  expect(runs.map(({ report }) => report.outcome)).toEqual(['completed', 'completed'])
  const sent = server.requests.map((request) => String(request.headers['authorization']))
  for (const key of keys) expect(sent.filter((value) => value === `Bearer ${key}`)).toHaveLength(4)
})

it(`a missing key is reported with every location in which it can be set ${verifies('C44')}`, async () => {
  const folder = await project(team('openai/x'))
  const { report } = await run(folder)
  expect(report).toMatchObject({ outcome: 'failed', error: { class: 'config', code: 'env_missing' } })
  expect(report.error?.message).toContain('OPENAI_API_KEY')
  expect(report.error?.message).toContain(path.join(folder, 'troupe.env'))
})
