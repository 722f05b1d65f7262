import { settle } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { oneAgent, project, troupe } from './team.ts'
import { testContext, type TestContext } from './test-context.ts'

const FIELDS = 'runtimeTools: [human]'
const ARGS = ['run', 'one.md', 'hello']

function script(args: string): string {
  return `- call: [{tool: human.ask, args: ${args}}]\n- say: 'done: {{results.0.text}}'`
}

async function ask(args: string, ...answers: readonly string[]): Promise<TestContext> {
  const folder = await project(oneAgent(script(args), { fields: FIELDS }))
  const context = testContext({ cwd: folder.path, tty: true })
  const running = runProgram([...ARGS, '--yes'], context)
  let seen = 0
  for (const answer of answers) {
    while (!/(?:> |: )$/u.test(context.err().slice(seen))) await settle()
    seen = context.err().length
    context.type(answer)
  }
  expect(await running).toBe(0)
  return context
}

describe('a question of a tool', () => {
  it('is put to the person at the terminal, whatever --yes says', async () => {
    const context = await ask('{question: "Your name?"}', 'Ada\n')
    expect(context.err()).toContain('asks: Your name?\n> ')
    expect(context.out()).toBe('done: Ada\n')
  })

  it.each(['2\n', 'BLUE\n', ' blue \n'])('takes a choice by its number or text: %j', async (answer) => {
    const context = await ask('{question: "Which?", choices: [red, blue]}', answer)
    expect(context.err()).toContain('asks: Which?\n  1) red\n  2) blue\n> ')
    expect(context.out()).toBe('done: blue\n')
  })

  it('is asked again after an answer that is no choice', async () => {
    const context = await ask('{question: "Which?", choices: [red, blue]}', 'green\n', '1\n')
    expect(context.err()).toContain('Please answer with 1 to 2: ')
    expect(context.out()).toBe('done: red\n')
  })

  it('may be a form, which is filled in field by field', async () => {
    const tool = `
export async function book(_args, ctx) {
  const text = { type: 'string' }
  const properties = {
    name: { ...text, title: 'Your name' },
    age: { type: 'integer' },
    seat: { ...text, oneOf: [{ const: 'w', title: 'Window' }, { const: 'a', title: 'Aisle' }] },
    meals: { type: 'array', items: { ...text, enum: ['fish', 'rice', 'soup'] } },
    early: { type: 'boolean', default: true },
    note: text,
  }
  const required = ['name', 'age', 'seat', 'meals', 'early']
  return (await ctx.ask({ question: 'Who flies?', form: { type: 'object', properties, required } })).text
}
book.description = 'Books.'
`
    const folder = await project(
      oneAgent("- call: [{tool: book}]\n- say: '{{results.0.text}}'", {
        fields: 'functionTools: [book.mjs:book]',
        files: { 'book.mjs': tool },
      }),
    )
    const context = testContext({ cwd: folder.path, tty: true })
    const running = runProgram(ARGS, context)
    let seen = 0
    for (const answer of ['Ada', 'old', '36', 'window', '1, soup', '', '']) {
      while (!/(?:> |: )$/u.test(context.err().slice(seen))) await settle()
      seen = context.err().length
      context.type(`${answer}\n`)
    }
    expect(await running).toBe(0)
    expect(context.err()).toContain('asks: Who flies?\nYour name> ')
    expect(context.err()).toContain('Please answer with a whole number: ')
    expect(context.err()).toContain('  1) Window\n  2) Aisle\nseat> ')
    expect(context.err()).toContain('early [true] (may be left out)> ')
    expect(JSON.parse(context.out())).toEqual({
      name: 'Ada',
      age: 36,
      seat: 'w',
      meals: ['fish', 'soup'],
      early: true,
    })
  })

  it('shows what cannot be seen as an escape', async () => {
    const context = await ask('{question: "a\\e[2Jb\\u202Ec"}', 'x\n')
    expect(context.err()).not.toContain('\u202e')
    expect(context.err()).toContain('b\\u{202e}c')
  })

  it('has no answer where nobody can be asked', async () => {
    const { out } = await troupe(ARGS, oneAgent(script('{question: "Who?"}'), { fields: FIELDS }))
    expect(out()).toBe('done: Error: No person answered: there is nobody to ask.\n')
  })
})

describe('built-in tools at the command line', () => {
  const files = oneAgent('[]', {
    fields: 'runtimeTools: [filesystem, shell, human]',
    files: { 'work/a.txt': 'content' },
  })

  it('are listed with what asks', async () => {
    const { out } = await troupe(['tools', 'one.md'], files)
    const rows = out()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/u).slice(0, 4))
    expect(rows).toContainEqual(['filesystem.read', 'runtime runtime', 'read', 'no'])
    expect(rows).toContainEqual(['filesystem.write', 'runtime runtime', 'once', 'asks'])
    expect(rows).toContainEqual(['shell.execute', 'runtime runtime', 'once', 'asks'])
  })

  it('can be called, in a folder of their own', async () => {
    const read = await troupe(
      ['tools', 'call', 'one.md', 'filesystem.read', '--root', 'work', '--args', '{"path":"a.txt"}'],
      files,
    )
    expect(read.out()).toBe('content\n')
    const shell = await troupe(
      ['tools', 'call', 'one.md', 'shell.execute', '--args', '{"command":"true"}'],
      files,
    )
    expect(shell.code).toBe(5)
  })
})
