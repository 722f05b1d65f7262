import { stripVTControlCharacters } from 'node:util'
import type { RunEvent, RunReport } from '@troupe/schema'
import { settle, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { oneAgent, project, TIME_TEAM, troupe } from './team.ts'
import { testContext } from './test-context.ts'

const ANSWER = 'It is five in Paris; It is five in Rome\n'
const HI = oneAgent('- say: hi')

describe('streams', () => {
  it(`stdout has the answer and nothing else, stderr a line for each event and the usage ${verifies('A24', 'C57')}`, async () => {
    const { code, out, err } = await troupe(['run', 'team', 'What time is it?'], TIME_TEAM)
    expect(code).toBe(0)
    expect(out()).toBe(ANSWER)
    expect(err()).toMatch(/^Time \w{8} started: What time is it\?$/mu)
    expect(err()).toMatch(/^child:agent__City\[2\] \w{8} calls now \{"zone":"Rome"\}$/mu)
    expect(err()).toMatch(/^City {6}2 {12}4 {11}2 /mu)
  })

  it('a card as the first argument runs without `run`', async () => {
    const { code, out } = await troupe(['team/time.md', 'What', 'time?'], TIME_TEAM)
    expect([code, out()]).toEqual([0, ANSWER])
  })

  it('a goose recipe runs without a message, with its prompt and the values of its parameters', async () => {
    const recipe = `title: t
description: d
instructions: You review.
prompt: Review {{ path }}.
parameters:
  - {key: path, input_type: string, requirement: optional, default: src}
`
    const files = { 'recipe.yaml': recipe }
    const run = ['run', 'recipe.yaml', '--model', 'passthrough', '--quiet']
    expect((await troupe(run, files)).out()).toBe('Review src.\n')
    expect((await troupe([...run, '{"path": "lib"}'], files)).out()).toBe('Review lib.\n')
    const required = { 'recipe.yaml': recipe.replace('optional, default: src', 'required') }
    const { code, err } = await troupe(run, required)
    expect(code).not.toBe(0)
    expect(err()).toContain('path')
  })

  it('--quiet leaves stderr empty', async () => {
    const { out, err } = await troupe(['run', 'team', 'time?', '--quiet'], TIME_TEAM)
    expect([out(), err()]).toEqual([ANSWER, ''])
  })

  it('--json prints the report as one object', async () => {
    const { code, out } = await troupe(['run', 'team', 'time?', '--json'], TIME_TEAM)
    const report = JSON.parse(out()) as RunReport
    expect(code).toBe(0)
    expect(Object.keys(report).toSorted()).toEqual(
      [
        'activeMs',
        'agent',
        'durationMs',
        'outcome',
        'output',
        'problemCount',
        'problems',
        'runId',
        'sessionId',
        'usage',
      ].toSorted(),
    )
    expect(report).toMatchObject({ agent: 'Time', outcome: 'completed', output: { format: 'text' } })
    const { byAgent, ...total } = report.usage
    const rows = Object.values(byAgent)
    expect(Object.keys(byAgent).toSorted()).toEqual(['City', 'Time'])
    expect(rows.reduce((sum, row) => sum + row.inputTokens, 0)).toBe(total.inputTokens)
    expect(rows.reduce((sum, row) => sum + row.toolCalls, 0)).toBe(total.toolCalls)
  })

  it('--json prints the report of a failed run too', async () => {
    const { code, out } = await troupe(
      ['run', 'one.md', 'hello', '--json'],
      oneAgent('- fail: {status: 401, message: bad key}'),
    )
    expect(code).toBe(1)
    expect(JSON.parse(out())).toMatchObject({
      outcome: 'failed',
      error: { class: 'auth', code: 'model_auth' },
    })
  })

  it('--events prints every event as a line of JSON', async () => {
    const { out, err } = await troupe(['run', 'team', 'time?', '--events'], TIME_TEAM)
    const events = out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent)
    const durable = events.filter((event) => event.seq !== undefined)
    expect(durable.map((event) => event.seq)).toEqual(durable.map((_, index) => index + 1))
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['run-start', 'run-end'])
    expect(new Set(events.map((event) => event.instance))).toEqual(new Set(['Time', 'City[1]', 'City[2]']))
    expect(err()).toBe('')
  })

  it('an answer in JSON is printed as JSON, whatever the model wrapped it in', async () => {
    const files = oneAgent('- say: "```json\\n{\\"a\\": 1}\\n```"', { fields: 'output: {format: json}' })
    const { out } = await troupe(['run', 'one.md', 'hello', '--quiet'], files)
    expect(out()).toBe('{\n  "a": 1\n}\n')
  })

  it('a terminal gets no control characters of the model, a pipe gets the text as it is', async () => {
    const files = oneAgent('- say: "a\\e]0;title\\ab\\e[2Jc"')
    const piped = await troupe(['run', 'one.md', 'hello', '--quiet'], files)
    expect(piped.out()).toBe('a\u001B]0;title\u0007b\u001B[2Jc\n')
    const shown = await troupe(['run', 'one.md', 'hello', '--quiet'], files, { tty: true })
    expect(shown.out()).toBe('abc\n')
  })

  it('the answer is rendered as Markdown on a terminal, and unchanged elsewhere', async () => {
    const files = oneAgent('- say: "# Plan\\n\\n- **one**\\n- two"')
    const piped = await troupe(['run', 'one.md', 'hello', '--quiet'], files)
    expect(piped.out()).toBe('# Plan\n\n- **one**\n- two\n')
    const shown = await troupe(['run', 'one.md', 'hello', '--quiet', '--no-color'], files, { tty: true })
    expect(shown.out()).toBe('Plan\n\n• one\n• two\n')
  })

  it('a run that was drawn ends with the command that shows it, if it is stored', async () => {
    const files = oneAgent('- say: hi')
    const args = ['run', 'one.md', 'hello', '--store', 'runs.db']
    const stored = await troupe(args, files, { tty: true })
    expect(stripVTControlCharacters(stored.err())).toMatch(
      /\ntroupe runs show run_[\da-f]{32} --store runs\.db\n$/u,
    )
    const withNpx = await troupe(args, files, { tty: true, env: { npm_command: 'exec' } })
    expect(stripVTControlCharacters(withNpx.err())).toContain('\nnpx troupe runs show run_')
    for (const other of [
      ['run', 'one.md', 'hello', '--no-store'],
      [...args, '--quiet'],
    ]) {
      const { err } = await troupe(other, files, { tty: true })
      expect(err()).not.toContain('runs show')
    }
    const unstored = await troupe(args, oneAgent('- say: hi', { fields: 'store: none' }), { tty: true })
    expect(unstored.err()).not.toContain('runs show')
  })
})

