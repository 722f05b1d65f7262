import { join } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { project, troupe, troupeIn } from './team.ts'

const SERVER = `
import { createInterface } from 'node:readline'
if (process.argv.includes('broken')) { process.stderr.write('no database\\n'); process.exit(3) }
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }, { name: 'b', inputSchema: { type: 'object' } }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = Object.hasOwn(answers, method) ? { result: answers[method](params) } : { error: { code: -32601, message: 'no' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`
const card = (name: string, fields: string): string =>
  `---\nname: ${name}\ndescription: ${name}.\n${fields}\n---\nDo it.\n`
const GOOD = {
  'team/lead.md': card(
    'lead',
    'model: openai/gpt-5-mini\nservers: [notes]\nagents: [helper]\nenv: [CITY]\ndefault: true',
  ),
  'team/helper.md': card('helper', 'model: passthrough\nservers: [notes]'),
  'team/troupe.env': 'OPENAI_API_KEY=sk-0123456789\n',
  'troupe.json': JSON.stringify({ mcpServers: { notes: { command: 'node', args: ['server.mjs'] } } }),
  'server.mjs': SERVER,
}
const env = { PATH: process.env['PATH'] ?? '', CITY: 'Paris-in-spring' }

describe('troupe doctor', () => {
  it(`troupe doctor prints for everything a team needs whether it is present and its source, but never a value ${verifies('C80', 'C44')}`, async () => {
    const { code, out } = await troupe(['doctor', 'team'], GOOD, { env })
    expect(out()).toMatch(/^ok +node +24\.0\.0/mu)
    expect(out()).toMatch(/^ok +config +\S*troupe\.json +in use$/mu)
    expect(out()).toMatch(/^ok +key +OPENAI_API_KEY +from team\/troupe\.env \(openai\)$/mu)
    expect(out()).toMatch(/^- +keys +\d+ others +not set, and not needed by this team: .*ANTHROPIC_API_KEY/mu)
    expect(out()).toMatch(/^(?:Ready|Not ready): .+\.$/mu)
    expect(out()).toMatch(/^ok +variable +CITY +from the shell; needed for `env` of the card \(lead\)$/mu)
    expect(out()).toMatch(/^ok +model +openai\/gpt-5-mini +used by lead$/mu)
    expect(out()).toMatch(/^ok +server +notes +2 tools in \d+ ms, used by helper, lead$/mu)
    expect(out()).toMatch(/^- +store +none +runs are not saved$/mu)
    expect(out()).toMatch(
      /^(?:ok +processes +namespace +\S.*|warning +processes +group +\S.*setsid\S* can outlive it: \S.*)$/mu,
    )
    expect(out()).not.toContain('sk-0123456789')
    expect(out()).not.toContain('Paris-in-spring')
    expect(code).toBe(0)
  })

  it('troupe doctor names five keys that the team does not need, and counts others only after a key', async () => {
    const without = (await troupe(['doctor'], {}, { env })).out()
    expect(without).toMatch(
      /^- +keys +\d+ +not set, and not needed by this team: \w+(?:, \w+){4} and \d+ more$/mu,
    )
    const withKey = (await troupe(['doctor', 'team'], GOOD, { env })).out()
    expect(withKey).toMatch(/^- +keys +\d+ others +not set, [^\n]+ and \d+ more$/mu)
  })

  it('troupe doctor wraps the last column at the width of a terminal', async () => {
    const terminal = { tty: true, columns: 70, env: { NO_COLOR: '1' } }
    const lines = (await troupe(['doctor'], {}, terminal)).out().split('\n')
    const first = lines.findIndex((line) => line.includes('not needed by this team:'))
    const column = lines[first]?.indexOf('not set') ?? 0
    expect(lines[first + 1]).toMatch(new RegExp(`^ {${column}}\\w`, 'u'))
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(70)
  })

  it('troupe doctor reports a missing variable with all searched files, a server that does not start, and an unknown model', async () => {
    const { code, out } = await troupe(
      ['doctor', 'team', '--env', 'MODE=broken'],
      {
        ...GOOD,
        'team/lead.md': card(
          'lead',
          'model: ghost/x\nservers: [notes]\nagents: [helper]\nenv: [TOWN]\ndefault: true',
        ),
        'troupe.json': JSON.stringify({
          mcpServers: { notes: { command: 'node', args: ['server.mjs', '${MODE}'] } },
        }),
      },
      { env },
    )
    expect(out()).toMatch(/^error +variable +TOWN +not set; needed for `env` of the card \(lead\)$/mu)
    expect(out()).toMatch(
      /^error +server +notes +used by helper, lead: .*no database.*\[mcp_start_failed\]$/mu,
    )
    expect(out()).toMatch(/^error +model +ghost\/x +used by lead: .*\[model_unknown\]$/mu)
    expect(code).toBe(2)
  })

  it('troupe doctor --json prints the findings as one JSON object', async () => {
    const { code, out } = await troupe(['doctor', 'team', '--json'], GOOD, { env })
    const found = JSON.parse(out()) as Record<string, unknown>
    expect(found).toMatchObject({
      ok: true,
      node: '24.0.0',
      agents: ['helper', 'lead'],
      models: [
        { id: 'passthrough', agents: ['helper'] },
        { id: 'openai/gpt-5-mini', agents: ['lead'] },
      ],
      servers: [{ name: 'notes', tools: 2, agents: ['helper', 'lead'], warnings: [] }],
      store: 'none',
    })
    expect(out()).not.toContain('sk-0123456789')
    expect(code).toBe(0)
  })

  it('troupe doctor prints the full path of the default store, also in the home folder, and a named one as it is', async () => {
    const { path } = await project({})
    const storeIn = async (...options: readonly string[]): Promise<string | undefined> =>
      /^ok +store +(\S+)/mu.exec((await troupeIn(path, ['doctor', ...options])).out)?.[1]
    expect(await storeIn()).toBe(join(path, '.local/state/troupe/runs.db'))
    expect(await storeIn('--store', 'data/runs.db')).toBe('data/runs.db')
  })

  it('troupe doctor works in a folder without a team', async () => {
    const { code, out } = await troupe(['doctor'], {}, { env })
    expect(out()).toMatch(/^- +config +troupe\.json +none found$/mu)
    expect(out()).not.toContain('error')
    expect(code).toBe(0)
  })
})

describe('troupe check', () => {
  it(`troupe check reports a missing variable with its location in the card and the places to define it ${verifies('C44')}`, async () => {
    const { out } = await troupe(['check', 'one.md'], {
      'one.md': '---\nname: One\ndescription: One.\nmodel: passthrough\nenv:\n  - CITY\n  - TOWN\n---\nDo.\n',
      'one.env': 'CITY=x\n',
      'troupe.env': 'Z=1\n',
    })
    expect(out()).toContain('one.md:6:5  warning  Missing: CITY, TOWN')
    expect(out()).toMatch(/define them in the shell or in \S*troupe\.env /u)
    expect(out()).toContain('pass --env CITY=VALUE')
  })
})
