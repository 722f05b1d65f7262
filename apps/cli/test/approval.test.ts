import { stripVTControlCharacters } from 'node:util'
import { settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { createScreen } from './screen.ts'
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

  it('output of other calls appears above an open approval of the panel, and after the answer with --verbose', async () => {
    const folder = await project(oneAgent(SCRIPT, { fields: FIELDS, files: NOTE }))
    for (const flags of [[], ['--verbose']]) {
      const context = testContext({ cwd: folder.path, tty: true })
      const running = runProgram([...ARGS, ...flags], context)
      while (!context.err().includes('[y/N]')) await settle()
      context.terminal.notes.stream.write('a note\n')
      await settle()
      expect(context.err().includes('a note\n')).toBe(flags.length === 0)
      context.type('y\n')
      expect(await running).toBe(0)
      expect(context.err()).toContain('a note\n')
    }
  })

  it('the panel stays visible above an approval, and the question stays in the scrollback with its answer', async () => {
    const folder = await project(oneAgent(SCRIPT, { fields: FIELDS, files: NOTE }))
    const context = testContext({ cwd: folder.path, tty: true })
    const screen = createScreen({ columns: 80, rows: 24, lineFeeds: true })
    const running = runProgram(ARGS, context)
    while (!context.err().includes('[y/N]')) await settle()
    await screen.write(context.err())
    const rows = screen.visible()
    const question = rows.findIndex((line) => line === 'One wants to call note with')
    expect(rows.slice(0, question).some((line) => /One .*note/u.test(line))).toBe(true)
    const drawn = context.err().length
    context.type('x')
    context.type('\u007F')
    context.type('y\n')
    expect(await running).toBe(0)
    await screen.write(context.err().slice(drawn))
    expect(screen.all().filter((line) => line.startsWith('Allow it?'))).toEqual([
      'Allow it? [y/N] (s: in this session, a: always) y',
    ])
    expect(screen.all().filter((line) => line.includes('▌'))).toEqual([])
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
    while (!/second[^]*▌/u.test(context.err())) await settle()
    context.type('y\n')
    expect(await running).toBe(0)
    expect(stripVTControlCharacters(context.out())).toBe('noted first, noted second\n')
  })
})
