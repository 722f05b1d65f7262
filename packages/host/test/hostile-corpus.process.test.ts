import { existsSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createSafeFetch, isPublicAddress } from '@troupe/fetch'
import { startFakeOpenAI } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host, HostOptions, PlanProblem } from '../src/index.ts'
import { card, openTeam } from './support/open-team.ts'

/** Rows of the list of security rules (S1 to S30) that are about cards, addresses, paths, schemas, variables and configuration. */
const ROWS = [
  'S1',
  'S2',
  'S3',
  'S4',
  'S5',
  'S6',
  'S7',
  'S11',
  'S12',
  'S13',
  'S14',
  'S21',
  'S22',
  'S23',
  'S24',
] as const

interface Case {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly options?: Partial<HostOptions>
  /** A problem of the plan that must be there, located. None: the team loads. */
  readonly problem?: Partial<PlanProblem>
  /** Uses a team that loads. */
  readonly use?: (host: Host & { readonly path: string }) => Promise<void>
}

/** Says that it ran: in this process, and as a file. */
const CODE = `
import { writeFileSync } from 'node:fs'
globalThis.PWNED = true
writeFileSync(new URL('ran', import.meta.url), 'yes')
export function tool() { return 'ran' }
export async function hook(ctx, args, next) { return next(args) }
`
const FENCED = (fence: string, body = 'globalThis.PWNED = true'): string => `${fence}\n${body}\n---\nHi.\n`
const RUNS = { command: process.execPath, args: ['code.mjs'] }
const aliases = Array.from(
  { length: 9 },
  (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(9)}]`,
)

let connections = 0
const trap = createServer((socket) => {
  connections += 1
  socket.destroy()
})
beforeAll(() => new Promise<void>((resolve) => void trap.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise<void>((resolve) => void trap.close(() => resolve())))
const trapURL = (): string => `http://127.0.0.1:${(trap.address() as AddressInfo).port}/x`

