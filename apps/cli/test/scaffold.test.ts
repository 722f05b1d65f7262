import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { deployFiles } from '../src/scaffold/deploy-files.ts'
import { troupe } from './team.ts'
import { testContext } from './test-context.ts'

async function next(
  cwd: string,
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const context = testContext({ cwd })
  const code = await runProgram(args, context)
  await settle()
  return { code, out: context.out(), err: context.err() }
}

describe('troupe new', () => {
  it('troupe new creates a card without problems', async () => {
    const { code, out, folder } = await troupe(['new', 'archivist', '--model', 'passthrough'], {})
    expect([code, out()]).toEqual([0, 'archivist.md\n'])
    expect((await next(folder.path, 'check', 'archivist.md')).out).toContain('0 errors, 0 warnings')
    expect((await next(folder.path, 'new', 'archivist')).code).toBe(2)
  })

  it('troupe new prints the next steps with npx if npx runs it', async () => {
    const { err } = await troupe(
      ['new', 'archivist', '--model', 'passthrough'],
      {},
      { env: { npm_command: 'exec' } },
    )
    expect(err()).toContain('\n  npx troupe check archivist.md\n  npx troupe run archivist.md ')
  })

  it.each([
    ['chain', ['--agents', 'a', '--agents', 'b']],
    ['parallel', ['--agents', 'a', '--agents', 'b']],
    ['router', ['--agents', 'a', '--agents', 'b']],
    ['orchestrator', ['--agents', 'a', '--agents', 'b']],
    ['evaluator_optimizer', ['--agents', 'a', '--agents', 'b']],
  ])('troupe new creates a %s of existing agents', async (type, agents) => {
    const child = '---\nmodel: passthrough\ndescription: d\n---\nx'
    const { folder } = await troupe(['new', 'all', '--type', type, '--model', 'passthrough', ...agents], {
      'a.md': child,
      'b.md': child,
    })
    expect((await next(folder.path, 'check', 'all.md')).out).toContain('3 agents, 0 errors, 0 warnings')
  })

  it('troupe new evaluator_optimizer adds an evaluator if only one agent is given', async () => {
    const { folder } = await troupe(['new', 'all', '--type', 'evaluator_optimizer', '--agents', 'a'], {})
    const { out } = await next(folder.path, 'check', 'all.md')
    expect(out).toContain('There is no agent "critic"')
    expect(out).not.toContain('composition_incomplete')
  })

  it('troupe new creates a tool that a card can use as printed', async () => {
    const { code, out, err, folder } = await troupe(
      ['new', 'find-order', '--kind', 'tool', '--description', 'Finds an "order".'],
      { 'a.md': '---\nmodel: passthrough\ndescription: d\nfunctionTools: [find-order.ts:findOrder]\n---\nx' },
    )
    expect([code, out()]).toEqual([0, 'find-order.ts\n'])
    expect(err()).toContain('functionTools: [find-order.ts:findOrder]')
    expect((await next(folder.path, 'check', '.')).out).toContain('1 agent, 0 errors, 0 warnings')
    expect((await next(folder.path, 'tools', '.')).out).toContain('Finds an "order".')
    const call = await next(folder.path, 'tools', 'call', '.', 'findOrder', '--args', '{"text": "7"}')
    expect([call.code, call.out]).toEqual([0, 'You passed 7.\n'])
  })

  it('troupe new creates a Python tool if the name ends with .py', async () => {
    const { code, err, folder } = await troupe(
      ['new', 'find-order.py', '--kind', 'tool', '--description', 'Finds an "order" \\ item.'],
      {
        'a.md': '---\nmodel: passthrough\ndescription: d\nfunctionTools: [find-order.py:find_order]\n---\nx',
      },
    )
    expect(code).toBe(0)
    expect(err()).toContain('functionTools: [find-order.py:find_order]')
    expect((await next(folder.path, 'tools', '.')).out).toContain('Finds an "order" \\ item.')
    const call = await next(folder.path, 'tools', 'call', '.', 'find_order', '--args', '{"text": "7"}')
    expect([call.code, call.out]).toEqual([0, 'You passed 7.\n'])
  })

  it('troupe new writes the files to deploy a team, with the version of the command, without a name only', async () => {
    expect((await troupe(['new'], {})).err()).toContain('name of the new file is missing')
    expect((await troupe(['new', 'x', '--kind', 'deploy'], {})).err()).toContain('takes no name')
    const files = deployFiles('1.2.3')
    expect(files['deploy/image/Containerfile']).toContain('\nARG TROUPE_VERSION=1.2.3\n')
    expect(deployFiles('0.0.0')['deploy/image/Containerfile']).toContain('\nARG TROUPE_VERSION=latest\n')
  })

  it('troupe new creates a hook that a card can use as printed', async () => {
    const card = '---\nmodel: passthrough\ndescription: d\ntoolHooks: [log-calls.ts:logCalls]\n---\nx'
    const { err, folder } = await troupe(['new', 'log-calls', '--kind', 'hook'], { 'a.md': card })
    expect(err()).toContain('toolHooks: [log-calls.ts:logCalls]')
    const text = readFileSync(join(folder.path, 'log-calls.ts'), 'utf8')
    expect(text).toContain("from 'troupe/hooks'")
    expect(text).toMatch(/^ {2}ctx\.log\(/mu)
    expect((await next(folder.path, 'check', '.')).out).toContain('1 agent, 0 errors, 0 warnings')
  })

  it('troupe new creates an evaluation whose cases run', async () => {
    const { folder } = await troupe(['new', 'lead', '--kind', 'eval'], {
      'lead.md': '---\nmodel: passthrough\ndescription: d\n---\nx',
    })
    const { code, out } = await next(folder.path, 'eval', 'lead.eval.yaml')
    expect([code, out]).toEqual([3, expect.stringContaining('first')])
  })

  it('troupe new creates a card with a schedule that fires', async () => {
    const { folder } = await troupe(['new', 'morning', '--kind', 'schedule', '--model', 'passthrough'], {})
    const { code, out } = await next(folder.path, 'check', 'morning.md', '--explain')
    expect([code, out]).toEqual([0, expect.stringContaining('schedule morning of morning:')])
  })

  it('troupe new rejects kinds and names that it cannot write', async () => {
    const kind = await troupe(['new', 'x', '--kind', 'tol'], {})
    expect([kind.code, kind.err()]).toEqual([2, expect.stringContaining('card, tool, hook, eval, schedule')])
    for (const name of ['../up', '1st', 'a;b'])
      expect((await troupe(['new', name, '--kind', 'tool'], {})).code).toBe(2)
    expect((await troupe(['new', '../up', '--kind', 'eval'], {})).code).toBe(2)
  })

  it('troupe new rejects invalid names and types before it writes a file', async () => {
    for (const name of ['../up', 'a/b', '']) expect((await troupe(['new', name], {})).code).toBe(2)
    const { code, err } = await troupe(['new', 'x', '--type', 'chian'], {})
    expect(code).toBe(2)
    expect(err()).toContain('evaluator_optimizer')
  })
})

it('troupe schema prints the schema of a kind of file', async () => {
  const { code, out } = await troupe(['schema', 'config'], {})
  expect(code).toBe(0)
  expect(JSON.parse(out())).toMatchObject({ properties: { mcpServers: {} } })
  expect((await troupe(['schema', 'carb'], {})).code).toBe(2)
})
