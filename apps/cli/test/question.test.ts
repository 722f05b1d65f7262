import { stripVTControlCharacters } from 'node:util'
import { settle } from '@troupe/testkit/internal'
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
    while (!/(?:> |: )▌/u.test(context.err().slice(seen))) await settle()
    seen = context.err().length
    context.type(answer)
  }
  expect(await running).toBe(0)
  return context
}

describe('a question of a tool', () => {
  it('a question is asked at the terminal even with --yes', async () => {
    const context = await ask('{question: "Your name?"}', 'Ada\n')
    expect(context.err()).toContain('asks: Your name?\n> ')
    expect(stripVTControlCharacters(context.out())).toBe('done: Ada\n')
  })

  it.each(['2\n', 'BLUE\n', ' blue \n'])(
    'a question accepts a choice by number or text: %j',
    async (answer) => {
      const context = await ask('{question: "Which?", choices: [red, blue]}', answer)
      expect(context.err()).toContain('asks: Which?\n  1) red\n  2) blue\n> ')
      expect(stripVTControlCharacters(context.out())).toBe('done: blue\n')
    },
  )

  it('a question is repeated after an answer that is not a choice', async () => {
    const context = await ask('{question: "Which?", choices: [red, blue]}', 'green\n', '1\n')
    expect(context.err()).toContain('Enter 1 to 2: ')
    expect(stripVTControlCharacters(context.out())).toBe('done: red\n')
  })

  it('a question with a form asks for one field after the other', async () => {
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
      while (!/(?:> |: )▌/u.test(context.err().slice(seen))) await settle()
      seen = context.err().length
      context.type(`${answer}\n`)
    }
    expect(await running).toBe(0)
    expect(context.err()).toContain('asks: Who flies?\nYour name> ')
    expect(context.err()).toContain('Enter a whole number: ')
    expect(context.err()).toContain('  1) Window\n  2) Aisle\nseat> ')
    expect(context.err()).toContain('early [true] (optional)> ')
    expect(JSON.parse(stripVTControlCharacters(context.out()))).toEqual({
      name: 'Ada',
      age: 36,
      seat: 'w',
      meals: ['fish', 'soup'],
      early: true,
    })
  })

  it('a question shows invisible characters as escapes', async () => {
    const context = await ask('{question: "a\\e[2Jb\\u202Ec"}', 'x\n')
    expect(context.err()).not.toContain('\u202e')
    expect(context.err()).toContain('b\\u{202e}c')
  })

  it('a question stays unanswered without a terminal', async () => {
    const { out } = await troupe(ARGS, oneAgent(script('{question: "Who?"}'), { fields: FIELDS }))
    expect(out()).toBe('done: Error: The question was not answered: this run cannot ask questions.\n')
  })
})

describe('built-in tools at the command line', () => {
  const files = oneAgent('[]', {
    fields: 'runtimeTools: [filesystem, shell, human]',
    files: { 'work/a.txt': 'content' },
  })

  it('built-in tools are listed with their need for approval', async () => {
    const { out } = await troupe(['tools', 'one.md'], files)
    const rows = out()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/u).slice(0, 4))
    expect(rows).toContainEqual(['filesystem.read', 'runtime', 'read', 'no'])
    expect(rows).toContainEqual(['filesystem.write', 'runtime', 'once', 'asks'])
    expect(rows).toContainEqual(['shell.execute', 'runtime', 'once', 'asks'])
  })

  it('built-in tools can be called in the folder given by --root', async () => {
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