describe('the panel', () => {
  it(`a terminal shows the panel, in which parallel children and the root run keep their outcomes ${verifies('A4', 'A22', 'A58', 'A66')}`, async () => {
    const { out, err } = await troupe(['run', 'team', 'time?'], TIME_TEAM, { tty: true })
    const text = stripVTControlCharacters(err())
    expect(text).toMatch(/^✓ Time +\d+ ms {2}Completed, 2 tool calls$/mu)
    expect(text).toMatch(/^ {2}✓ City\[1\] Paris +\d+ ms {2}Completed, 1 tool call$/mu)
    expect(text).toMatch(/^ {2}✓ City\[2\] Rome +\d+ ms {2}Completed, 1 tool call$/mu)
    expect(stripVTControlCharacters(out()).trimStart()).toBe(ANSWER)
  })

  it.each([{ CI: '1' }, { TERM: 'dumb' }])('the panel is replaced by lines with %o', async (env) => {
    const { err } = await troupe(['run', 'team', 'time?'], TIME_TEAM, { tty: true, env })
    expect(err()).toContain('child:agent__City[1]')
    expect(err()).not.toContain('\u001B[?25l')
  })

  it.each([
    [[], { NO_COLOR: '1' }],
    [[], { NO_COLOR: 'false' }],
    [['--no-color'], {}],
  ])('the panel has no colours with %o %o', async (flags, env) => {
    const { err } = await troupe(['run', 'team', 'time?', ...flags], TIME_TEAM, { tty: true, env })
    expect(err()).toContain('Completed')
    for (const color of ['32', '36', '2', '1']) expect(err()).not.toContain(`\u001B[${color}m`)
  })
})

