import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openProject, openTeam, stdioServer } from './support/open-team.ts'

const code = {
  'code.ts': `
export const say = ({ text }) => 'said ' + text
say.effect = 'read'
export const wipe = () => 'wiped'
`,
}
const clerk = (toolHooks: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): string =>
  card({
    name: 'Clerk',
    model: 'passthrough',
    functionTools: ['code.ts:say', 'code.ts:wipe'],
    toolHooks,
    ...more,
  })

async function readLines(path: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('a stock hook of a card', () => {
  it(`a stock hook is written as text or with options, and runs in order with function hooks ${verifies('B9', 'B11', 'B37')}`, async () => {
    const host = await openTeam({
      ...code,
      'hooks.ts': 'export const shout = (ctx, args, callNext) => callNext({ text: args.text + "!" })',
      'clerk.md': clerk([
        { use: 'troupe:clamp', args: { text: { maxLength: 4 } } },
        'hooks.ts:shout',
        'troupe:redact',
        { use: 'deny', tools: ['wipe'], reason: 'Never.' },
      ]),
    })
    expect(host.plan().problems).toEqual([])
    expect(await host.callTool('Clerk', 'say', { text: 'sk-abcdefghijklmnopqrst' })).toMatchObject({
      content: [{ text: 'said sk-a!' }],
    })
    expect(await host.callTool('Clerk', 'wipe', {})).toMatchObject({
      outcome: 'denied',
      content: [{ text: 'Error: Never.' }],
    })
  })

  it('each invalid option of a stock hook is a problem of the plan with line, column and fix', async () => {
    const host = await openTeam({
      ...code,
      'clerk.md': [
        '---',
        'name: Clerk',
        'description: Helps.',
        'model: passthrough',
        'toolHooks:',
        '  - use: troupe:retry',
        '    atempts: 3',
        '    delay: soon',
        '  - troupe:redct',
        '  - use: troupe:audit',
        '    file: ../audit.jsonl',
        '---',
        'Help.',
      ].join('\n'),
    })
    const file = expect.stringMatching(/clerk\.md$/u)
    expect(host.plan().problems).toMatchObject([
      { code: 'hook_bad_option', file, line: 8, column: 5, message: expect.stringContaining('`delay`') },
      { code: 'hook_bad_option', file, line: 7, column: 5, fix: 'Did you mean `attempts`?' },
      { code: 'function_not_found', file, line: 9, fix: 'Did you mean troupe:redact?' },
      { code: 'hook_bad_option', file, line: 11, message: expect.stringContaining('outside the folder') },
    ])
    expect((await host.run('Clerk', 'x')).outcome).toBe('failed')
  })
})

describe('audit with a file', () => {
  it('the audit hook writes complete JSON lines of all agents beside the card, without secrets', async () => {
    const host = await openTeam(
      {
        ...code,
        'clerk.md': clerk([{ use: 'troupe:audit', file: 'audit.jsonl', start: true }], {
          agents: ['Child'],
          mcpServers: { srv: stdioServer() },
          runtimeTools: ['shared'],
          default: true,
        }),
        'child.md': card({ name: 'Child', model: 'passthrough', toolHooks: [] }),
      },
      { env: { SERVICE_TOKEN: 'very-secret-value' } },
    )
    await Promise.all([
      host.callTool('Clerk', 'say', { text: 'very-secret-value' }),
      host.callTool('Clerk', 'agent__Child', { text: 'x' }),
      host.callTool('Clerk', 'srv__echo', { text: 'x' }),
      host.callTool('Clerk', 'shared.get', {}),
    ])
    const lines = await readLines(join(host.path, 'audit.jsonl'))
    const ends = lines.filter((line) => line['phase'] === 'end')
    expect(lines).toHaveLength(8)
    expect(new Set(ends.map((line) => line['source']))).toEqual(
      new Set(['agent', 'function', 'mcp', 'runtime']),
    )
    expect(ends.find((line) => line['tool'] === 'say')).toMatchObject({
      agent: 'Clerk',
      args: { text: '[redacted:SERVICE_TOKEN]' },
      outcome: 'completed',
      durationMs: expect.any(Number),
    })
  })

  it('the audit hook does not follow a link out of the folder, and the call fails with the reason', async () => {
    const outside = await openProject({})
    const host = await openTeam({
      ...code,
      'clerk.md': clerk([{ use: 'audit', file: 'logs/a.jsonl', start: true }]),
    })
    await symlink(outside.path, join(host.path, 'logs'))
    expect((await host.callTool('Clerk', 'say', { text: 'x' })).failure).toMatchObject({
      code: 'hook_failed',
      message: expect.stringMatching(/not made.*outside the folder/u),
    })
    await expect(readFile(join(outside.path, 'a.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('the approve hook', () => {
  const hooks = [{ use: 'troupe:approve', effects: ['once'], reason: 'It cannot be undone.' }]

  it(`the approve hook requests approval for the final arguments, even if no rule requires it ${verifies('R16')}`, async () => {
    const host = await openTeam({ ...code, 'clerk.md': clerk(hooks, { toolPermission: 'never' }) })
    const record = recordEvents()
    const asked: unknown[] = []
    const result = await host.callTool(
      'Clerk',
      'wipe',
      {},
      {
        onEvent: record.listener,
        approve: ({ toolName, reason }) => {
          asked.push([toolName, reason])
          return { decision: 'approved' }
        },
      },
    )
    expect(result.outcome).toBe('completed')
    expect(asked).toEqual([['wipe', 'It cannot be undone.']])
    expect(record.of('approval-request')).toMatchObject([{ reason: 'It cannot be undone.' }])
    expect((await host.callTool('Clerk', 'say', { text: 'x' })).outcome).toBe('completed')
  })

  it(`the approve hook denies calls without approvals, and cannot override a deny rule ${verifies('R16')}`, async () => {
    const alone = await openTeam({ ...code, 'clerk.md': clerk(hooks) })
    expect((await alone.callTool('Clerk', 'wipe', {})).failure?.code).toBe('approval_denied')
    const ruled = await openTeam({ ...code, 'clerk.md': clerk(hooks, { permissions: { deny: ['wipe'] } }) })
    const denied = await ruled.callTool('Clerk', 'wipe', {}, { approve: () => ({ decision: 'approved' }) })
    expect(denied.failure?.code).toBe('permission_denied')
  })
})
