import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { testContext, type TestContext } from './test-context.ts'

async function run(
  args: string,
  context: TestContext = testContext(),
): Promise<TestContext & { code: number }> {
  const code = await runProgram(args === '' ? [] : args.split(' '), context)
  return { ...context, code }
}

/** Commands with a short and a full help. */
const LONG_COMMANDS = ['run', 'chat', 'check', 'eval', 'mcp', 'serve', 'worker']

function isShort(lines: unknown): boolean {
  return typeof lines === 'number' && lines <= 40
}

describe('help', () => {
  it.each([
    '--help',
    'run --help',
    'check --help',
    'tools --help',
    'tools call --help',
    'servers prompt --help',
    'help run',
  ])('%s prints help as plain text with examples on stdout', async (args) => {
    const { code, out, err } = await run(args, testContext({ tty: true }))
    expect(code).toBe(0)
    expect(out()).toContain('Examples:\n  troupe ')
    expect(out()).toContain('Usage: troupe')
    expect(stripVTControlCharacters(out())).toBe(out())
    expect(err()).toBe('')
  })

  it.each(['runs', 'servers'])(
    '%s without a command prints its help on stderr and exits with 2',
    async (args) => {
      const { code, out, err } = await run(args)
      expect([code, out()]).toEqual([2, ''])
      expect(err()).toContain(`Usage: troupe ${args}`)
    },
  )

  it('every command in the help prints the same help alone and among all commands', async () => {
    const { out } = await run('--help')
    const list = /^Commands:\n([^]*?)\n\n/mu.exec(out())?.[1] ?? ''
    const names = Array.from(list.matchAll(/^ {2}([a-z]+)/gmu), ([, name]) => name)
    expect(names.length).toBeGreaterThan(12)
    for (const name of names.filter((command) => command !== 'help')) {
      const alone = await run(`${name} --help`)
      expect([name, alone.code]).toEqual([name, 0])
      expect(alone.out()).toBe((await run(`help ${name}`)).out())
    }
  })

  it('the help of every command has fewer than 40 lines, and --all lists the other options', async () => {
    const lengthOf = async (args: string): Promise<number> => (await run(args)).out().split('\n').length
    for (const name of LONG_COMMANDS) {
      expect([name, await lengthOf(`${name} --help`)]).toEqual([name, expect.toSatisfy(isShort)])
      expect(await lengthOf(`${name} --help --all`)).toBeGreaterThan(40)
      expect((await run(`help ${name} --all`)).out()).toBe((await run(`${name} --help --all`)).out())
      expect((await run(`${name} --help`)).out()).toContain(`troupe ${name} --help --all`)
    }
    for (const name of [
      '--help',
      'runs --help',
      'tools --help',
      'acp --help',
      'slack --help',
      'doctor --help',
    ])
      expect([name, await lengthOf(name)]).toEqual([name, expect.toSatisfy(isShort)])
  })

  it('--version prints the version of the package', async () => {
    const { code, out } = await run('--version')
    expect(code).toBe(0)
    expect(out()).toMatch(/^\d+\.\d+\.\d+\S*\n$/u)
  })
})

/** The options of every command that loads a team. */
const TEAM =
  '--card --agent-cards --config --root --model --env --env-file --frozen --allow-http --allow-private'