describe('exit codes', () => {
  it.each([
    ['completed', '- say: hi', '', [], 0],
    ['failed', '- fail: {status: 401}', '', [], 1],
    ['an unset variable', '- say: hi', 'env: [SOME_TOKEN]', [], 2],
    [
      'partial',
      '- {say: some, call: [{tool: x}]}\n- {say: more, call: [{tool: x}]}',
      'limits: {maxTurns: 1}',
      [],
      3,
    ],
    ['timeout', '- {say: late, delay: 1m}', '', ['--timeout', '30ms'], 124],
    ['budget', '- say: hi', '', ['--max-tokens', '5'], 4],
    ['budget of the card', '- say: hi', 'limits: {maxTokens: 5}', [], 4],
  ])('the exit code of a run fits its outcome: %s', async (_name, script, fields, flags, expected) => {
    const { code, err } = await troupe(['run', 'one.md', 'hello', ...flags], oneAgent(script, { fields }))
    expect(code).toBe(expected)
    expect(/^ {2}fix: \S/mu.test(err())).toBe(expected !== 0)
  })

  it.each([
    ['a missing card', ['run', 'nothing.md', 'hi'], /nothing\.md/u],
    [
      'a card with an unknown key',
      ['run', 'bad.md', 'hi'],
      /bad\.md:2:1 {2}error .*`modle`; did you mean `model`/u,
    ],
    ['a child that cannot be loaded', ['run', 'parent.md', 'hi'], /bad\.md/u],
    ['no model', ['run', 'unset.md', 'hi'], /model/u],
    ['an invalid configuration', ['run', 'one.md', 'hi', '--config', 'wrong.json'], /wrong\.json/u],
    [
      'a configuration with a missing variable, even with --quiet',
      ['run', 'one.md', 'hi', '--quiet', '--config', 'open.json'],
      /open\.json:1:1 {2}error {2}Missing: NOT_SET/u,
    ],
    ['an unknown agent', ['run', '.', 'hi', '--agent', 'Onee'], /did you mean "One"/u],
    ['no message', ['run', 'one.md'], /There is no message/u],
  ])('troupe run exits with 2 for %s', async (_name, args, message) => {
    const { code, out, err } = await troupe(args, {
      ...HI,
      'bad.md': '---\nmodle: x\n---\nx',
      'parent.md': '---\nmodel: passthrough\nagents: [bad]\n---\nx',
      'unset.md': '---\ndescription: d\n---\nx',
      'wrong.json': '{"defaultz": {}}',
      'open.json': '{"agents": ["${NOT_SET}"]}',
    })
    expect(code).toBe(2)
    expect(out()).toBe('')
    expect(err()).toMatch(message)
  })

  it('a folder with an invalid entry is rejected with the problem of the entry, and no other card runs', async () => {
    const { code, out, err } = await troupe(['run', '.', 'hi'], {
      ...HI,
      'main.md': '---\ndefault: true\nmodle: x\n---\nx',
    })
    expect([code, out()]).toEqual([2, ''])
    expect(err().match(/main\.md:3:1 {2}error/gu)).toHaveLength(1)
  })

  it('an invalid card that no agent calls is reported and does not stop the run', async () => {
    const { code, out, err } = await troupe(['run', '.', 'hi', '--agent', 'One'], {
      ...HI,
      'bad.md': '---\nmodle: x\n---\nx',
    })
    expect([code, out()]).toEqual([0, 'hi\n'])
    expect(err().match(/bad\.md:2:1 {2}error/gu)).toHaveLength(1)
  })
})

describe('stopping', () => {
  it('a stopped run prints its partial answer and how it ended', async () => {
    const files = oneAgent('- {say: so far, call: [{tool: x}]}\n- {say: late, delay: 1m}')
    const folder = await project(files)
    const context = testContext({ cwd: folder.path })
    const running = runProgram(['run', 'one.md', 'hello'], context)
    while (!context.err().includes('x failed')) await settle()
    context.stop.request('SIGINT')
    expect(await running).toBe(130)
    expect(context.out()).toBe('so far\n')
    expect(context.err()).toContain(
      'cancelled: The run was stopped: Ctrl-C (SIGINT) [cancelled/run_cancelled]',
    )
  })

  it.each([
    ['SIGTERM', 143],
    ['EPIPE', 141],
  ] as const)('a run stopped by %s exits with %i', async (cause, code) => {
    const folder = await project(oneAgent('- {say: late, delay: 1m}'))
    const context = testContext({ cwd: folder.path })
    const running = runProgram(['run', 'one.md', 'hello'], context)
    while (!context.err().includes('started')) await settle()
    const before = context.err()
    context.stop.request(cause)
    expect(await running).toBe(code)
    expect(context.out()).toBe('')
    expect(context.err() === before).toBe(cause === 'EPIPE')
  })
})

