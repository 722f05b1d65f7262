import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { FakeProvider } from '@troupe/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CANARIES, CANARY_OPTIONS, canaryForms, canaryTeam, startCanaryProvider } from './canaries.ts'
import { toNodeArgs } from './start-program.ts'
import { project } from './team.ts'

const COUNT = Object.values(CANARIES).flatMap((source) => Object.values(source)).length

let provider: FakeProvider
beforeAll(async () => {
  provider = await startCanaryProvider()
})
afterAll(() => provider.close())

/** Returns everything the program prints, as one text. */
async function print(args: readonly string[]): Promise<{ readonly text: string; readonly code: number }> {
  const folder = await project(canaryTeam(provider.baseURL))
  const child = spawn(process.execPath, [...toNodeArgs(), ...args], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], HOME: folder.path, ...CANARIES.shell },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const [code] = (await once(child, 'close')) as [number]
  return { text, code }
}

const MESSAGE = `tell me of ${Object.values(CANARIES)
  .flatMap((source) => Object.values(source))
  .join(' and ')}`
const BAD_JSON = `{"token": "${CANARIES.shell.GITHUB_TOKEN}`

const CASES = [
  ['run', ['run', 'team', MESSAGE], 0, 'says: I shall repeat'],
  ['run --verbose', ['run', 'team', MESSAGE, '--verbose'], 0, 'leak'],
  ['run --quiet', ['run', 'team', MESSAGE, '--quiet'], 0, 'So [redacted:'],
  ['run --json', ['run', 'team', MESSAGE, '--json'], 0, '"outcome": "completed"'],
  ['run --events', ['run', 'team', MESSAGE, '--events'], 0, '"type":"text-delta"'],
  ['a provider that refuses the key', ['run', 'team', 'please fail'], 1, 'model_auth'],
  ['the same as data', ['run', 'team', 'please fail', '--json'], 1, 'model_auth'],
  ['a server that dies', ['run', 'team/dying', 'hi'], 1, 'mcp_start_failed'],
  ['the same as events', ['run', 'team/dying', 'hi', '--events'], 1, 'mcp_start_failed'],
  ['check', ['check', 'team'], 0, 'SIDE_KEY'],
  ['check --json', ['check', 'team', '--json'], 0, 'SIDE_KEY'],
  ['check --connect', ['check', 'team', '--connect'], 0, 'SIDE_KEY'],
  ['doctor', ['doctor', 'team'], 0, 'echo'],
  ['doctor --json', ['doctor', 'team', '--json'], 0, 'echo'],
  ['doctor of a server that dies', ['doctor', 'team/dying'], 2, 'mcp_start_failed'],
  ['tools', ['tools', 'team'], 0, 'echo__env'],
  ['tools --json', ['tools', 'team', '--json'], 0, 'echo__env'],
  ['tools call', ['tools', 'call', 'team', 'echo__env'], 0, '[redacted:'],
  ['tools call --json', ['tools', 'call', 'team', 'echo__env', '--json'], 0, 'structured'],
  [
    'tools call that fails',
    ['tools', 'call', 'team', 'echo__env', '--args', '{"fail": true}'],
    1,
    '[redacted:',
  ],
  [
    'tools call with a function that throws',
    ['tools', 'call', 'team', 'leak', '--args', JSON.stringify({ all: MESSAGE })],
    1,
    'the function throws',
  ],
  ['the help of a card', ['run', 'team', '--help'], 0, 'DESCRIPTION'],
  [
    'arguments that are not valid JSON',
    ['tools', 'call', 'team', 'leak', '--args', BAD_JSON],
    2,
    'not valid JSON',
  ],
  [
    'a variable without a name',
    ['run', 'team', 'hi', '--env', `=${CANARIES.shell.GITHUB_TOKEN}`],
    2,
    '--env',
  ],
  [
    'a setting that cannot be read',
    ['run', 'team', 'hi', '--set', `x=[${CANARIES.shell.GITHUB_TOKEN}`],
    2,
    '--set',
  ],
  [
    'an unknown model',
    ['run', 'team', 'hi', '--model', `openai-${CANARIES.shell.GITHUB_TOKEN}/x`],
    2,
    'model',
  ],
  ['a card that is not there', ['run', `no-${CANARIES.shell.GITHUB_TOKEN}.md`, 'hi'], 2, 'card_unreadable'],
] as const

/** Consecutive cases, others in each run. `CANARIES=all` tests them all. */
const SAMPLE = 10
const first = Date.now() % CASES.length
const chosen = process.env['CANARIES'] === 'all' ? CASES : [...CASES, ...CASES].slice(first, first + SAMPLE)

describe(`none of ${COUNT} secrets`, () => {
  it.each(chosen)('no secret is printed by %s', async (_what, args, code, said) => {
    const printed = await print([...args, ...(args.includes('--help' as never) ? [] : CANARY_OPTIONS)])
    const found = canaryForms().filter((form) => printed.text.includes(form))
    expect({ found, code: printed.code, text: printed.text.includes(said) ? said : printed.text }).toEqual({
      found: [],
      code,
      text: said,
    })
  })
})

it('the secrets still reach the provider and the server', async () => {
  const before = provider.requests.length
  await print(['run', 'team', `my key ${CANARIES.shell.GITHUB_TOKEN}`, ...CANARY_OPTIONS])
  const [first] = provider.requests.slice(before)
  expect(first?.headers['authorization']).toBe(`Bearer ${CANARIES.sidecar.PLAIN}`)
  expect(JSON.stringify(first?.body)).toContain(`my key ${CANARIES.shell.GITHUB_TOKEN}`)
})