describe('the command line interface', () => {
  it.each([
    ['--help', '--version --help'],
    [
      'run --help',
      `--agent ${TEAM} --set --image --file --session --resume --accept-changes --store --no-store --executor --priority --record --replay --timeout --max-cost --max-tokens --json --events --schema --yes --wait --strict --watch --quiet --verbose --log-format --no-color --help`,
    ],
    [
      'chat --help',
      `--agent ${TEAM} --set --session --continue --list --whole --store --no-store --timeout --max-cost --max-tokens --watch --yes --quiet --verbose --log-format --no-color --help`,
    ],
    ['dev --help', `--agent ${TEAM} --port --store --no-store --yes --no-color --help`],
    ['check --help', `${TEAM} --explain --connect --strict --json --watch --no-color --help`],
    ['test --help', '--env --junit --json --no-color --help'],
    ['tools --help', `--agent ${TEAM} --json --no-color --help`],
    ['tools call --help', `--args --yes --agent ${TEAM} --json --no-color --help`],
    [
      'mcp --help',
      `--agent ${TEAM} --print-config --http --port --store --no-store --audit --watch --quiet --verbose --no-color --help`,
    ],
    [
      'serve --help',
      `--agent ${TEAM} --port --host --token --allow-origin --no-web --no-rest --no-runs --no-tools --no-schedules --no-hooks --no-openai --no-anthropic --no-mcp --no-a2a --no-agui --no-chat --no-push --no-evals --mcp --store --no-store --executor --depths --strict --watch --log-format --quiet --verbose --no-color --help`,
    ],
    ['acp --help', `--agent ${TEAM} --store --no-store --quiet --verbose --no-color --help`],
    ['slack --help', `--agent ${TEAM} --check --store --no-store --watch --quiet --no-color --help`],
    ['convert --help', '--out --no-color --help'],
    ['doctor --help', `${TEAM} --store --json --no-color --help`],
    ['init --help', '--template --provider --model --no-run --yes --help'],
    ['new --help', '--kind --dir --type --description --model --agents --yes --help'],
    ['schema --help', '--help'],
    ['completion --help', '--help'],
    ['runs list --help', '--store --json --no-color --limit --agent --session --state --help'],
    ['runs show --help', '--store --json --no-color --plain --help'],
    ['runs tree --help', '--store --json --no-color --help'],
    ['runs events --help', '--store --json --no-color --after --help'],
    ['runs tail --help', '--store --json --no-color --help'],
    ['runs export --help', '--store --json --no-color --cassette --html --help'],
    [
      'runs fork --help',
      '--store --json --no-color --at --card --env --env-file --accept-changes --events --yes --quiet --help',
    ],
    ['runs approve --help', '--store --json --no-color --deny --reason --link --env --events --quiet --help'],
    ['runs answer --help', '--store --json --no-color --env --events --quiet --help'],
    ['runs purge --help', '--store --json --no-color --older-than --keep --max-bytes --all --help'],
    ['store copy --help', '--quiet --json --no-color --help'],
    ['servers list --help', `${TEAM} --json --no-color --help`],
    ['servers tools --help', `${TEAM} --json --no-color --help`],
    ['servers prompts --help', `${TEAM} --json --no-color --help`],
    ['servers prompt --help', `--arg ${TEAM} --json --no-color --help`],
    ['servers login --help', `${TEAM} --json --no-color --help`],
    ['servers logout --help', `${TEAM} --json --no-color --help`],
    ['servers lock --help', `--server --check ${TEAM} --json --no-color --help`],
  ])('the options of %s stay the same', async (args, options) => {
    const { out } = await run(`${args} --all`)
    const listed = out().matchAll(/^ {2}(?:-\w, )?(?<option>--[a-z0-9-]+)/gmu)
    const names = Array.from(listed, (match) => match.groups?.['option'] ?? '')
    expect(new Set(names)).toEqual(new Set(options.split(' ')))
    expect(names).toHaveLength(options.split(' ').length)
  })

  it('the commands stay the same', async () => {
    const { out } = await run('--help')
    const text = out()
    const commands = text
      .slice(text.indexOf('Commands:'), text.indexOf('Examples:'))
      .matchAll(/^ {2}(?<command>[a-z]+) /gmu)
    expect([...commands].map((match) => match.groups?.['command']).join(' ')).toBe(
      'run chat dev runs store check eval test tools mcp serve worker top acp slack schedules servers convert doctor init new schema completion help',
    )
  })
})

describe('misuse', () => {
  it.each([
    ['chek team', "unknown command 'chek'", 'Did you mean check?'],
    ['run x.md --modle y', "unknown option '--modle'", 'Did you mean --model?'],
    ['check', "missing required argument 'paths'", '--help'],
    ['tools call x.md', "missing required argument 'tool'", '--help'],
    ['run', 'the card is missing', '--help'],
    ['run x.md hi --json --events', "'--json' cannot be used with option '--events'", '--help'],
    ['run x.md hi --timeout soon', '"soon" is not a duration', '--timeout 60s'],
    ['run x.md hi --set broken', 'the value must be a key and a value', '--set limits.maxTurns=5'],
    ['servers prompt git review --arg broken', 'the value must be a key and a value', '--arg pr=7'],
    ['servers prompt git', "missing required argument 'prompt'", '--help'],
    ['http://example.org/card.md hi', 'only https is allowed', '--allow-http'],
    ['https://127.0.0.1/card.md hi', 'is not a public address', '--allow-private'],
  ])('the error for `%s` says how to correct it', async (args, message, hint) => {
    const { code, out, err } = await run(args)
    expect(code).toBe(2)
    expect(err()).toContain(message)
    expect(err()).toContain(hint)
    expect(out()).toBe('')
  })

  it('troupe without arguments prints help on stderr', async () => {
    const { code, out, err } = await run('')
    expect(code).toBe(2)
    expect(err()).toContain('Usage: troupe')
    expect(out()).toBe('')
  })

  it('a usage error with --json is also printed as an object', async () => {
    const { code, out } = await run('run x.md hi --json --timeout soon')
    expect(code).toBe(2)
    expect(JSON.parse(out())).toMatchObject({
      outcome: 'failed',
      error: {
        class: 'config',
        code: 'usage_invalid',
        message: expect.any(String),
        remediation: expect.any(String),
      },
    })
  })
})
