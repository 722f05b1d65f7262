import { join } from 'node:path'
import { startFakeOpenAI, type FakeProvider } from '@troupe/testkit'
import { verifies, recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

async function provider(apiKey: string): Promise<FakeProvider> {
  const fake = await startFakeOpenAI({ apiKey, answers: () => ({ text: `hello from ${apiKey.slice(-1)}` }) })
  onTestFinished(() => fake.close())
  return fake
}

describe('the environment of a team', () => {
  it(`two agents that run in parallel each get their own key, and process.env stays unchanged ${verifies('C3', 'C18', 'C22', 'C43', 'C45', 'C85')}`, async () => {
    const [a, b] = [await provider('sk-key-of-agent-a'), await provider('sk-key-of-agent-b')]
    const before = JSON.stringify(process.env)
    const model = 'openai/gpt-5-mini'
    const host = await openTeam(
      {
        'main.md': card({
          name: 'Main',
          default: true,
          model: 'script/main.yaml',
          agents: ['a/a.md', 'b/b.md'],
        }),
        'main.yaml':
          'agents: {Main: [{call: [{tool: agent__A, args: {text: x}}, {tool: agent__B, args: {text: x}}]}, {say: "{{results.0.text}}, {{results.1.text}}"}]}',
        'a/a.md': card({ name: 'A', model }),
        'a/troupe.env': `OPENAI_API_KEY=sk-key-of-agent-a\nOPENAI_BASE_URL=${a.baseURL}\n`,
        'b/b.md': card({ name: 'B', model }),
        'b/troupe.env': `OPENAI_API_KEY=sk-key-of-agent-b\nOPENAI_BASE_URL=${b.baseURL}\n`,
      },
      { env: { OPENAI_API_KEY: 'sk-key-of-process', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } },
    )
    expect(await host.run(undefined, 'hi')).toMatchObject({ output: { text: 'hello from a, hello from b' } })
    expect(a.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer sk-key-of-agent-a',
    ])
    expect(b.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer sk-key-of-agent-b',
    ])
    expect(JSON.stringify(process.env)).toBe(before)
  })

  it(`a missing key is reported with every place that was searched ${verifies('C44')}`, async () => {
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'openai/gpt-5-mini' }) },
      { env: { OTHER: 'x' } },
    )
    const report = await host.run(undefined, 'hi')
    expect(report).toMatchObject({ outcome: 'failed', error: { class: 'config', code: 'env_missing' } })
    expect(report.error?.message).toContain('Missing: OPENAI_API_KEY; define it in the shell or in')
    expect(report.error?.message).toContain(join(host.path, 'troupe.env'))
    expect(host.plan().problems).toMatchObject([{ severity: 'warning', code: 'env_missing' }])
    expect(host.plan().agents[0]?.runnable).toBe(true)
  })

  it(`an agent requires the variables in \`env\` of its card and those of its own servers only ${verifies('C40')}`, async () => {
    const host = await openTeam(
      {
        'troupe.json': JSON.stringify({
          mcpServers: {
            used: { ...stdioServer(), env: { SHOWN: '${SHOWN}' } },
            unused: { ...stdioServer(), env: { TOKEN: '${NOBODY_HAS_THIS}' } },
          },
        }),
        'a.md': card({ name: 'A', model: 'passthrough', servers: ['used'] }),
        'b.md': card({ name: 'B', model: 'passthrough', env: ['NEEDED'] }),
        'c.md': card({ name: 'C', model: 'passthrough', servers: ['unused'] }),
      },
      { env: { SHOWN: 'yes' } },
    )
    expect(await host.run('A', 'hi')).toMatchObject({ outcome: 'completed' })
    expect(await host.run('B', 'hi')).toMatchObject({
      error: { code: 'env_missing', message: expect.stringContaining('NEEDED') },
    })
    expect(await host.run('C', 'hi')).toMatchObject({
      error: { code: 'env_missing', message: expect.stringContaining('NOBODY_HAS_THIS') },
    })
  })

  it('variables reach an MCP server only through its own `env` block', async () => {
    const host = await openTeam(
      {
        'a.md': card({
          name: 'A',
          model: 'passthrough',
          mcpServers: { srv: { ...stdioServer(), env: { GIVEN: '${SOURCE:-none}' } } },
        }),
        'troupe.env': 'SOURCE=sidecar\nHIDDEN=secret',
      },
      { env: { ALSO_HIDDEN: 'x', PATH: process.env['PATH'] } },
    )
    const ask = async (text: string) => (await host.callTool('A', 'srv__variable', { text })).content
    expect(await ask('GIVEN')).toEqual([{ type: 'text', text: 'GIVEN=sidecar' }])
    expect(await ask('HIDDEN')).toEqual([{ type: 'text', text: 'HIDDEN=(none)' }])
    expect(await ask('ALSO_HIDDEN')).toEqual([{ type: 'text', text: 'ALSO_HIDDEN=(none)' }])
  })

  it('results contain no tokens from the configuration of servers or Slack', async () => {
    const config = {
      server: { tokens: [{ principal: 'ada', token: 'plain-0123456789' }] },
      slack: { botToken: 'xoxb-abcdefgh' },
    }
    const host = await openTeam(
      {
        'team/a.md': card({ name: 'A', model: 'passthrough', runtimeTools: ['filesystem'] }),
        'troupe.json': JSON.stringify(config),
      },
      { cards: ['team'] },
    )
    const { content } = await host.callTool('A', 'filesystem.read', { path: 'troupe.json' })
    const text = JSON.stringify(content)
    expect(text).toContain('[redacted:server.tokens.0.token]')
    expect(text).toContain('[redacted:slack.botToken]')
    expect(text).not.toMatch(/plain-0123|xoxb-abc/u)
  })

  it('events, results and the error output of a crashed server contain no secrets', async () => {
    const secret = 'ghp_0123456789abcdef'
    const dying = {
      command: process.execPath,
      args: ['-e', 'console.error(`token ${process.env.TOKEN} refused`); process.exit(3)'],
      env: { TOKEN: '${GITHUB_TOKEN}' },
    }
    const host = await openTeam(
      {
        'a.md': card({ name: 'A', model: 'passthrough', functionTools: ['code.ts:leak'] }),
        'b.md': card({ name: 'B', model: 'passthrough', mcpServers: { dying } }),
        'code.ts': 'export const leak = (_args, ctx) => `it is ${ctx.run.env("GITHUB_TOKEN")}`\n',
      },
      { envOverrides: { GITHUB_TOKEN: secret } },
    )
    const record = recordEvents()
    const onEvent = record.listener
    const echoed = await host.run('A', `I say ${secret}`, { onEvent })
    const leaked = await host.callTool('A', 'leak', {}, { onEvent })
    const died = await host.run('B', 'hi', { onEvent })
    expect(echoed.output.text).toBe('I say [redacted:GITHUB_TOKEN]')
    expect(leaked.content).toEqual([{ type: 'text', text: 'it is [redacted:GITHUB_TOKEN]' }])
    expect(died.error).toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('[redacted:GITHUB_TOKEN]'),
    })
    const start = record.of('run-start').find((event) => event.agent === 'A')
    expect(JSON.stringify(record.events.filter((event) => event !== start))).not.toContain(secret)
  })
})
