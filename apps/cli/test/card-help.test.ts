import { settle, verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { oneAgent, TIME_TEAM, troupe } from './team.ts'
import { testContext } from './test-context.ts'

it(`help of a card prints the description, the usage and the front matter with every default ${verifies('C5', 'C58')}`, async () => {
  const { code, out, err } = await troupe(['run', 'team/time.md', '--help'], {
    ...TIME_TEAM,
    'team/troupe.json': '{"defaults": {"limits": {"maxTurns": 7, "toolTimeout": "9s"}}}',
  })
  expect(code).toBe(0)
  expect(err()).toBe('')
  expect(out()).toContain('DESCRIPTION\n  Time: Tells the time in two cities.\n')
  expect(out()).toContain('\nUsage: troupe run team/time.md "What time is it?"\n')
  // keys of the card, of the configuration and of Troupe itself
  expect(out()).toMatch(/^model: script\/script\.yaml # \(card\)/mu)
  expect(out()).toMatch(/^ {2}maxTurns: 7 # \(troupe\.json\)$/mu)
  expect(out()).toMatch(/^ {2}toolTimeout: 9s # \(troupe\.json\)$/mu)
  expect(out()).toMatch(/^ {2}maxParallel: 4 # \(default\)$/mu)
})

it('help of a card is the same without `run` and with -h', async () => {
  const long = await troupe(['run', 'team/time.md', '--help'], TIME_TEAM)
  const short = await troupe(['team/time.md', '-h'], TIME_TEAM)
  expect(short.out()).toBe(long.out())
})

it(`the printed front matter copied into a new file makes a valid agent ${verifies('C59')}`, async () => {
  const { out, folder } = await troupe(['run', 'one.md', '--help'], oneAgent('- say: I am new'))
  const template = out().slice(out().indexOf('---\n'))
  await folder.write('two.md', `${template}\nBe new.\n`)
  const context = testContext({ cwd: folder.path })
  expect(await runProgram(['run', 'two.md', 'hello', '--quiet'], context)).toBe(0)
  await settle()
  expect(context.out()).toBe('I am new\n')
})

it('help of an invalid card prints its problems', async () => {
  const { code, out, err } = await troupe(['run', 'bad.md', '--help'], { 'bad.md': '---\nmodle: x\n---\nx' })
  expect([code, out()]).toEqual([2, ''])
  expect(err()).toContain('did you mean `model`')
})
