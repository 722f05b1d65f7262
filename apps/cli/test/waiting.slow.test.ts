import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shell as openShell, type Shell } from './shell.ts'
import { oneAgent } from './team.ts'

const SCRIPT =
  '- call: [{tool: note, args: {text: a}}]\n- call: [{tool: note, args: {text: b}}]\n- say: "done: {{results.0.text}}"'
const TEAM = oneAgent(SCRIPT, {
  fields: 'functionTools: [tools.mjs:note]\nrequiresApproval: [note]',
  files: { 'tools.mjs': 'export function note({ text }) { return "noted " + text }\n' },
})

/** Returns a function that runs command lines without a terminal, in one folder. */
async function shell(team = TEAM): Promise<Shell['run']> {
  return (await openShell(team)).run
}

const COMMAND = /troupe (?<words>runs approve \S+ \S+(?: --store \S+)?)/u
const commandIn = (text: string): readonly string[] => COMMAND.exec(text)?.groups?.['words']?.split(' ') ?? []

describe('troupe run --wait', () => {
  it('troupe run --wait suspends the run, exits with 6, and prints the command that continues it', async () => {
    const run = await shell()
    const first = await run('run', 'one.md', 'Go.', '--wait', '--store', 'here.db')
    expect(first).toMatchObject({ code: 6, out: '' })
    expect(first.err).toContain('One wants to call note {"text":"a"}')
    const second = await run(...commandIn(first.err))
    expect(second).toMatchObject({ code: 6, out: '' })
    const third = await run(...commandIn(second.err), '--deny', '--reason', 'not b')
    expect(third.code).toBe(0)
    expect(third.out).toBe('done: Error: note was not approved: not b\n')
  })

  it('a suspended run writes no recording and prints the command that exports one later', async () => {
    const { path, run } = await openShell(TEAM)
    const first = await run('run', 'one.md', 'Go.', '--wait', '--record', 'go.yaml')
    expect(first.code).toBe(6)
    expect(existsSync(join(path, 'go.yaml'))).toBe(false)
    const [, id = ''] = /troupe runs export (run_\w+) --cassette/u.exec(first.err) ?? []
    await run('run', '--resume', id, '--yes')
    await writeFile(join(path, 'go.yaml'), (await run('runs', 'export', id, '--cassette')).out)
    expect(await run('run', 'one.md', '--replay', 'go.yaml')).toMatchObject({
      code: 0,
      out: 'done: noted b\n',
    })
  })

  it('a suspended run is shown as waiting in `runs list` and `runs show`', async () => {
    const run = await shell()
    await run('run', 'one.md', 'Go.', '--wait', '--quiet')
    expect((await run('runs', 'list', '--state', 'waiting')).out).toContain('Waiting')
    const shown = (await run('runs', 'show', 'run_')).out
    expect(shown).toContain('One wants to call note {"text":"a"}')
    const told = await run(...commandIn(shown).slice(0, 3), '--json')
    expect(told.code).toBe(6)
    expect(JSON.parse(told.out)).toMatchObject({ outcome: 'cancelled', error: { code: 'run_waiting' } })
  })

  it('--resume continues a suspended run with --yes or with an approval at the terminal', async () => {
    const run = await shell()
    await run('run', 'one.md', 'Go.', '--wait')
    expect((await run('run', '--resume', 'run_')).code).toBe(6)
    expect(await run('run', '--resume', 'run_', '--yes')).toMatchObject({ code: 0, out: 'done: noted b\n' })
  })

  it('--wait does not change rules and --yes', async () => {
    const run = await shell()
    expect((await run('run', 'one.md', 'Go.', '--wait', '--yes')).out).toBe('done: noted b\n')
    expect((await run('run', 'one.md', 'Go.', '--wait', '--set', 'permissions.deny=[note]')).out).toMatch(
      /^done: Error: .*forbids/u,
    )
  })

  it('--wait requires a saved run', async () => {
    const run = await shell()
    expect(await run('run', 'one.md', 'Go.', '--wait', '--no-store')).toMatchObject({
      code: 2,
      err: expect.stringContaining('usage_invalid'),
    })
  })
})

describe('troupe runs approve', () => {
  it('troupe runs approve rejects a run without open approvals', async () => {
    const run = await shell()
    await run('run', 'one.md', 'Go.', '--yes')
    expect(await run('runs', 'approve', 'run_')).toMatchObject({
      code: 2,
      err: expect.stringContaining('approval_unknown'),
    })
  })
})

