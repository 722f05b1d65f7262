import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startProgram, type Program } from './start-program.ts'
import { project } from './team.ts'

const script = (text: string): string => `agents: { One: [{ say: ${text} }] }\n`
const card = (prompt: string): string =>
  `---\nname: One\ndescription: d\nmodel: script/s.yaml\n---\n${prompt}\n`
const BAD = '---\nname: One\nmodell: x\n---\nBad.\n'
const READY = 'Watching for changes. Press Ctrl-C to stop.'

interface Watching extends Program {
  readonly edit: (file: string, text: string) => Promise<void>
}

async function start(...args: readonly string[]): Promise<Watching> {
  const { path } = await project({ 'team/one.md': card('First.'), 'team/s.yaml': script('first') })
  const program = startProgram(args, path)
  await program.says(READY)
  return {
    ...program,
    edit: async (file, text) => {
      await writeFile(join(path, `${file}~`), text)
      await rename(join(path, `${file}~`), join(path, file))
    },
  }
}

describe('troupe check --watch', () => {
  it('troupe check --watch prints the plan after every change, names the change on stderr, and exits with 130', async () => {
    const program = await start('check', 'team', '--watch')
    await program.until(() => program.out().includes('1 agent, 0 errors, 0 warnings'))
    await program.edit('team/one.md', BAD)
    await program.until(() => /team\/one\.md:3:1 {2}error/u.test(program.out()))
    await program.says('team/one.md: has errors, so the previous team stays in use')
    await program.edit('team/one.md', card('Second.'))
    await program.until(() => program.out().split('1 agent, 0 errors').length === 3)
    await program.says('team/one.md: changed One')
    program.process.kill('SIGINT')
    expect(await program.ends()).toEqual([130, null])
  })

  it('troupe check --watch --json prints each plan as one line of JSON', async () => {
    const program = await start('check', 'team', '--watch', '--json')
    await program.edit('team/two.md', card('Two.').replace('One', 'Two'))
    await program.until(() => program.out().split('\n').length === 3)
    const plans = program
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly agents: readonly unknown[] })
    expect(plans.map(({ agents }) => agents.length)).toEqual([1, 2])
    program.process.kill('SIGTERM')
    expect(await program.ends()).toEqual([143, null])
  })
})

describe('troupe run --watch', () => {
  it('troupe run --watch runs again after every valid edit, reports an invalid one, and prints only answers on stdout', async () => {
    const program = await start('run', 'team', 'go', '--watch')
    await program.until(() => program.out() === 'first\n')
    await program.edit('team/one.md', BAD)
    await program.says('the previous team stays in use')
    await program.says('card_unknown_key')
    await program.edit('team/one.md', card('Third.'))
    await program.until(() => program.out() === 'first\nfirst\n')
    await program.until(() => program.err().split(READY).length === 3)
    await program.edit('team/s.yaml', script('second'))
    await program.until(() => program.out() === 'first\nfirst\nsecond\n')
    program.process.kill('SIGINT')
    expect(await program.ends()).toEqual([130, null])
  })

  it('troupe run --watch waits for the first valid edit of an invalid team', async () => {
    const { path } = await project({ 'one.md': BAD, 's.yaml': script('first') })
    const program = startProgram(['run', '.', 'go', '--watch'], path)
    await program.says(READY)
    expect(program.out()).toBe('')
    await writeFile(join(path, 'one.md'), card('Good.'))
    await program.until(() => program.out() === 'first\n')
    program.process.kill('SIGINT')
    expect(await program.ends()).toEqual([130, null])
  })
})
