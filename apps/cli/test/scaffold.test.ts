import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { load } from 'js-yaml'
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

describe('troupe init', () => {
  it('troupe init creates a team without problems that runs without a key and a message', async () => {
    const { code, out, err, folder } = await troupe(['init', 'demo'], {})
    expect(code).toBe(0)
    expect(out().split('\n')).toContain('demo/lead.md')
    expect(err()).toContain('cd demo && troupe run .')
    const demo = join(folder.path, 'demo')
    const check = await next(demo, 'check', '.')
    expect(check.code).toBe(0)
    expect(check.out).toContain('3 agents, 0 errors, 0 warnings')
    const run = testContext({ cwd: demo, tty: true })
    expect(await runProgram(['run', '.'], run)).toBe(0)
    await settle()
    expect(stripVTControlCharacters(run.out()).trimStart()).toMatch(
      /^Today is \w+day\. The library is open Monday to Friday/u,
    )
    expect(run.err()).toContain('Is the library open today?')
  })

  it('troupe init never overwrites a file', async () => {
    const { code, err, folder } = await troupe(['init'], { 'librarian.md': 'mine' })
    expect(code).toBe(2)
    expect(err()).toMatch(/these files already exist: .*librarian\.md/u)
    expect(await readFile(join(folder.path, 'librarian.md'), 'utf8')).toBe('mine')
    await expect(readFile(join(folder.path, 'lead.md'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('the files of troupe init match the schemas that they name', async () => {
    const { folder } = await troupe(['init'], {})
    const read = (path: string): Promise<string> => readFile(join(folder.path, path), 'utf8')
    const obeys = async (schema: string, value: unknown): Promise<unknown> => {
      const validate = new Ajv2020({ strict: false }).compile(JSON.parse(await read(schema)) as object)
      return validate(value) ? [] : validate.errors
    }
    const config = JSON.parse(await read('troupe.json')) as { readonly $schema: string }
    expect(await obeys(config.$schema, config)).toEqual([])
    const script = await read('script.yaml')
    expect(await obeys(script.match(/\$schema=(\S+)/u)?.[1] ?? '', load(script))).toEqual([])
    const card = (await read('lead.md')).split('---\n')[1] ?? ''
    expect(await obeys(card.match(/\$schema=(\S+)/u)?.[1] ?? '', load(card))).toEqual([])
    expect(await obeys('.troupe/card.schema.json', { name: 'x', modle: 'y' })).not.toEqual([])
  })
})

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
