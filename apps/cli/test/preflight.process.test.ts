import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it, vi } from 'vitest'
import { runProgram } from '../src/program.ts'
import { oneAgent, project, troupe } from './team.ts'
import { testContext } from './test-context.ts'

/** A server that counts its starts in `starts.txt`, and exits at once if its name is `broken`. */
const SERVER = `
import { createInterface } from 'node:readline'
import { appendFileSync } from 'node:fs'
appendFileSync(process.argv[2], process.argv[3] + '\\n')
if (process.argv[3] === 'broken') { process.stderr.write('no database\\n'); process.exit(3) }
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = Object.hasOwn(answers, method) ? { result: answers[method](params) } : { error: { code: -32601, message: 'no' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`
/** A tool that returns once the file `release` exists. */
const WAITING = `
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
export async function wait() {
  while (!existsSync(new URL('./release', import.meta.url))) await setTimeout(20)
  return 'ready'
}
wait.description = 'Waits.'
`
const card = (name: string, fields: string): string =>
  `---\nname: ${name}\ndescription: ${name}.\n${fields}\n---\nDo it.\n`
const env = { PATH: process.env['PATH'] ?? '' }
const files = (
  child: string,
  servers: Record<string, string>,
  script = '- say: done',
): Record<string, string> => ({
  'team/boss.md': card(
    'boss',
    'model: script/script.yaml\ndefault: true\nservers: [own]\nagents: [clerk]\nfunctionTools: [wait.mjs:wait]',
  ),
  'team/clerk.md': card('clerk', child),
  'team/other.md': card('other', 'model: script/script.yaml\nservers: [elsewhere]'),
  'team/wait.mjs': WAITING,
  'team/script.yaml': `agents:\n  boss:\n    ${script}\n  clerk:\n    - say: child\n`,
  'server.mjs': SERVER,
  'troupe.json': JSON.stringify({
    mcpServers: Object.fromEntries(
      Object.entries({ own: 'own', elsewhere: 'elsewhere', ...servers }).map(([name, word]) => [
        name,
        { command: 'node', args: ['server.mjs', 'starts.txt', word] },
      ]),
    ),
  }),
})
const startsIn = async (folder: string): Promise<readonly string[]> =>
  (await readFile(join(folder, 'starts.txt'), 'utf8').catch(() => '')).split('\n').filter(Boolean).toSorted()

describe('troupe run --strict', () => {
  it(`troupe run --strict exits with 2 before the run if an MCP server of a child does not start ${verifies('C80', 'C19')}`, async () => {
    const team = files('model: script/script.yaml\nservers: [notes]', { notes: 'broken' })
    const { code, out, err, folder } = await troupe(['run', 'team', 'go', '--strict', '--json'], team, {
      env,
    })
    expect(code).toBe(2)
    expect(err()).toMatch(/clerk\.md\S* {2}error {2}.*notes.*no database/u)
    expect(JSON.parse(out())).toMatchObject({ outcome: 'failed', error: { code: 'mcp_start_failed' } })
    expect(new Set(await startsIn(folder.path))).toEqual(new Set(['broken', 'own']))
  })

  it('troupe run --strict exits with 2 if the key of a child is missing', async () => {
    const team = files('model: openai/gpt-5-mini', {})
    const { code, out, err } = await troupe(['run', 'team', 'go', '--strict'], team, { env })
    expect(code).toBe(2)
    expect(err().split('Missing: OPENAI_API_KEY').length - 1).toBe(1)
    expect(err()).toMatch(/^error: Not started because of the problem above \(--strict\)\.$/mu)
    expect(out()).toBe('')
  })

  it('troupe run --strict starts each server once for both the check and the run', async () => {
    const team = files('model: script/script.yaml\nservers: [notes]', { notes: 'notes' })
    const { code, out, folder } = await troupe(['run', 'team', 'go', '--strict'], team, { env })
    expect({ code, out: out() }).toEqual({ code: 0, out: 'done\n' })
    expect(await startsIn(folder.path)).toEqual(['notes', 'own'])
  })
})

describe('troupe run', () => {
  it(`troupe run warns once about an MCP server of a child that does not start, and continues ${verifies('C80')}`, async () => {
    const script = '- call: [{tool: wait, args: {}}]\n    - say: done'
    const team = files('model: script/script.yaml\nservers: [notes]', { notes: 'broken' }, script)
    const folder = await project(team)
    const context = testContext({ cwd: folder.path, env })
    const running = runProgram(['run', 'team', 'go'], context)
    await vi.waitUntil(() => context.err().includes('no database'), { timeout: 20_000 })
    await writeFile(join(folder.path, 'team/release'), '')
    const code = await running
    const { out, err } = context
    expect({ code, out: out() }).toEqual({ code: 0, out: 'done\n' })
    expect(err().split('no database').length - 1).toBe(1)
    expect(err()).toMatch(/clerk\.md\S* {2}warning {2}.*notes/u)
    expect(new Set(await startsIn(folder.path))).toEqual(new Set(['broken', 'own']))
  })

  it('troupe run --quiet starts no server in the background', async () => {
    const team = files('model: script/script.yaml\nservers: [notes]', { notes: 'notes' })
    const { folder } = await troupe(['run', 'team', 'go', '-q'], team, { env })
    expect(await startsIn(folder.path)).toEqual(['own'])
  })
})

describe('troupe serve --strict', () => {
  it(`troupe serve --strict exits with 2 before it listens ${verifies('C80')}`, async () => {
    const team = files('model: script/script.yaml\nservers: [notes]', { notes: 'broken' })
    const { code, out, err } = await troupe(['serve', 'team', '--port', '0', '--strict'], team, { env })
    expect(code).toBe(2)
    expect(err()).toContain('no database')
    expect(out()).toBe('')
  })
})

describe('troupe check --strict', () => {
  it('troupe check --strict exits with 2 for a missing variable, with 3 for other warnings, and with 0 without warnings', async () => {
    const missing = await troupe(
      ['check', 'one.md', '--strict'],
      oneAgent('- say: done', { fields: 'env: [CITY]' }),
    )
    expect(missing.code).toBe(2)
    const doubtful = await troupe(
      ['check', 'one.md', '--strict'],
      oneAgent('- say: done', { fields: 'limits: {timeout: 30}' }),
    )
    expect(doubtful.code).toBe(3)
    const good = await troupe(['check', 'one.md', '--strict'], oneAgent('- say: done'))
    expect(good.code).toBe(0)
  })
})
