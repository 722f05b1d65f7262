import { settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
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