const CORPUS: Readonly<Record<(typeof ROWS)[number], () => readonly Case[]>> = {
  S1: () => [
    ...[
      '---js',
      '---javascript',
      '---JS',
      '---Javascript',
      '--- js',
      '---coffee',
      '\uFEFF---js',
      '---js\r',
      '---toml',
      '---{',
      '----',
    ].map((fence): Case => ({
      name: `the fence ${JSON.stringify(fence)}`,
      files: { 'a.ai': FENCED(fence) },
      ...(/^\uFEFF?---\s?[a-z{-]/iu.test(fence) ? { problem: { code: 'card_syntax' as const } } : {}),
    })),
    {
      name: 'a second fence in the body',
      files: {
        'a.md': `${card({ name: 'a', model: 'passthrough' })}\n---js\nglobalThis.PWNED = true\n---\n`,
      },
      use: async (host) => void (await host.run(undefined, 'hi')),
    },
    {
      name: 'a tag of another language',
      files: { 'a.md': '---\nname: !!js/function "globalThis.PWNED = true"\n---\nhi' },
      problem: { code: 'card_bad_yaml' },
    },
  ],
  S2: () => [
    {
      name: 'a definition that is changed by who has it',
      files: { 'a.md': card({ name: 'a', model: 'passthrough', env: ['X'] }) },
      use: async (host) => {
        expect(() => Object.assign(host.definition('a'), { name: 'b' })).toThrow(TypeError)
        expect(() => (host.definition('a').env as string[]).push('Y')).toThrow(TypeError)
      },
    },
  ],
  S3: () => [
    {
      name: '__proto__ as a key',
      files: { 'a.md': '---\nname: a\n__proto__: {polluted: true}\n---\nhi' },
      problem: { severity: 'error' },
    },
    {
      name: 'constructor as a key',
      files: { 'a.md': '---\nname: a\nconstructor: {prototype: {polluted: true}}\n---\nhi' },
      problem: { code: 'card_unknown_key' },
    },
    {
      name: '__proto__ in a mapping',
      files: { 'a.md': '---\nname: a\nlimits: {__proto__: {polluted: true}}\n---\nhi' },
      problem: { severity: 'error' },
    },
    {
      name: '__proto__ in troupe.json',
      files: { 'a.md': card({ name: 'a' }), 'troupe.json': '{"__proto__": {"polluted": true}}' },
      problem: { code: 'config_invalid' },
    },
    {
      name: '__proto__ as a server',
      files: { 'a.md': card({ name: 'a', servers: ['__proto__'] }) },
      problem: { code: 'mcp_unknown_server' },
    },
    {
      name: 'constructor as a child',
      files: { 'a.md': card({ name: 'a', agents: ['constructor'] }) },
      problem: { code: 'agent_unknown' },
    },
    {
      name: '__proto__ as a setting',
      files: { 'a.md': card({ name: 'a' }) },
      options: { set: { '__proto__.polluted': true } },
      problem: { severity: 'error' },
    },
    {
      name: '__proto__ as a variable',
      files: {
        'a.md': card({ name: 'a', model: 'passthrough', env: ['__proto__'] }),
        'troupe.env': '__proto__=polluted\n',
      },
    },
  ],
  S4: () => [
    {
      name: 'billion laughs',
      files: { 'a.md': `---\na0: &a0 [x]\n${aliases.join('\n')}\n---\nhi` },
      problem: { code: 'card_bad_yaml' },
    },
    {
      name: 'a circle of anchors',
      files: { 'a.md': '---\nname: &a [*a]\n---\nhi' },
      problem: { code: 'card_bad_yaml' },
    },
    {
      name: 'merge keys',
      files: { 'a.md': '---\nx: &x {name: a}\n<<: *x\n---\nhi' },
      problem: { severity: 'error' },
    },
    {
      name: 'depth',
      files: { 'a.md': `---\ntools: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n---\nhi` },
      problem: { severity: 'error' },
    },
    {
      name: 'many keys',
      files: {
        'a.md': `---\n${Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n')}\n---\nhi`,
      },
      problem: { code: 'card_too_large' },
    },
    {
      name: 'a large file',
      files: { 'a.md': `---\nname: a\n---\n${'x'.repeat(2 * 1024 * 1024)}` },
      problem: { code: 'card_too_large' },
    },
    {
      name: 'a deep troupe.json',
      files: {
        'a.md': card({ name: 'a' }),
        'troupe.json': `{"server": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      },
      problem: { code: 'config_invalid' },
    },
  ],
  S5: () => [
    {
      name: 'a key that is misspelt',
      files: { 'a.md': '---\nname: a\ndescripton: x\n---\nhi' },
      problem: { code: 'card_unknown_key', line: 3, column: 1 },
    },
    {
      name: 'a date in place of a text',
      files: { 'a.md': '---\nname: 2026-01-01\nversion: 1.10\n---\nhi' },
      problem: { code: 'card_bad_value', line: 3 },
    },
    {
      name: 'a number in base 60',
      files: { 'a.md': '---\nname: a\nlimits: {timeout: 12:30:45}\n---\nhi' },
      problem: { code: 'card_bad_value', line: 3 },
    },
    {
      name: 'the Norway of booleans',
      files: { 'a.md': '---\nname: a\ndefault: no\n---\nhi' },
      problem: { code: 'card_bad_value', line: 3 },
    },
  ],
  S6: () =>
    ['^(a+)+$', '^(a|aa)+$', '^(.*a){20}$', '^([a-z]+)*$', '(?=a)a+$'].map((pattern) => ({
      name: `the pattern ${pattern}`,
      files: {
        'a.md': card({
          name: 'a',
          model: 'passthrough',
          input: {
            format: 'json',
            schema: { type: 'object', properties: { x: { type: 'string', pattern } } },
          },
        }),
      },
      use: async (host: Host) => {
        const report = await host.run('a', { x: `${'a'.repeat(40)}!` })
        expect(['completed', 'failed']).toContain(report.outcome)
      },
    })),
  S7: () =>
    [trapURL(), 'file:///etc/passwd', '#/$defs/none', 'http://json-schema.org/x'].map((reference) => ({
      name: `a reference to ${reference.replace(/:\d+/u, '')}`,
      files: {
        'a.md': card({
          name: 'a',
          model: 'passthrough',
          input: { format: 'json', schema: { type: 'object', properties: { x: { $ref: reference } } } },
        }),
      },
      problem: { code: 'invalid_schema' as const, severity: 'error' as const },
    })),
  S11: () =>
    [
      trapURL(),
      trapURL().replace('http:', 'https:'),
      'https://2130706433/a.md',
      'https://0177.0.0.1/a.md',
      'https://[::ffff:127.0.0.1]/a.md',
      'https://169.254.169.254/a.md',
      'file:///etc/passwd',
    ].map((address) => ({
      name: `a child at ${address.replace(/:\d+/u, '')}`,
      files: { 'a.md': card({ name: 'a', model: 'passthrough', agents: [address] }) },
      problem: { code: 'url_refused' as const, severity: 'error' as const },
    })),
  S12: () =>
    [
      { functionTools: ['code.mjs:tool'] },
      { toolHooks: ['code.mjs:hook'] },
      { loopHooks: { onEnd: 'code.mjs:hook' } },
      { mcpServers: { x: RUNS } },
      { servers: ['x'] },
      { env: ['PATH'] },
      { runtimeTools: ['shell'] },
      { input: { format: 'json', schema: 'troupe.json' } },
    ].map((fields) => ({
      name: `a remote card with ${Object.keys(fields).join()}`,
      files: { 'a.md': card({ name: 'a', model: 'passthrough', agents: ['https://example.com/b.md'] }) },
      options: {
        remote: {
          safeFetch: async (url: string) => ({
            url,
            contentType: 'text/plain',
            body: Buffer.from(card({ name: 'b', ...fields })),
          }),
        },
      },
      problem: { code: 'remote_card_forbidden' as const, file: 'https://example.com/b.md', line: 4 },
    })),
  S13: () => [
    {
      name: 'a server of a folder that is only looked at',
      files: {
        'a.md': card({ name: 'a', model: 'passthrough', servers: ['x'] }),
        'troupe.json': JSON.stringify({ mcpServers: { x: RUNS } }),
      },
    },
    {
      name: 'a server in the card itself',
      files: { 'a.md': card({ name: 'a', model: 'passthrough', mcpServers: { x: RUNS } }) },
    },
  ],
  S14: () => [
    ...[
      '../outside.mjs:tool',
      '/etc/passwd.mjs:tool',
      './../team-evil/code.mjs:tool',
      'link/outside.mjs:tool',
      '..%2foutside.mjs:tool',
      'code.mjs\u0000:tool',
      'data:text/javascript,globalThis.PWNED=1:tool',
      'node:fs:writeFileSync',
      'code.mjs:__proto__',
      'code.mjs:constructor.constructor',
    ].map((spec): Case => ({
      name: `the function ${JSON.stringify(spec)}`,
      files: {
        'team/a.md': card({ name: 'a', model: 'passthrough', functionTools: [spec] }),
        'outside.mjs': CODE,
        'team-evil/code.mjs': CODE,
      },
      options: { cards: ['team'] },
      problem: { severity: 'error' },
    })),
    ...['../secret.json', '/etc/passwd', 'link/secret.json', './x/../../secret.json'].map((schema): Case => ({
      name: `the schema ${schema}`,
      files: {
        'team/a.md': card({ name: 'a', model: 'passthrough', input: { format: 'json', schema } }),
        'secret.json': '{"title": "top secret"}',
      },
      options: { cards: ['team'] },
      problem: { code: 'card_bad_value', line: 5 },
    })),
  ],
  S21: () =>
    ['node server.mjs; touch ran', '$(touch ran)', '`touch ran`', 'node|touch ran', '../ran\n'].map(
      (command) => ({
        name: `the command ${JSON.stringify(command)}`,
        files: {
          'a.md': card({
            name: 'a',
            model: 'passthrough',
            mcpServers: { x: { command, args: ['; touch ran', '$(touch ran)'] } },
          }),
        },
        use: async (host: Host) => {
          const report = await host.run('a', 'hi')
          expect(report).toMatchObject({ outcome: 'failed', error: { code: 'mcp_start_failed' } })
        },
      }),
    ),
  S22: () => [
    {
      name: 'what a server sees of the environment',
      files: {
        'a.md': card({
          name: 'a',
          model: 'passthrough',
          mcpServers: { x: { command: process.execPath, args: ['-e', DUMP], env: { OWN: '${GIVEN}' } } },
        }),
        'troupe.env': 'GIVEN=given\nKEPT_TOKEN=canary-0123456789\n',
      },
      options: {
        env: {
          PATH: process.env['PATH'],
          HOME: '/home/me',
          SHELL_TOKEN: 'canary-9876543210',
          NODE_OPTIONS: '--inspect',
          LD_PRELOAD: 'x',
        },
      },
      use: async (host) => {
        const report = await host.run('a', 'hi')
        expect(report.error?.message).toMatch(/seen: HOME,OWN,PATH\b/u)
      },
    },
  ],
  S23: () => [
    {
      name: 'a secret in every text of a card that is broken',
      files: {
        'a.md': `---\nname: a\nmodle: canary-0123456789\nlimits: {timeout: canary-0123456789}\n---\nhi`,
        'troupe.env': 'A_TOKEN=canary-0123456789\n',
      },
      problem: { code: 'card_unknown_key' },
      use: async (host) => expect(JSON.stringify(host.plan())).not.toContain('canary-0123456789'),
    },
  ],
  S24: () => [
    {
      name: 'a secret in the output of a tool',
      files: {
        'a.md': card({ name: 'a', model: 'openai/gpt-5-mini', functionTools: ['leak.mjs:leak'] }),
        'leak.mjs': 'export function leak() { return "canary-0123456789" }\nleak.description = "Leaks."\n',
        'troupe.env': 'A_TOKEN=canary-0123456789\nOPENAI_API_KEY=sk-not-in-a-body\n',
      },
      use: async (host) => {
        const provider = await startFakeOpenAI({
          answers: [{ calls: [{ name: 'leak', args: {} }] }, { text: 'ok' }],
        })
        const again = await openTeam({
          'a.md': card({ name: 'a', model: 'openai/gpt-5-mini', functionTools: ['leak.mjs:leak'] }),
          'leak.mjs': 'export function leak() { return "canary-0123456789" }\nleak.description = "Leaks."\n',
          'troupe.env': `A_TOKEN=canary-0123456789\nOPENAI_API_KEY=sk-not-in-a-body\nOPENAI_BASE_URL=${provider.baseURL}\n`,
        })
        expect(await again.run('a', 'hi')).toMatchObject({ outcome: 'completed' })
        const bodies = JSON.stringify(provider.requests.map(({ body }) => body))
        await provider.close()
        expect(bodies).toContain('[redacted:A_TOKEN]')
        expect(bodies).not.toContain('canary-0123456789')
        expect(host.plan().entry).toBe('a')
      },
    },
  ],
}

const DUMP = "process.stderr.write('seen: ' + Object.keys(process.env).sort()); process.exit(1)"

it(`the hostile corpus has a case for every row ${verifies('C80')}`, () => {
  expect(Object.keys(CORPUS)).toEqual([...ROWS])
  for (const row of ROWS) expect([row, CORPUS[row]().length]).not.toEqual([row, 0])
})

describe.each(ROWS)('hostile files: %s', (row) => {
  // the port of the trap is only known inside of a test
  const count = trap.listening ? CORPUS[row]().length : countOf(row)
  it.each(Array.from({ length: count }, (_, index) => index))(
    'case %i is a located problem or loads, and nothing runs, leaks or connects',
    async (index) => {
      const found = CORPUS[row]()[index]
      if (found === undefined) return
      const before = connections
      const host = await openTeam({ '.git/HEAD': '', 'code.mjs': CODE, ...found.files }, found.options)
      const { problems } = host.plan()
      const errors = problems.filter(({ severity }) => severity === 'error')
      const { problem } = found
      const told = problem === undefined ? errors : problems.filter((each) => isLike(each, problem))
      const wanted = problem === undefined ? [] : [problem]
      expect([found.name, told.slice(0, wanted.length)]).toMatchObject([found.name, wanted])
      expect([found.name, problem === undefined ? errors : []]).toEqual([found.name, []])
      const unlocated = errors.filter(
        ({ file, line }) => file?.endsWith('.md') === true && line === undefined,
      )
      expect([found.name, row === 'S14' ? [] : unlocated]).toEqual([found.name, []])
      await found.use?.(host)
      expect(JSON.stringify(host.plan())).not.toContain('top secret')
      expect({
        name: found.name,
        ran: (globalThis as Record<string, unknown>)['PWNED'] ?? existsSync(join(host.path, 'ran')),
        polluted: ({} as Record<string, unknown>)['polluted'],
        connections: connections - before,
      }).toEqual({ name: found.name, ran: false, polluted: undefined, connections: 0 })
    },
  )
})

function countOf(row: (typeof ROWS)[number]): number {
  return row === 'S7' ? 4 : row === 'S11' ? 7 : CORPUS[row]().length
}

it('loading a folder of cards follows no link out of it', async () => {
  const host = await openTeam({
    '.git/HEAD': '',
    'outside/code.mjs': CODE,
    'outside/secret.json': '{"title": "top secret"}',
    'team/none.txt': '',
  })
  symlinkSync(join(host.path, 'outside'), join(host.path, 'team/link'))
  const { writeFileSync } = await import('node:fs')
  writeFileSync(
    join(host.path, 'team/a.md'),
    card({
      name: 'a',
      functionTools: ['link/code.mjs:tool'],
      input: { format: 'json', schema: { type: 'object' } },
    }),
  )
  writeFileSync(
    join(host.path, 'team/b.md'),
    card({ name: 'b', input: { format: 'json', schema: 'link/secret.json' } }),
  )
  const { createHost } = await import('../src/index.ts')
  const linked = await createHost({ cards: ['team'], cwd: host.path })
  expect(linked.plan().problems.map(({ code, severity }) => [severity, code])).toEqual(
    expect.arrayContaining([
      ['error', 'function_bad_spec'],
      ['error', 'card_bad_value'],
    ]),
  )
  expect(JSON.stringify(linked.plan())).not.toContain('top secret')
  expect(existsSync(join(host.path, 'outside/ran'))).toBe(false)
  await linked.close()
})

describe('any address', () => {
  it('a remote card at any address only leads to connections to public hosts', async () => {
    const part = fc.constantFrom(
      '127.0.0.1',
      '[::1]',
      'localhost',
      '10.0.0.1',
      '0x7f.1',
      '@',
      ':',
      '//',
      '/',
      '\\',
      '.',
      '%31',
      '?',
      '#',
      'a',
      '0',
      'https:',
      'http:',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const connected: string[] = []
        const safeFetch = createSafeFetch({
          clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
          lookup: async () => [{ address: '127.0.0.1', family: 4 }],
          onConnect: ({ address }) => {
            connected.push(address)
            throw new RangeError('there is no network in tests')
          },
        })
        await expect(safeFetch(`https://${parts.join('')}`)).rejects.toThrow(/./u)
        expect(connected.filter((address) => !isPublicAddress(address))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

describe('any configuration and variables', () => {
  it('any configuration and variables load or are located problems, and pollute no prototype', async () => {
    const key = fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      'mcpServers',
      'providers',
      'defaults',
      'agents',
      'toString',
      'a',
    )
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0, '', '${X}', '${'),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node'), { maxKeys: 3 }),
      ),
    })).node
    await fc.assert(
      fc.asyncProperty(tree, fc.string(), async (config, env) => {
        const host = await openTeam({
          'a.md': card({ name: 'a' }),
          'troupe.json': JSON.stringify(config),
          'troupe.env': env,
        })
        const bad = host
          .plan()
          .problems.filter(({ code, line }) => code === 'config_invalid' && line === undefined)
        expect(bad).toEqual([])
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

function isLike(problem: PlanProblem, wanted: Partial<PlanProblem>): boolean {
  return Object.entries(wanted).every(([key, value]) => problem[key as keyof PlanProblem] === value)
}
