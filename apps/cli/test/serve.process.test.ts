import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { serveFolder } from './serve-folder.ts'
import { startProgram, toNodeArgs } from './start-program.ts'
import { project, TIME_TEAM, troupe } from './team.ts'

const EXAMPLE = fileURLToPath(new URL('../../../examples/new-york-london', import.meta.url))

describe('troupe serve', () => {
  it(`troupe serve prints an example for each protocol that works when pasted ${verifies('C72')}`, async () => {
    const folder = await project({})
    const { program, url } = await serveFolder(folder.path, EXAMPLE, '--verbose')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u)
    const lines = program.out().split('\n')
    const commands = lines.filter((line) => line !== '' && !line.startsWith('#'))
    expect(commands.length).toBeGreaterThanOrEqual(5)
    for (const command of commands) {
      const { status, stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
      expect({ command, status }).toEqual({ command, status: 0 })
      expect(stdout).toMatch(/New York|"runId"|time-orchestrator|<!doctype html>|has not been built/iu)
    }
    program.process.kill('SIGTERM')
    expect(await program.ends()).toEqual([143, null])
  })

  it('troupe serve prints $TROUPE_TOKEN in its examples and never a token', async () => {
    const token = 'a-token-of-ada-0123456789'
    const folder = await project({
      ...TIME_TEAM,
      'team/troupe.json': JSON.stringify({ server: { tokens: [{ token, principal: 'ada' }] } }),
    })
    const { program, url } = await serveFolder(
      folder.path,
      'team',
      '--verbose',
      '--token',
      'a-token-of-the-flag-0123456789',
    )
    const commands = program
      .out()
      .split('\n')
      .filter((line) => line.includes(`'${url}/v1/Time'`) && !line.startsWith('#'))
    expect(commands).toHaveLength(1)
    const pasted = spawnSync('sh', ['-c', commands[0] ?? ''], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], TROUPE_TOKEN: token },
    })
    expect(pasted.stdout).toBe('It is five in Paris; It is five in Rome')
    expect(program.out()).toContain('$TROUPE_TOKEN')
    expect(program.out() + program.err()).not.toMatch(/a-token-of|redacted/u)
  })

  it(`troupe serve --agent serves only the named agents, and logs a line of JSON per response ${verifies('C73')}`, async () => {
    const folder = await project(TIME_TEAM)
    const { program, url } = await serveFolder(
      folder.path,
      'team',
      '--agent',
      'Time',
      '--agent',
      'team/city.md',
      '--no-openai',
    )
    expect(program.out()).toContain('# troupe serves Time, City at')
    expect(program.out()).not.toContain('schedule')
    const answer = await fetch(`${url}/v1/Time?q=now`)
    expect(await answer.text()).toBe('It is five in Paris; It is five in Rome')
    expect((await fetch(`${url}/openai/v1/models`)).status).toBe(404)
    await program.says('"path":"/openai/v1/models"')
    const [first = ''] = program
      .err()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    expect(JSON.parse(first)).toMatchObject({
      method: 'GET',
      path: '/v1/Time',
      status: 200,
      principal: 'local',
      headend: 'rest',
      runId: answer.headers.get('troupe-run-id'),
    })
  })

  it('troupe serve resumes the runs of a killed server', async () => {
    const folder = await project({
      'one.md': '---\nname: One\ndescription: one\nmodel: script/script.yaml\n---\nDo it.\n',
      'script.yaml': 'agents:\n  One:\n    - say: done\n      delay: 1500ms\n',
    })
    const first = await serveFolder(folder.path, '.', '--store', 'runs.db')
    const started = await fetch(`${first.url}/api/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"q":"go"}',
    })
    const { runId } = (await started.json()) as { readonly runId: string }
    expect(started.status).toBe(202)
    first.program.process.kill('SIGKILL')
    await first.program.ends()
    const second = await serveFolder(folder.path, '.', '--store', 'runs.db')
    const view = async (): Promise<unknown> => (await fetch(`${second.url}/api/runs/${runId}`)).json()
    await expect.poll(view).toMatchObject({ state: 'completed', output: { text: 'done' } })
  })

  it('troupe run --resume works from any folder with runs and schedules of a killed server', async () => {
    const card = (name: string, fields = ''): string =>
      `---\nname: ${name}\ndescription: one\nmodel: script/script.yaml\n${fields}---\nToday is {{currentDate}}.\n`
    const { path } = await project({
      'team/one.md': card('One', 'functionTools: [tools.mjs:pay]\nrequiresApproval: [pay]\n'),
      'team/tools.mjs': 'export function pay() { return "paid" }\n',
      // without an entry agent
      'team/other.md': card('Other'),
      'more/two.md': card('Two'),
      'team/script.yaml': 'agents:\n  One:\n    - call: [{tool: pay}]\n      delay: 60000\n    - say: done\n',
      'dear/three.md': card('Three'),
      'dear/script.yaml':
        'agents:\n  Three:\n    - call: [{tool: none}]\n      delay: 60000\n      usage: {input: 90000, output: 90000}\n    - say: done\n',
      'more/script.yaml': 'agents:\n  Two:\n    - say: daily work\n',
      'team/troupe.json': JSON.stringify({
        schedules: [{ name: 'daily', agent: 'Two', cron: '0 0 1 1 *', input: 'Work.' }],
      }),
    })
    const { program, url } = await serveFolder(path, 'team', 'more', 'dear')
    const post = async (route: string, body: object): Promise<string> => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${url}/api/${route}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return ((await response.json()) as { readonly runId: string }).runId
    }
    const cut = await post('runs', { agent: 'One', input: 'go' })
    const capped = await post('runs', { agent: 'Three', input: 'go', budget: { maxTokens: 100_000 } })
    const scheduled = await post('schedules/daily/run', {})
    for (const runId of [cut, scheduled]) expect(runId).toMatch(/^run_[\da-f]{32}$/u)
    const stateOf = async (runId: string): Promise<unknown> =>
      ((await (await fetch(`${url}/api/runs/${runId}`)).json()) as { readonly state: string }).state
    await expect.poll(() => stateOf(scheduled)).toBe('completed')
    for (const runId of [cut, capped]) expect(await stateOf(runId)).toBe('running')
    program.process.kill('SIGKILL')
    await program.ends()
    for (const script of ['team/script.yaml', 'dear/script.yaml'].map((file) => join(path, file)))
      writeFileSync(script, readFileSync(script, 'utf8').replace('60000', '1'))
    const troupeOf = async (...args: readonly string[]) => {
      const resumed = startProgram([...args, '--quiet'], '/', { env: { HOME: path } })
      const [code] = await resumed.ends()
      return { code, out: resumed.out(), err: resumed.err() }
    }
    // like on the server, a call that needs approval waits
    expect(await troupeOf('run', '--resume', cut)).toMatchObject({ code: 6, out: '' })
    expect(await troupeOf('runs', 'approve', cut)).toEqual({ code: 0, out: 'done\n', err: '' })
    expect(await troupeOf('run', '--resume', scheduled)).toEqual({ code: 0, out: 'daily work\n', err: '' })
    // the limits of the caller apply, also beside higher ones
    expect(await troupeOf('run', '--resume', capped, '--max-tokens', '900000')).toMatchObject({ code: 4 })
  })

  it(`troupe serve --mcp stdio also serves agents over stdio and exits when the client disconnects ${verifies('C76')}`, async () => {
    const folder = await project(TIME_TEAM)
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...toNodeArgs(), 'serve', 'team', '--mcp', 'stdio', '--port', '0', '--no-store'],
      cwd: folder.path,
      env: { HOME: folder.path },
      stderr: 'pipe',
    })
    let said = ''
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8')
    })
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['Time', 'City'])
    const result = await client.callTool({ name: 'City', arguments: { input: 'Oslo', format: 'text' } })
    expect(result.content).toEqual([{ type: 'text', text: 'It is five in Oslo' }])
    const [, url = ''] = /^# troupe serves .* at (\S+)$/mu.exec(said) ?? []
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await client.close()
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          () => 'there',
          () => 'gone',
        ),
      )
      .toBe('gone')
  })

  it.each([
    [['serve', 'team', '--agent', 'Nobody'], 'agent_unknown'],
    [['serve', 'team', '--host', '0.0.0.0', '--port', '0'], 'server_exposed'],
    [['serve', 'team', '--port', 'x'], 'usage_invalid'],
    [['serve', 'team', '--allow-origin', 'here'], 'usage_invalid'],
    [['serve', 'empty.md'], 'card_unreadable'],
    [['serve', '.claude/agents/denied.md'], 'card_key_ignored'],
  ])('troupe serve %j exits with 2', async (words, code) => {
    const denied = '---\ndescription: d\npermissions: {deny: ["*"]}\n---\nx'
    const files = { ...TIME_TEAM, '.claude/agents/denied.md': denied }
    const { code: exit, err, out } = await troupe(words, files)
    expect(exit).toBe(2)
    expect(err()).toContain(code)
    expect(out()).toBe('')
  })

  it('a second troupe serve on the same port exits with 2 and names --port', async () => {
    const folder = await project(TIME_TEAM)
    const { url } = await serveFolder(folder.path, 'team')
    const second = await troupe(['serve', 'team', '--port', new URL(url).port], TIME_TEAM)
    expect(second.code).toBe(2)
    expect(second.err()).toContain('EADDRINUSE')
    expect(second.err()).toContain('choose another one with `--port`. `--port 0` picks a free one.')
  })

  it('troupe serve reads the configuration and reports a mistake in it', async () => {
    const config = (server: object): string => JSON.stringify({ server })
    const wrong = { ...TIME_TEAM, 'team/troupe.json': config({ prot: 1 }) }
    const { code, err } = await troupe(['serve', 'team'], wrong)
    expect(code).toBe(2)
    expect(err()).toContain('prot')
    const folder = await project({
      ...TIME_TEAM,
      'team/troupe.json': config({
        tokens: [{ token: '${ADA_TOKEN}', principal: 'ada' }],
        without: ['anthropic'],
      }),
    })
    const { program, url } = await serveFolder(folder.path, 'team', '--env', 'ADA_TOKEN=token-of-ada-0001')
    expect((await fetch(`${url}/v1/Time?q=now`)).status).toBe(401)
    const headers = { authorization: 'Bearer token-of-ada-0001' }
    expect((await fetch(`${url}/v1/City?q=Oslo`, { headers })).status).toBe(200)
    expect((await fetch(`${url}/anthropic/v1/models`, { headers })).status).toBe(404)
    expect(program.out() + program.err()).not.toContain('token-of-ada-0001')
    await program.says('"principal":"ada"')
  })
})
