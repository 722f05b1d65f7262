import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { Host } from '../src/index.ts'
import { card, openTeam } from './support/open-team.ts'

/** Calls `say` and is done, in every run. */
const caller = () =>
  scriptedModel((_prompt, { index }) =>
    index % 2 === 0 ? { calls: [{ tool: 'say', args: {} }] } : { text: 'done' },
  )

const agent = (prompt = 'x'): string =>
  card({ name: 'A', model: 'm', functionTools: ['code.ts:say'], toolHooks: ['hooks.ts:mark'] }, prompt)

/** A hook that says its word and how often it was called since its module was loaded. */
const hook = (word: string): string => `let count = 0
export const mark = async (ctx, args, callNext) => {
  count += 1
  ctx.log('${word} ' + count)
  return callNext(args)
}
`

async function logsOf(host: Host): Promise<readonly string[]> {
  const record = recordEvents()
  await host.run(undefined, 'x', { onEvent: record.listener })
  return record.of('log').map((event) => event.text)
}

describe('the code of a reloaded team', () => {
  it('reload imports code again only if it has changed', async () => {
    const files = {
      'a.md': agent(),
      'code.ts': `export const say = () => 'said'\n`,
      'hooks.ts': hook('first'),
    }
    const host = await openTeam(files, { models: { m: caller() } })
    const edit = (file: string, text: string): Promise<void> => writeFile(join(host.path, file), text)
    expect(await logsOf(host)).toEqual(['first 1'])

    await edit('a.md', agent('Another prompt.'))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['A'] })
    expect(await logsOf(host)).toEqual(['first 2'])

    await edit('hooks.ts', hook('second'))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['A'] })
    expect(await logsOf(host)).toEqual(['second 1'])
  })

  it('reload keeps the old code if the edit cannot be loaded', async () => {
    const files = {
      'a.md': agent(),
      'code.ts': `export const say = () => 'said'\n`,
      'hooks.ts': hook('first'),
    }
    const host = await openTeam(files, { models: { m: caller() } })
    await writeFile(join(host.path, 'hooks.ts'), 'export const mark = (')
    const kept = await host.reload()
    expect(kept).toMatchObject({ outcome: 'kept', blocked: ['A'] })
    expect(kept.problems[0]).toMatchObject({
      code: 'function_load_failed',
      file: join(host.path, 'a.md'),
      agent: 'A',
    })
    expect(await logsOf(host)).toEqual(['first 1'])
  })

  it('reload updates code in worker threads', async () => {
    const code = (word: string): string => `export const say = () => '${word}'\n`
    const files = {
      'a.md': card({ name: 'A', model: 'm', functionTools: [{ use: 'code.mjs:say', worker: true }] }),
      'code.mjs': code('one'),
    }
    const host = await openTeam(files, { models: { m: caller() } })
    const said = async (): Promise<string> => JSON.stringify((await host.callTool('A', 'say', {})).content)
    expect(await said()).toContain('one')
    await writeFile(join(host.path, 'code.mjs'), code('two'))
    expect((await host.reload()).outcome).toBe('taken')
    expect(await said()).toContain('two')
  })

  it('reload updates code if a module that it imports, directly or not, has changed', async () => {
    const script = join(import.meta.dirname, 'support/edit-import.mjs')
    const args = ['--conditions=@troupe/source', script]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(JSON.parse(stdout)).toEqual([
      ['unchanged', 'one'],
      ['taken', 'two'],
      ['taken', 'three'],
      ['taken', 'one'],
    ])
  })
})
