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

describe('help', () => {
  it.each([
    '--help',
    'run --help',
    'check --help',
    'tools --help',
    'tools call --help',
    'servers prompt --help',
    'help run',
  ])('%s prints plain text with examples on stdout', async (args) => {
    const { code, out, err } = await run(args, testContext({ tty: true }))
    expect(code).toBe(0)
    expect(out()).toContain('Examples:\n  troupe ')
    expect(out()).toContain('Usage: troupe')
    expect(stripVTControlCharacters(out())).toBe(out())
    expect(err()).toBe('')
  })

  it('the version is that of the package', async () => {
    const { code, out } = await run('--version')
    expect(code).toBe(0)
    expect(out()).toMatch(/^\d+\.\d+\.\d+\S*\n$/u)
  })
})

describe('what scripts rely on', () => {
  it.each([
    ['--help', ['--version', '--help']],
    [
      'run --help',
      [
        '--agent',
        '--card',
        '--agent-cards',
        '--config',
        '--root',
        '--model',
        '--env',
        '--env-file',
        '--frozen',
        '--allow-http',
        '--allow-private',
        '--set',
        '--image',
        '--file',
        '--session',
        '--resume',
        '--accept-changes',
        '--store',
        '--no-store',
        '--record',
        '--replay',
        '--timeout',
        '--max-cost',
        '--max-tokens',
        '--json',
        '--events',
        '--schema',
        '--yes',
        '--wait',
        '--watch',
        '--quiet',
        '--verbose',
        '--log-format',
        '--no-color',
        '--help',
      ],
    ],
    [
      'runs list --help',
      ['--store', '--json', '--no-color', '--limit', '--agent', '--session', '--state', '--help'],
    ],
    ['runs events --help', ['--store', '--json', '--no-color', '--after', '--help']],
    [
      'runs purge --help',
      ['--store', '--json', '--no-color', '--older-than', '--keep', '--max-bytes', '--all', '--help'],
    ],
    ['runs answer --help', ['--store', '--json', '--no-color', '--env', '--events', '--quiet', '--help']],
    [
      'check --help',
      [
        '--card',
        '--agent-cards',
        '--config',
        '--root',
        '--model',
        '--env',
        '--env-file',
        '--frozen',
        '--allow-http',
        '--allow-private',
        '--explain',
        '--connect',
        '--json',
        '--watch',
        '--no-color',
        '--help',
      ],
    ],
    [
      'tools --help',
      [
        '--agent',
        '--card',
        '--agent-cards',
        '--config',
        '--root',
        '--model',
        '--env',
        '--env-file',
        '--frozen',
        '--allow-http',
        '--allow-private',
        '--json',
        '--no-color',
        '--help',
      ],
    ],
    [
      'tools call --help',
      [
        '--args',
        '--yes',
        '--agent',
        '--card',
        '--agent-cards',
        '--config',
        '--root',
        '--model',
        '--env',
        '--env-file',
        '--frozen',
        '--allow-http',
        '--allow-private',
        '--json',
        '--no-color',
        '--help',
      ],
    ],
    ...['prompts', 'prompt'].map((command): [string, string[]] => [
      `servers ${command} --help`,
      [
        ...(command === 'prompt' ? ['--arg'] : []),
        '--card',
        '--agent-cards',
        '--config',
        '--root',
        '--model',
        '--env',
        '--env-file',
        '--frozen',
        '--allow-http',
        '--allow-private',
        '--json',
        '--no-color',
        '--help',
      ],
    ]),
  ])('the options of %s', async (args, options) => {
    const { out } = await run(args)
    const listed = out().matchAll(/^ {2}(?:-\w, )?(?<option>--[a-z-]+)/gmu)
    expect([...listed].map((match) => match.groups?.['option'])).toEqual(options)
  })

  it('the commands', async () => {
    const { out } = await run('--help')
    const commands = out()
      .slice(out().indexOf('Commands:'))
      .matchAll(/^ {2}(?<command>[a-z]+) /gmu)
    expect([...commands].map((match) => match.groups?.['command'])).toEqual(
      expect.arrayContaining([
        'run',
        'check',
        'tools',
        'convert',
        'init',
        'new',
        'schema',
        'completion',
        'help',
      ]),
    )
  })
})

describe('misuse', () => {
  it.each([
    ['chek team', "unknown command 'chek'", 'Did you mean check?'],
    ['run x.md --modle y', "unknown option '--modle'", 'Did you mean --model?'],
    ['check', "missing required argument 'paths'", '--help'],
    ['tools call x.md', "missing required argument 'tool'", '--help'],
    ['run', 'there is no card to run', '--help'],
    ['run x.md hi --json --events', "'--json' cannot be used with option '--events'", '--help'],
    ['run x.md hi --timeout soon', 'this is not a duration', '--timeout 60s'],
    ['run x.md hi --set broken', 'there is no key and value', '--set limits.maxTurns=5'],
    ['servers prompt git review --arg broken', 'there is no key and value', '--arg pr=7'],
    ['servers prompt git', "missing required argument 'prompt'", '--help'],
    ['http://example.org/card.md hi', 'only https is allowed', '--allow-http'],
    ['https://127.0.0.1/card.md hi', 'not an address of the public internet', '--allow-private'],
  ])('%s is told with a way out', async (args, message, hint) => {
    const { code, out, err } = await run(args)
    expect(code).toBe(2)
    expect(err()).toContain(message)
    expect(err()).toContain(hint)
    expect(out()).toBe('')
  })

  it('without arguments prints the help on stderr', async () => {
    const { code, out, err } = await run('')
    expect(code).toBe(2)
    expect(err()).toContain('Usage: troupe')
    expect(out()).toBe('')
  })

  it('with --json prints the error as an object too', async () => {
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