describe('the team', () => {
  it(`a team finds children in --card and --agent-cards ${verifies('B19')}`, async () => {
    const files = {
      'time.md': TIME_TEAM['team/time.md'] ?? '',
      'script.yaml': TIME_TEAM['team/script.yaml'] ?? '',
      'cities/script.yaml': TIME_TEAM['team/script.yaml'] ?? '',
      'cities/city.md': TIME_TEAM['team/city.md'] ?? '',
      'cities/tools.mjs': TIME_TEAM['team/tools.mjs'] ?? '',
    }
    const alone = await troupe(['run', 'time.md', 'x', '-q'], files)
    expect(alone.code).toBe(2)
    const byCard = await troupe(['run', 'time.md', 'x', '-q', '--card', 'cities/city.md'], files)
    const byFolder = await troupe(['run', 'time.md', 'x', '-q', '--agent-cards', 'cities'], files)
    expect([byCard.out(), byFolder.out()]).toEqual([ANSWER, ANSWER])
  })

  it('--model replaces every model, and --set changes the entry agent', async () => {
    const { out } = await troupe(['run', 'one.md', 'echo', '-q', '--model', 'passthrough'], HI)
    expect(out()).toBe('echo\n')
    const set = await troupe(['run', 'one.md', 'echo', '-q', '--set', 'model=passthrough'], HI)
    expect(set.out()).toBe('echo\n')
  })

  it(`a missing variable is reported with the places to define it, and --env and --env-file define it ${verifies('C44')}`, async () => {
    const files = { ...oneAgent('- say: hi', { fields: 'env: [SOME_TOKEN]' }), 'my.env': 'SOME_TOKEN=x\n' }
    const missing = await troupe(['run', 'one.md', 'x', '-q'], files)
    expect(missing.err()).toMatch(/Missing: SOME_TOKEN; define it in the shell or in .*troupe\.env/u)
    for (const flags of [
      ['--env', 'SOME_TOKEN=x'],
      ['--env-file', 'my.env'],
    ]) {
      const { code } = await troupe(['run', 'one.md', 'x', '-q', ...flags], files)
      expect(code).toBe(0)
    }
  })

  it("a missing key of the entry's own model is reported once, with the path once and without usage", async () => {
    const files = { 'one.md': '---\ndescription: d\nmodel: openai/gpt-5-mini\n---\nHi.\n' }
    const { code, err, folder } = await troupe(['run', 'one.md', 'x'], files)
    expect(code).toBe(2)
    expect(err()).toBe(
      `error: Missing: OPENAI_API_KEY; define it in the shell or in ${folder.path}/troupe.env [config/env_missing]\n` +
        '  fix: Define it in one of these places, or pass --env OPENAI_API_KEY=VALUE.\n',
    )
  })

  it('a run of a card without a model prints one error and no usage', async () => {
    const { code, err } = await troupe(['run', 'one.md', 'x'], {
      'one.md': '---\ndescription: d\n---\nHi.\n',
    })
    expect(code).toBe(2)
    expect(err()).toMatch(/^error: No model is configured for the agent one\. \S+\n {2}fix: [^\n]+\n$/u)
  })

  it('a missing card file is reported without line and column', async () => {
    const { code, err } = await troupe(['run', 'none.md', 'x'], {})
    expect([code, err()]).toEqual([2, expect.stringMatching(/^none\.md {2}error {2}The file or folder /u)])
  })

  it('a missing key of a child is reported at the start', async () => {
    const files = {
      ...oneAgent('- say: hi', { fields: 'agents: [two]' }),
      'two.md': '---\ndescription: d\nmodel: openai/gpt-5-mini\n---\nHi.\n',
    }
    const { code, err } = await troupe(['run', 'one.md', 'x', '--card', 'two.md'], files)
    expect(code).toBe(0)
    expect(err()).toMatch(/^two\.md:1:1 {2}warning {2}Missing: OPENAI_API_KEY[^]*\nOne \w+ started/u)
  })

  it('a key that the entry agent and a child lack is reported once, as the error of the run', async () => {
    const files = {
      'one.md': '---\ndescription: d\nagents: [two]\n---\nHi.\n',
      'two.md': '---\ndescription: d\n---\nHi.\n',
    }
    const model = ['--model', 'openai/gpt-5-mini', '--card', 'two.md']
    const { code, err } = await troupe(['run', 'one.md', 'x', ...model], files)
    expect(code).toBe(2)
    expect(err()).toMatch(/^error: Missing: OPENAI_API_KEY; [^\n]+\n {2}fix: [^\n]+\n$/u)
  })

  it('a JSON message is checked against the input schema of the agent', async () => {
    const schema =
      'input: {schema: {type: object, properties: {city: {type: string}, day: {type: integer}}, required: [city, day]}}'
    const files = oneAgent("- say: '{{input}}'", { fields: schema })
    const good = await troupe(['run', 'one.md', '{"city": "Paris", "day": 1}', '-q'], files)
    expect([good.code, good.out()]).toEqual([0, '{"city":"Paris","day":1}\n'])
    const bad = await troupe(['run', 'one.md', '{"town": "Paris"}', '-q'], files)
    expect([bad.code, bad.err()]).toEqual([2, expect.stringContaining('input_invalid')])
  })

  it('troupe run reads the message from stdin', async () => {
    const { out } = await troupe(['run', 'one.md', '-q', '--model', 'passthrough'], HI, {
      input: 'from stdin\n',
    })
    expect(out()).toBe('from stdin\n')
  })
})
