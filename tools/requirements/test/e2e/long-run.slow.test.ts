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
import { recordEvents, tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'

const TURNS = 300
const WINDOW = 8000

/** Returns the card, the configuration and the tool of an agent that reads page after page. */
function team(
  provider: string,
  parts: { readonly baseURL: string; readonly context: string; readonly models: object },
): Record<string, string> {
  const providers = { [provider]: { apiKey: 'key', baseURL: parts.baseURL, models: parts.models } }
  return {
    'Reader.md': `---\ndescription: Reads.\nmodel: ${provider}/big\nfunctionTools: [pages.ts:read]\nlimits: {maxTurns: 301}\n${parts.context}\n---\nYou read page after page.\n`,
    'pages.ts': `export const read = ({ page }) => 'page ' + page + ': ' + 'lorem ipsum '.repeat(60)\n`,
    'troupe.json': JSON.stringify({ providers }),
  }
}

/** Returns a model that reads 300 pages and then answers; another one summarises. */
function reader(): {
  readonly answer: (request: RecordedRequest) => FakeAnswer
  readonly summarised: () => number
} {
  let page = 0
  let summaries = 0
  const answer = ({ body }: RecordedRequest): FakeAnswer => {
    if (JSON.stringify(body).includes('The record:'))
      return { text: `Summary ${(summaries += 1)}: up to page ${page} there was lorem ipsum.` }
    if (page === TURNS) return { text: 'It was all lorem ipsum.' }
    page += 1
    return { calls: [{ name: 'read', args: { page } }] }
  }
  return { answer, summarised: () => summaries }
}

async function run(files: Record<string, string>) {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  const record = recordEvents()
  const host = await createHost({ cards: [project.path], cwd: project.path, env: {} })
  onTestFinished(() => host.close())
  const report: RunReport = await host.run(undefined, 'Read all of it.', { onEvent: record.listener })
  return { report, record }
}

describe.each([
  ['openai', startFakeOpenAI],
  ['anthropic', startFakeAnthropic],
  ['google', startFakeGoogle],
] as const)('a run of 300 turns against a small context window of %s', (provider, start) => {
  async function provide(answers: (request: RecordedRequest) => FakeAnswer): Promise<FakeProvider> {
    const server = await start({ answers, contextWindow: WINDOW })
    onTestFinished(() => server.close())
    return server
  }

  it('a long run completes, and its omitted turns can be read as a summary', async () => {
    const { answer, summarised } = reader()
    const { baseURL, requests } = await provide(answer)
    const { report, record } = await run(
      team(provider, {
        baseURL,
        context: `context: {strategy: summarise, keepTurns: 4, model: ${provider}/small}`,
        models: { big: { contextWindow: WINDOW }, small: { contextWindow: WINDOW } },
      }),
    )
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'It was all lorem ipsum.' } })
    const shortened = record.of('context-shortened')
    expect(shortened.length).toBeGreaterThan(5)
    expect(shortened.at(-1)?.summary).toBe(
      `Summary ${summarised()}: up to page ${(shortened.at(-1)?.turn ?? 0) - 1} there was lorem ipsum.`,
    )
    // no request was refused, and every one of them is accounted for
    expect(requests).toHaveLength(TURNS + 1 + summarised())
    expect(report.usage.modelCalls).toBe(requests.length)
    expect(record.of('usage').filter(({ model }) => model === `${provider}/small`)).toHaveLength(summarised())
    expect(requests.filter(asksSmall)).toHaveLength(summarised())
  })

  it('a long run completes with an unconfigured context window, and each rejected prompt is shortened once', async () => {
    const { answer } = reader()
    const { baseURL, requests } = await provide(answer)
    const { report, record } = await run(team(provider, { baseURL, context: '', models: {} }))
    expect(report.outcome).toBe('completed')
    const shortened = record.of('context-shortened')
    expect(new Set(shortened.map(({ reason }) => reason))).toEqual(new Set(['overflow']))
    expect(requests).toHaveLength(TURNS + 1 + shortened.length)
  })
})

/** Returns true if a request is for the small model. The name is in the body, or in the path for Google. */
function asksSmall({ path, body }: RecordedRequest): boolean {
  return path.includes('/small:') || (body as { readonly model?: string }).model === 'small'
}
