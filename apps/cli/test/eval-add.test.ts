import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { load } from 'js-yaml'
import { expect, it } from 'vitest'
import { addEvalAdd } from '../src/syntax/eval-add-syntax.ts'
import { shell } from './shell.ts'
import { TIME_TEAM } from './team.ts'
import { testContext } from './test-context.ts'

it('troupe eval add writes a case of a saved run, and a second one beside it', async () => {
  const { path, run } = await shell(TIME_TEAM)
  expect((await run('run', 'team', 'What time is it?', '--store', 'runs.db')).code).toBe(0)
  const add = async (): Promise<string> => {
    const context = testContext({ cwd: path, home: path })
    const program = new Command('eval')
    addEvalAdd(program, async (_options, work) => expect(await work(context)).toBe(0))
    await program.parseAsync(['add', 'run_', '--to', 'team/time.eval.yaml', '--store', 'runs.db'], {
      from: 'user',
    })
    return context.out()
  }
  expect(await add()).toBe('team/time.eval.yaml: added the case what-time-is-it\n')
  expect(await add()).toBe('team/time.eval.yaml: added the case what-time-is-it-2\n')
  const file = load(readFileSync(join(path, 'team/time.eval.yaml'), 'utf8'))
  expect(file).toMatchObject({
    agent: 'Time',
    cases: [
      { id: 'what-time-is-it', input: 'What time is it?' },
      { id: 'what-time-is-it-2', input: 'What time is it?' },
    ],
  })
})
