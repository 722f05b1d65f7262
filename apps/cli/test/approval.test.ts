import { stripVTControlCharacters } from 'node:util'
import { settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { oneAgent, project, troupe } from './team.ts'
import { testContext, type TestContext } from './test-context.ts'

const NOTE = { 'tools.mjs': 'export function note({ text }) { return "noted " + text }\n' }
const FIELDS = 'functionTools: [tools.mjs:note]\nrequiresApproval: [note]'
const SCRIPT = '- call: [{tool: note, args: {text: "a\\e[2Jb\\u202Ec"}}]\n- say: \'done: {{results.0.text}}\''
const ARGS = ['run', 'one.md', 'hello']

async function ask(answer: string): Promise<TestContext> {
  const folder = await project(oneAgent(SCRIPT, { fields: FIELDS, files: NOTE }))
  const context = testContext({ cwd: folder.path, tty: true })
  const running = runProgram(ARGS, context)
  while (!context.err().includes('[y/N]')) await settle()
  context.type(answer)
  expect(await running).toBe(0)
  return context
}

describe('a call that needs approval', () => {
  it('a call that needs approval is denied without a terminal', async () => {
    const { out } = await troupe(ARGS, oneAgent(SCRIPT, { fields: FIELDS, files: NOTE }))
    expect(out()).toMatch(/^done: Error: .*note requires approval, and this run cannot ask for it\./u)
  })

  it('--yes approves a call', async () => {
    const { out } = await troupe([...ARGS, '--yes'], oneAgent(SCRIPT, { fields: FIELDS, files: NOTE }))
    expect(out()).toContain('done: noted')
  })

  it('--yes does not approve a call that a rule denies', async () => {
    const fields = `${FIELDS}\npermissions: {deny: [note]}`
    const { out } = await troupe([...ARGS, '--yes'], oneAgent(SCRIPT, { fields, files: NOTE }))
    expect(out()).toMatch(/^done: Error: .*forbids/u)
  })

  it.each(['y\n', 'YES\n'])('a call runs after the answer %j at the terminal', async (answer) => {
    expect((await ask(answer)).out()).toContain('done: noted')
  })

  it.each(['\n', 'n\n', 'yep\n'])('a call is denied after the answer %j', async (answer) => {
    expect((await ask(answer)).out()).toContain('done: Error: note was not approved')
  })

  it('an approval shows the whole call, with invisible characters escaped', async () => {
    const context = await ask('n\n')
    expect(context.err()).toContain('text: a\\u{1b}[2Jb\\u{202e}c')
    expect(stripVTControlCharacters(context.err())).toContain('One wants to call note with')
  })

  it('output of other calls is printed after the answer to an approval', async () => {
    const folder = await project(oneAgent(SCRIPT, { fields: FIELDS, files: NOTE }))
    for (const flags of [[], ['--verbose']]) {
      const context = testContext({ cwd: folder.path, tty: true })
      const running = runProgram([...ARGS, ...flags], context)
      while (!context.err().includes('[y/N]')) await settle()
      const asked = context.err()
      context.terminal.notes.stream.write('a note\n')
      await settle()
      expect(context.err()).toBe(asked)
      context.type('y\n')
      expect(await running).toBe(0)
      expect(context.err()).toContain('a note\n')
    }
  })

  it('a call is denied if the program is stopped during its approval', async () => {
    const folder = await project(oneAgent(SCRIPT, { fields: FIELDS, files: NOTE }))
    const context = testContext({ cwd: folder.path, tty: true })
    const running = runProgram(ARGS, context)
    while (!context.err().includes('[y/N]')) await settle()
    context.stop.request('SIGINT')
    expect(await running).toBe(130)
  })

  it('approvals of parallel calls are shown one after the other', async () => {
    const script =
      "- call: [{tool: note, args: {text: first}}, {tool: note, args: {text: second}}]\n- say: '{{results.0.text}}, {{results.1.text}}'"
    const folder = await project(oneAgent(script, { fields: FIELDS, files: NOTE }))
    const context = testContext({ cwd: folder.path, tty: true })
    const running = runProgram(ARGS, context)
    while (!context.err().includes('[y/N]')) await settle()
    expect(context.err()).not.toContain('second')
    context.type('y\n')
    while (context.err().split('[y/N]').length < 3) await settle()
    context.type('y\n')
    expect(await running).toBe(0)
    expect(context.out()).toBe('noted first, noted second\n')
  })
})
