import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostPlan } from '@troupe/host'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { oneAgent, project, TIME_TEAM, troupe } from './team.ts'
import { testContext } from './test-context.ts'

const BAD = '---\nname: Bad\nmodel: passthrough\nlimits:\n  maxTurnz: 3\n---\nx'

function mcpCard(servers: string): string {
  return `---\nmodel: passthrough\ndescription: d\nmcpServers: {${servers}}\n---\nx`
}

/** Server without tools, which creates the file `started` and answers once the file `go` exists. */
const WAITING_SERVER = `
import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
writeFileSync('started', '')
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10))
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
    : { tools: [] }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`

describe('troupe check', () => {
  it('troupe check prints the graph of agents, their models and tools, and a summary', async () => {
    const { code, out } = await troupe(['check', 'team'], TIME_TEAM)
    expect(code).toBe(0)
    expect(out().split('\n')).toEqual([
      'Time  team/time.md  [entry]',
      '│   models: script/script.yaml',
      '│   reaches: now via City',
      '│   at most: 200 runs, 2,200 model calls, 256,000 tool calls, unlimited tokens, unlimited cost',
      '└─ City  team/city.md',
      '       models: script/script.yaml',
      '       tools: now',
      '',
      '2 agents, 0 errors, 0 warnings',
      '',
    ])
  })

  it('troupe check names the models with an unknown price, which a budget in USD does not count', async () => {
    const { out } = await troupe(['check', 'one.md'], {
      'one.md': '---\nmodel: [ollama/llama3, openai/gpt-5-mini]\ndescription: d\n---\nx',
    })
    expect(out()).toContain('models: ollama/llama3, openai/gpt-5-mini\n    unknown price: ollama/llama3\n')
    expect(out()).toContain(
      'prices: openai/gpt-5-mini $0.25 in and $2 out per million tokens (list price of 2025-12-27)',
    )
  })

  it.each([
    ['names a server that takes longer than 2 s to connect', [], true, 'Connecting to notes…\n'],
    ['prints no progress with --json', ['--json'], true, ''],
    ['prints no progress if stderr is not a terminal', [], false, ''],
  ])('troupe check --connect %s', async (_, options, tty, progress) => {
    const { path } = await project({
      'one.md': mcpCard('notes: { command: node, args: [server.mjs] }'),
      'server.mjs': WAITING_SERVER,
    })
    const context = testContext({ cwd: path, tty, env: { PATH: process.env['PATH'] ?? '' } })
    const checked = runProgram(['check', '--connect', 'one.md', ...options], context)
    await expect.poll(() => existsSync(join(path, 'started'))).toBe(true)
    await context.clock.advance(1999)
    expect(context.err()).toBe('')
    await context.clock.advance(1)
    expect(context.err()).toBe(progress)
    await writeFile(join(path, 'go'), '')
    expect(await checked).toBe(0)
    expect(context.err()).toBe(progress)
  })

  it('troupe check --connect prints why an MCP server is not connected', async () => {
    const files = {
      'one.md': mcpCard(
        'a: {command: a, env: {A: "${NO_A}"}}, b: {command: b, env: {A: "${NO_A}", B: "${NO_B}"}}',
      ),
      'two.md': mcpCard('c: {command: no-such-program-anywhere}'),
    }
    const { out } = await troupe(['check', '--connect', '.'], files)
    expect(out()).toContain(
      'servers: a (not connected: NO_A is not set), b (not connected: NO_A, NO_B are not set)\n',
    )
    expect(out()).toContain('servers: c (not connected)\n')
    expect((await troupe(['check', 'two.md'], files)).out()).toContain('servers: c (tools: --connect)\n')
  })

  it('troupe check wraps long lines at the width of a terminal only, with a hanging indent', async () => {
    const args = ['check', 'team']
    const terminal = { tty: true, columns: 60, env: { NO_COLOR: '1' } }
    const lines = (await troupe(args, TIME_TEAM, terminal)).out().split('\n')
    expect(lines).toContain('│       calls, unlimited tokens, unlimited cost')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(60)
    expect((await troupe(args, TIME_TEAM)).out()).toMatch(/^│ {3}at most: .* unlimited cost$/mu)
  })

  it('troupe check prints problems as file:line:column with a suggestion, and exits with 2', async () => {
    const { code, out } = await troupe(['check', 'bad.md'], { 'bad.md': BAD })
    expect(code).toBe(2)
    expect(out()).toMatch(
      /^bad\.md:5:3 {2}error {2}.*`limits\.maxTurnz`.*did you mean `.*maxTurns`.* \[card_unknown_key\]$/mu,
    )
    expect(out()).toMatch(/1 error/u)
  })

  it('troupe check exits with 2 for an invalid child, but not for an invalid card that was not given', async () => {
    const parent = '---\nmodel: passthrough\ndescription: d\nagents: [Bad]\n---\nx'
    const reached = await troupe(['check', 'parent.md'], { 'parent.md': parent, 'bad.md': BAD })
    expect(reached.code).toBe(2)
    const unasked = await troupe(['check', 'one.md', '--card', 'bad.md'], {
      ...oneAgent('- say: hi'),
      'bad.md': BAD,
    })
    expect(unasked.out()).toContain('card_unknown_key')
    expect(unasked.code).toBe(0)
  })

  it('troupe check exits with 2 if the configuration of the project prevents a given card from loading', async () => {
    const { code, out } = await troupe(['check', '.fast-agent/agent-cards/a.md'], {
      '.fast-agent/agent-cards/a.md': '---\ntype: agent\nmodel: passthrough\n---\nx',
      '.fast-agent/fast-agent.yaml': 'llm_retries: 1\n',
      '.fast-agent/fastagent.config.yaml': 'llm_retries: 2\n',
    })
    expect(out()).toContain('The folder has two fast-agent configurations')
    expect(code).toBe(2)
  })

  it('troupe check prints the source of each variable', async () => {
    const files = {
      'one.md': '---\nmodel: openai/gpt-5-mini\ndescription: d\nenv: [FROM_FILE, FROM_NOWHERE]\n---\nx',
      'troupe.env': 'FROM_FILE=x\n',
    }
    const { out } = await troupe(['check', 'one.md'], files, { env: { OPENAI_API_KEY: 'sk-12345678' } })
    expect(out()).toMatch(/^OPENAI_API_KEY +process +the model openai\/gpt-5-mini +one$/mu)
    expect(out()).toMatch(/^FROM_FILE +\S+troupe\.env +/mu)
    expect(out()).toMatch(/^FROM_NOWHERE +missing +/mu)
    expect(out()).not.toContain('sk-12345678')
  })

  it('troupe check prints a cycle once and reports it', async () => {
    const card = (child: string): string =>
      `---\nmodel: passthrough\ndescription: d\nagents: [${child}]\n---\nx`
    const { code, out } = await troupe(['check', 'a.md'], { 'a.md': card('b'), 'b.md': card('a') })
    expect(code).toBe(2)
    expect(out()).toContain('agent_cycle')
    expect(out()).toContain('a (see above)')
  })

  it('troupe check --json prints the plan', async () => {
    const { code, out } = await troupe(['check', 'team', '--json', '--model', 'passthrough'], TIME_TEAM)
    const plan = JSON.parse(out()) as HostPlan
    expect(code).toBe(0)
    expect(plan.entry).toBe('Time')
    expect(plan.agents.map((agent) => agent.models)).toEqual([['passthrough'], ['passthrough']])
  })

  it.each([['check'], ['run', 'x']])(
    'check and run warn about an ignored key of a card, and reject one that restricts: %s',
    async (command, ...rest) => {
      const files = {
        '.claude/agents/a.md': '---\ndescription: d\npermissions: {deny: ["*"]}\nusage: Ask.\n---\nx',
      }
      const { code, out, err } = await troupe([command, '.claude/agents/a.md', ...rest], files)
      expect(code).toBe(2)
      const said = out() + err()
      expect(said).toMatch(
        /a\.md:3:1 {2}error {2}`permissions` is a key of Troupe cards.*\[card_key_ignored\]/u,
      )
      expect(said).toMatch(/a\.md:4:1 {2}warning {2}`usage` is a key of Troupe cards.*\[card_key_ignored\]/u)
      expect(said).toContain('fix: Write `dialect: troupe`')
    },
  )

  it('troupe check reports an assumed format without --explain', async () => {
    const { out } = await troupe(['check', 'a.md', '--model', 'passthrough'], {
      'a.md': '---\ndescription: d\ntools: Read\n---\nx',
    })
    expect(out()).toMatch(
      /a\.md:1:1 {2}warning {2}The file is read as a Claude Code card.*\[card_format_assumed\]/u,
    )
  })

  it('a model alias does not change the format of a card', async () => {
    const { code, out } = await troupe(['check', '.'], {
      'boss.md': '---\ndescription: d\nmodel: sonnet\nagents: [clerk]\n---\nx',
      'clerk.md': '---\ndescription: d\nmodel: haiku\n---\nx',
    })
    expect(code).toBe(0)
    expect(out()).toContain('models: anthropic/claude-sonnet-4-6')
    expect(out()).toContain('└─ clerk')
    expect(out()).not.toContain('filesystem')
  })

  it('troupe check prints no colours to a pipe', async () => {
    const { out } = await troupe(['check', 'team'], TIME_TEAM)
    expect(out()).not.toContain('\u001B')
  })
})
