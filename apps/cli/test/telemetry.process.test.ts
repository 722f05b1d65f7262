import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spanTree, startOtlpReceiver, type OtlpReceiver } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CANARIES, CANARY_OPTIONS, canaryForms, canaryTeam, startCanaryProvider } from './canaries.ts'
import { startProgram, watchProgram } from './start-program.ts'
import { project, TIME_TEAM } from './team.ts'

const SOURCE = fileURLToPath(new URL('../src/bin.ts', import.meta.url))

async function openReceiver(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver()
  onTestFinished(() => receiver.stop())
  return receiver
}

/** A lead with two children at once. The call of the slow one waits for the file `go`; each model fails once. */
const TEAM = {
  'lead.md': '---\nname: Lead\ndefault: true\nagents: [Fast, Slow]\nmodel: script/team.yaml\n---\nLead.',
  'fast.md': '---\nname: Fast\ndescription: Is fast.\nmodel: script/team.yaml\n---\nWork.',
  'slow.md':
    '---\nname: Slow\ndescription: Is slow.\nmodel: script/team.yaml\nfunctionTools: [tools.mjs:hold]\n---\nWork.',
  'tools.mjs': `import { existsSync } from 'node:fs'
export async function hold() {
  console.error('the tool waits')
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20))
  return 'go'
}
hold.description = 'Waits.'
hold.effect = 'read'`,
  'team.yaml': `agents:
  Lead:
    - call: [{ tool: agent__Fast, args: { text: one } }, { tool: agent__Slow, args: { text: two } }]
    - say: All done.
  Fast:
    - fail: { status: 500, retryAfter: 1ms }
    - say: Fast.
  Slow:
    - fail: { status: 500, retryAfter: 1ms }
    - call: [{ tool: hold }]
    - say: Slow.
`,
}

const TREE = [
  'invoke_agent Lead',
  '  turn 1',
  '    chat team.yaml',
  '    execute_tool agent__Fast',
  '      invoke_agent Fast',
  '        turn 1',
  '          chat team.yaml',
  '    execute_tool agent__Slow',
  '      invoke_agent Slow',
  '        turn 1',
  '          chat team.yaml',
  '          execute_tool hold',
  '        turn 2',
  '          chat team.yaml',
  '  turn 2',
  '    chat team.yaml',
]

describe('the trace of a run whose process is killed with SIGKILL', () => {
  it.each([
    ['before it has sent a span', () => true],
    ['after it has sent spans', ({ spans }: OtlpReceiver) => spans.length > 0],
  ])(
    'a run that is killed %s and resumed by another process is one complete tree',
    { timeout: 60_000 },
    async (_when, isDue) => {
      const receiver = await openReceiver()
      const { path } = await project(TEAM)
      const options = { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } }
      const store = ['--store', 'runs.db']
      const first = startProgram(['run', '.', 'Go.', '--events', ...store], path, options)
      const ended = (agent: string): boolean =>
        first.out().includes(`"agent":"${agent}","instance":"${agent}[1]","depth":1,"type":"run-end"`)
      await first.until(() => first.err().includes('the tool waits') && ended('Fast'))
      await expect.poll(() => isDue(receiver), { timeout: 20_000 }).toBe(true)
      first.process.kill('SIGKILL')
      await first.ends()
      const before = receiver.spans.length
      await writeFile(join(path, 'go'), '')
      const runId = /"rootRunId":"(?<id>\w+)"/u.exec(first.out())?.groups?.['id'] ?? ''
      const second = startProgram(['run', '--resume', runId, ...store], path, options)
      expect(await second.ends()).toEqual([0, null])
      expect(receiver.faults).toEqual([])
      expect(spanTree(receiver.spans)).toEqual(TREE)
      expect(receiver.spans[0]?.traceId).toBe(runId.slice('run_'.length))
      // the ends of the killed process are sent again, with the same ids and contents
      const after = receiver.spans.slice(before)
      expect(new Set(after.map(({ spanId }) => spanId)).size).toBe(after.length)
      expect(after.flatMap(({ links }) => links)).toHaveLength(1)
    },
  )
})

describe('the command', () => {
  it.each([
    [
      'refuses connections',
      () => {
        const server = createServer()
        return new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const { port } = server.address() as AddressInfo
            server.close(() => resolve(port))
          })
        })
      },
    ],
    [
      'never responds',
      () => {
        const server = createServer(() => undefined)
        onTestFinished(() => {
          server.close()
          server.closeAllConnections()
        })
        return new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
        })
      },
    ],
  ])('a collector that %s costs a run nothing but a warning', { timeout: 60_000 }, async (_what, listen) => {
    const url = `http://127.0.0.1:${await listen()}`
    const { path } = await project(TIME_TEAM)
    const program = startProgram(['run', 'team', 'Now?', '--quiet'], path, {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
    })
    expect(await program.ends()).toEqual([0, null])
    expect(program.out()).toBe('It is five in Paris; It is five in Rome\n')
    const warnings = program
      .err()
      .split('\n')
      .filter((line) => line.includes('not sent'))
    expect(warnings).toEqual([
      expect.stringMatching(/^warning: \d+ spans were not sent to http:\/\/127\.0\.0\.1/u),
    ])
  })

  it.each([
    ['a run without an endpoint loads no telemetry', {}, false],
    ['a run with an endpoint loads telemetry', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, true],
  ])('%s', { timeout: 60_000 }, async (_what, env, isLoaded) => {
    const { path } = await project(TIME_TEAM)
    const trace = 'data:text/javascript,' + encodeURIComponent(LIST_MODULES)
    const nodeArgs = ['--conditions=@troupe/source', '--import', trace, SOURCE]
    const program = watchProgram(
      spawn(process.execPath, [...nodeArgs, 'run', 'team', 'Now?', '--quiet'], {
        cwd: path,
        env: { PATH: process.env['PATH'], HOME: path, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    expect((await program.ends())[0]).toBe(0)
    expect(/packages\/otel\/|@opentelemetry\//u.test(program.err())).toBe(isLoaded)
  })
})

it('no secret of a team is sent, even with `telemetry.content`', { timeout: 60_000 }, async () => {
  const receiver = await openReceiver()
  const provider = await startCanaryProvider()
  onTestFinished(() => provider.close())
  const team = canaryTeam(provider.baseURL)
  const config = JSON.parse(team['troupe.json'] ?? '') as object
  const { path } = await project({
    ...team,
    'troupe.json': JSON.stringify({ ...config, telemetry: { content: true } }),
  })
  const message = Object.values(CANARIES)
    .flatMap((source) => Object.values(source))
    .join(' and ')
  for (const input of [message, 'please fail']) {
    const program = startProgram(['run', 'team', input, '--quiet', ...CANARY_OPTIONS], path, {
      env: { ...CANARIES.shell, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    })
    await program.ends()
  }
  const sent = receiver.bodies.join('\n')
  expect(receiver.faults).toEqual([])
  expect(sent).toContain('[redacted:GITHUB_TOKEN]')
  expect(sent).toContain('model_auth')
  expect(canaryForms().filter((form) => sent.includes(form))).toEqual([])
})

/** A loader that writes the address of every loaded module to stderr. */
const LIST_MODULES = `
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context) } })
`
