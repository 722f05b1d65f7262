import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

const BROKEN = ['-e', 'console.error("no disk, key s3cret-value"); process.exit(3)']
const fails = { command: process.execPath, args: BROKEN, env: { KEY: '${API_KEY}' } }

function team(config: object, fields: object = {}): Parameters<typeof openTeam>[0] {
  return {
    'a.md': card({ name: 'A', model: 'm', servers: ['one', 'other'], ...fields }),
    'troupe.json': JSON.stringify({ mcpServers: { one: stdioServer(), other: config } }),
  }
}

describe('a server that does not start', () => {
  it('an optional server that does not start costs a run only its tools, with a warning', async () => {
    const m = scriptedModel([{ calls: [{ tool: 'one__echo', args: { text: 'hi' } }] }, { text: 'done' }])
    const host = await openTeam(team({ ...fails, required: false }, { tools: ['one__echo', 'other__*'] }), {
      models: { m },
      env: { ...process.env, API_KEY: 's3cret-value' },
    })
    const events = recordEvents()
    const report = await host.run('A', 'go', { onEvent: events.listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'done' } })
    const warnings = events.of('warning').map(({ message }) => message)
    expect(warnings).toEqual([
      expect.stringMatching(
        /continues without the tools of the optional MCP server "other".*exited with code 3.*\n.*no disk, key \[redacted:/su,
      ),
    ])
    expect(JSON.stringify(m.calls.map(({ prompt, tools }) => [prompt, tools]))).not.toContain('other')
  })

  it('a required server that does not start fails the run with its exit and its last output, without secrets', async () => {
    const host = await openTeam(team(fails), {
      models: { m: scriptedModel([]) },
      env: { ...process.env, API_KEY: 's3cret-value' },
    })
    const report = await host.run('A', 'go')
    expect(report).toMatchObject({ outcome: 'failed', error: { class: 'tool', code: 'mcp_start_failed' } })
    expect(report.error?.message).toMatch(/exited with code 3.*no disk, key \[redacted:/su)
    expect(JSON.stringify(report)).not.toContain('s3cret-value')
  })

  it('an optional server with an invalid definition fails the run', async () => {
    const host = await openTeam(team({ url: 'nowhere', required: false }), {
      models: { m: scriptedModel([]) },
    })
    expect(await host.run('A', 'go')).toMatchObject({ outcome: 'failed', error: { code: 'mcp_bad_config' } })
  })

  it('a server that did not start is tried again by the next run, even with shared sessions', async () => {
    const m = scriptedModel(() => ({ text: 'done' }))
    const host = await openTeam(
      team({ ...stdioServer(), cwd: './later', required: false }, { acquire: { pool: 1 } }),
      { models: { m } },
    )
    await host.run('A', 'go')
    await mkdir(join(host.path, 'later.new'))
    await writeFile(join(host.path, 'later.new', 'here'), '')
    await rename(join(host.path, 'later.new'), join(host.path, 'later'))
    await host.run('A', 'go')
    const offered = m.calls.map(({ tools }) => tools.includes('other__echo'))
    expect(offered).toEqual([false, true])
  })
})
