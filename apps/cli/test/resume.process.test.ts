import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startProgram } from './start-program.ts'
import { oneAgent, project } from './team.ts'

const TOOLS = `
import { appendFileSync } from 'node:fs'
export function pay() {
  appendFileSync(new URL('paid.txt', import.meta.url), 'paid\\n')
  return 'paid'
}
pay.description = 'Pays.'
`

const script = (delay: string) =>
  oneAgent(
    `- {say: First I pay., call: [{tool: pay}]}\n- {say: 'All is {{results.0.text}}.', delay: ${delay}}`,
    { fields: 'functionTools: [tools.mjs:pay]', files: { 'tools.mjs': TOOLS } },
  )

it(
  'a killed run is resumed by the next process without repeating a paid call',
  { timeout: 60_000 },
  async () => {
    const { path } = await project(script('60000'))
    const first = startProgram(['run', 'one.md', 'Go.'], path)
    await first.says('calls pay')
    while (!existsSync(join(path, 'paid.txt'))) await wait(5)
    const list = async (): Promise<string> => {
      const program = startProgram(['runs', 'list'], path)
      await program.ends()
      return program.out()
    }
    // the result of the call is persisted before the next model call
    await first.says('pay completed')
    expect(await list()).toContain('Running')
    const id = /run_\w+/u.exec(await list())?.[0] ?? ''
    const second = startProgram(['run', '--resume', id], path)
    expect((await second.ends())[0]).toBe(1)
    expect(second.err()).toContain(`is in use by process ${first.process.pid}`)
    first.process.kill('SIGKILL')
    await first.ends()
    expect(await list()).toContain('Interrupted')
    writeFileSync(join(path, 'script.yaml'), script('1')['script.yaml'] ?? '')
    const third = startProgram(['run', '--resume', id], path)
    expect(await third.ends()).toEqual([0, null])
    expect(third.out()).toBe('All is paid.\n')
    const [note, next] = third.err().split('\n')
    expect(note).toBe(`Resuming the run ${id}. The result of 1 finished call is reused.`)
    // the line of the model call that was interrupted is the first of what happens now
    expect(next).toMatch(/^One \w+ used /u)
    expect(third.err()).not.toMatch(/started: |says: |calls pay|pay completed/u)
    const scripted = startProgram(['run', '--resume', id, '--events'], path)
    await scripted.ends()
    expect(scripted.out()).toContain('"type":"run-start"')
    expect(readFileSync(join(path, 'paid.txt'), 'utf8')).toBe('paid\n')
  },
)

it('a run stopped by Ctrl-C prints the command that resumes it', { timeout: 60_000 }, async () => {
  const { path } = await project(script('60000'))
  const first = startProgram(['run', 'one.md', 'Go.'], path)
  await first.says('pay completed')
  first.process.kill('SIGINT')
  expect(await first.ends()).toEqual([130, null])
  const [, , ...words] = /troupe run --resume run_\w+/u.exec(first.err())?.[0].split(' ') ?? []
  expect(words).toHaveLength(2)
  writeFileSync(join(path, 'script.yaml'), script('1')['script.yaml'] ?? '')
  const second = startProgram(['run', ...words, '--quiet'], path)
  expect(await second.ends()).toEqual([0, null])
  expect(second.out()).toBe('All is paid.\n')
  expect(readFileSync(join(path, 'paid.txt'), 'utf8')).toBe('paid\n')
})