describe('a question of an agent', () => {
  const ASKING = oneAgent(
    '- call: [{tool: human.ask, args: {question: Which room?, choices: [red, blue]}}]\n- say: "It is {{results.0.text}}."',
    { fields: 'runtimeTools: [human]' },
  )

  it('a question with --wait suspends the run, is answered by a command, and is not repeated', async () => {
    const run = await shell(ASKING)
    const first = await run('run', 'one.md', 'Go.', '--wait')
    expect(first).toMatchObject({ code: 6, out: '' })
    expect(first.err).toContain('One asks: Which room?')
    const [, , id = '', question = ''] = /(runs answer) (\S+) (\S+) "…"/u.exec(first.err) ?? []
    expect((await run('runs', 'show', id)).out).toContain('One asks: Which room?')
    const wrong = await run('runs', 'answer', id, question, 'green')
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('Answer with red, blue.') })
    expect(await run('runs', 'approve', id)).toMatchObject({ code: 2 })
    expect(await run('runs', 'answer', id, question, '2')).toMatchObject({ code: 0, out: 'It is blue.\n' })
  })

  it('a question with --wait suspends the run even with --yes', async () => {
    const run = await shell(ASKING)
    expect(await run('run', 'one.md', 'Go.', '--wait', '--yes')).toMatchObject({ code: 6 })
  })

  it('a question can be declined', async () => {
    const run = await shell(ASKING)
    await run('run', 'one.md', 'Go.', '--wait')
    const { code, out } = await run('runs', 'approve', 'run_', '--deny', '--reason', 'ask Ada')
    expect([code, out]).toEqual([0, 'It is Error: The question was not answered: ask Ada..\n'])
  })

  it('a question fails without a terminal and without --wait', async () => {
    const run = await shell(ASKING)
    expect((await run('run', 'one.md', 'Go.')).out).toContain('this run cannot ask questions')
  })
})

describe('a form of a suspended run', () => {
  const BOOKING = `export async function book(args, ctx) {
  const properties = {
    name: { type: 'string', title: 'Your name' },
    age: { type: 'integer' },
    seat: { type: 'string', oneOf: [{ const: 'w', title: 'Window' }, { const: 'a', title: 'Aisle' }] },
    meals: { type: 'array', items: { type: 'string', enum: ['fish', 'rice', 'soup'] } },
    early: { type: 'boolean', default: true },
  }
  const form = { type: 'object', properties, required: ['name', 'age', 'seat'] }
  return JSON.stringify((await ctx.ask({ question: 'Who flies?', form })).values)
}
book.description = 'Books.'
book.effect = 'idempotent'
`
  const FORM_TEAM = oneAgent("- call: [{tool: book}]\n- say: '{{results.0.text}}'", {
    fields: 'functionTools: [book.mjs:book]',
    files: { 'book.mjs': BOOKING },
  })

  it('a form is shown with its fields, and accepts JSON that is parsed as at a terminal', async () => {
    const run = await shell(FORM_TEAM)
    const first = await run('run', 'one.md', 'Go.', '--wait')
    expect(first).toMatchObject({ code: 6, out: '' })
    expect(first.err).toContain(
      [
        'One asks: Who flies?',
        '  name: Your name, some text',
        '  age: a whole number',
        '  seat: 1) Window 2) Aisle',
        '  meals: 1) fish 2) rice 3) soup, optional',
        '  early: early [true], yes or no, optional',
      ].join('\n'),
    )
    expect(first.err).toContain(`'{"name": …, "age": …, "seat": …}'`)
    const answer = '{"name": "Ada", "age": 36, "seat": "window", "meals": ["fish", "3"]}'
    const told = await run('runs', 'answer', 'run_', 'run_', answer)
    expect(told.code).toBe(0)
    expect(JSON.parse(told.out)).toEqual({
      name: 'Ada',
      age: 36,
      seat: 'w',
      meals: ['fish', 'soup'],
      early: true,
    })
  })

  it.each([
    ['Ada', 'The answer must be a JSON object.'],
    ['["Ada"]', 'The answer must be a JSON object.'],
    ['{"name": "Ada", "seat": "w"}', 'age must be a whole number.'],
    ['{"name": "Ada", "age": "old", "seat": "w"}', 'age must be a whole number.'],
    ['{"name": "Ada", "age": 36, "seat": "roof"}', 'seat must be 1 to 2.'],
    ['{"name": "Ada", "age": 36, "seat": "w", "__proto__": {}}', 'The question has no field __proto__.'],
  ])('a form rejects %s, and the run stays suspended', async (answer, message) => {
    const run = await shell(FORM_TEAM)
    await run('run', 'one.md', 'Go.', '--wait')
    const { code, err } = await run('runs', 'answer', 'run_', 'run_', answer)
    expect(code).toBe(2)
    expect(err).toContain(message)
    expect((await run('runs', 'list', '--state', 'waiting')).out).toContain('Waiting')
  })
})
