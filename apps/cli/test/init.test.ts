import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { startFakeOpenAI } from '@troupe/testkit'
import { startFakeSlack } from '@troupe/testkit/slack'
import { settle } from '@troupe/testkit/internal'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { load } from 'js-yaml'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runProgram } from '../src/program.ts'
import { TEMPLATE_NAMES, TEMPLATES } from '../src/templates/template-names.ts'
import { project, troupe, troupeIn } from './team.ts'
import { testContext, type TestContext } from './test-context.ts'

/** Keys that a terminal sends. */
const ENTER = '\r'
const DOWN = '\u001B[B'
const CTRL_C = '\u0003'

/** Returns the words of a command as a shell reads them: quotes are the only special characters. */
function wordsOf(command: string): readonly string[] {
  return Array.from(command.matchAll(/"([^"$`\\]*)"|'([^']*)'|([^\s"'$`\\|<>&;]+)/gu), (match) =>
    match.slice(1).join(''),
  )
}

/** Returns the commands that `troupe init` printed, without `cd`. */
function nextSteps(printed: string): readonly string[] {
  const [, steps = ''] = stripVTControlCharacters(printed).split('Next:\n')
  return Array.from(steps.matchAll(/^ {2}(troupe .+)$/gmu), ([, command = '']) => command)
}

/** Answer of the model that matches the schema of the template `extract`. */
const INVOICE = '{"number":"1","date":null,"seller":"Fake","currency":null,"lines":[],"total":1}'

async function startServices(): Promise<{
  readonly baseURL: string
  readonly apiUrl: string
  readonly appToken: string
}> {
  const slack = await startFakeSlack()
  const provider = await startFakeOpenAI({ answers: () => ({ text: INVOICE }) })
  onTestFinished(async () => {
    await provider.close()
    await slack.close()
  })
  return { baseURL: provider.baseURL, apiUrl: slack.apiUrl, appToken: slack.appToken }
}

/** Validators by the text of their schema, because compiling one takes a second. */
const validators = new Map<string, ValidateFunction>()

function validatorOf(schema: string): ValidateFunction {
  const validate =
    validators.get(schema) ??
    new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(schema) as object)
  validators.set(schema, validate)
  return validate
}

describe('the templates of troupe init', () => {
  it.each(TEMPLATE_NAMES)(
    'every command that troupe init prints for the template %s works word for word',
    async (name) => {
      const { baseURL, apiUrl, appToken } = await startServices()
      const { path } = await project({})
      const made = await troupeIn(path, ['init', 'demo', '--template', name])
      expect([made.err, made.code]).toEqual([expect.stringContaining('cd demo'), 0])
      const commands = nextSteps(made.err)
      expect(commands.length).toBeGreaterThanOrEqual(4)
      const team = join(path, 'demo')
      const readme = await readFile(join(team, 'README.md'), 'utf8')
      for (const command of commands) expect(readme).toContain(`    ${command}\n`)
      expect(readme).toContain('the answers are the same for every\nmessage')

      // the keys that the printed steps ask for
      const tokens = `SLACK_BOT_TOKEN=xoxb-acme-000000000000\nSLACK_APP_TOKEN=${appToken}\n`
      await writeFile(join(team, 'troupe.env'), `OPENAI_API_KEY=sk-fake-1\n${tokens}`)
      if (name === 'slack') await useFakeSlack(join(team, 'troupe.json'), apiUrl)
      for (const command of commands) {
        const [program, ...args] = wordsOf(command)
        expect(program).toBe('troupe')
        const { code, err } = await troupeIn(team, args, { OPENAI_BASE_URL: baseURL })
        expect([command, err, code]).toEqual([command, expect.any(String), 0])
      }
    },
  )

  it.each(TEMPLATE_NAMES)('troupe check finds no problem in the template %s', async (name) => {
    const { folder } = await troupe(['init', '--template', name, '--no-run'], {})
    const check = await troupeIn(folder.path, ['check', '.'])
    expect([check.code, check.err]).toEqual([0, ''])
    expect(check.out).toMatch(/\d agents?, 0 errors, 0 warnings/u)
    expect(check.out).not.toMatch(
      /(?:filesystem\.write|shell\.execute|web\.fetch|refund|openTicket)(?:,|$)/mu,
    )
  })

  it('the Slack manifest of the template slack equals the published file byte by byte', async () => {
    const published = await readFile(new URL('../../slack/manifest.json', import.meta.url), 'utf8')
    expect((await TEMPLATES['slack']?.load())?.files['slack-manifest.json']).toBe(published)
  })

  it.each(TEMPLATE_NAMES)('the files of the template %s match the schemas that they name', async (name) => {
    const { folder } = await troupe(['init', '--template', name, '--no-run'], {})
    const read = (path: string): Promise<string> => readFile(join(folder.path, path), 'utf8')
    const problems = async (text: string, value: unknown): Promise<unknown> => {
      const validate = validatorOf(await read(/\$schema(?:=|": ")(\S+?)(?:"|\s)/u.exec(text)?.[1] ?? ''))
      return validate(value) ? [] : validate.errors
    }
    const config = await read('troupe.json')
    expect(await problems(config, JSON.parse(config))).toEqual([])
    const script = await read('script.yaml')
    expect(await problems(script, load(script))).toEqual([])
    const cards = (await readdir(folder.path)).filter((file) => /^(?!README).*\.md$/u.test(file))
    for (const file of cards) {
      const [, fields = ''] = (await read(file)).split('---\n')
      expect([file, await problems(fields, load(fields))]).toEqual([file, []])
    }
  })

  it('the help of troupe init and its page list every template and option', async () => {
    const { out } = await troupe(['init', '--help'], {})
    const page = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
    for (const [name, { summary }] of Object.entries(TEMPLATES)) {
      expect(out()).toContain(`${name.padEnd(10)}${summary}`)
      expect(page).toContain(`| \`${name}\` | ${summary} |`)
    }
    for (const [option] of out().matchAll(/--(?:template|provider|model|no-run|yes)\b/gu))
      expect(page).toContain(option)
  })
})

/** Points a team at a fake Slack. */
async function useFakeSlack(file: string, apiUrl: string): Promise<void> {
  const config = JSON.parse(await readFile(file, 'utf8')) as { readonly slack: object }
  await writeFile(file, JSON.stringify({ ...config, slack: { ...config.slack, apiUrl } }))
}

it('troupe init prints the next steps with npx if npx runs it', async () => {
  const { path } = await project({})
  const { err } = await troupeIn(path, ['init', 'demo', '--yes', '--no-run'], { npm_command: 'exec' })
  const steps = stripVTControlCharacters(err).split('Next:\n')[1] ?? ''
  expect(steps).toContain('\n  cd demo\n')
  expect(steps).toContain('\n  npx troupe run . ')
  expect(steps).not.toMatch(/^ *troupe /mu)
})

describe('troupe init without a terminal', () => {
  it('troupe init creates the team of the default template, runs it and lists its files on stdout', async () => {
    const { code, out, err, folder } = await troupe(['init', 'my team'], {})
    await settle()
    expect(code).toBe(0)
    expect(out().split('\n')).toContain('my team/lead.md')
    expect(out()).not.toContain('SQL injection')
    expect(err()).toContain('SQL injection')
    expect(err()).toContain("cd 'my team'")
    expect(await readFile(join(folder.path, 'my team/.gitignore'), 'utf8')).toBe('troupe.env\n')
  })

  it('troupe init never overwrites a file, and extends .gitignore', async () => {
    const { code, err, folder } = await troupe(['init'], { 'security.md': 'mine' })
    expect(code).toBe(2)
    expect(err()).toMatch(/these files already exist: .*security\.md/u)
    expect(await readFile(join(folder.path, 'security.md'), 'utf8')).toBe('mine')
    await expect(readFile(join(folder.path, 'lead.md'))).rejects.toMatchObject({ code: 'ENOENT' })

    const other = await troupe(['init', '--no-run'], { '.gitignore': 'dist' })
    expect(await readFile(join(other.folder.path, '.gitignore'), 'utf8')).toBe('dist\ntroupe.env\n')
  })

  it('troupe init with a provider but without its key writes the team and prints how to add the key', async () => {
    const { code, err, folder } = await troupe(['init', '--provider', 'anthropic'], {})
    expect(code).toBe(0)
    expect(err()).toContain('First add ANTHROPIC_API_KEY=… to troupe.env')
    expect(err()).not.toContain('Running the team')
    const config: unknown = JSON.parse(await readFile(join(folder.path, 'troupe.json'), 'utf8'))
    expect(config).toMatchObject({ defaults: { model: 'anthropic/claude-haiku-4-5' } })
  })

  it.each([
    [['--provider', 'openrouter', '--model', 'openai/gpt-5'], 'openrouter/openai/gpt-5'],
    [['--provider', 'openai', '--model', 'openai/gpt-5'], 'openai/gpt-5'],
    [['--model', 'ollama/llama3:8b'], 'ollama/llama3:8b'],
    [['--provider', 'none'], 'script/script.yaml'],
  ])('troupe init %j uses the model %s', async (args, model) => {
    const { folder, code } = await troupe(['init', '--no-run', ...args], {})
    expect(code).toBe(0)
    const config: unknown = JSON.parse(await readFile(join(folder.path, 'troupe.json'), 'utf8'))
    expect(config).toMatchObject({ defaults: { model } })
  })

  it.each([
    [['--template', 'reviews'], 'There is no template "reviews"', 'review, research'],
    [['--provider', 'opnai'], 'There is no provider "opnai"', 'openai'],
    [['--provider', 'vllm'], 'There is no default model for vllm', '--model NAME'],
    [['--model', 'a b'], 'Use the name of a model', ''],
    [['--provider', 'none', '--model', 'x'], '--provider none', 'Remove --model'],
  ])('troupe init %j fails with the fix and writes nothing', async (args, message, fix) => {
    const { code, err, folder } = await troupe(['init', ...args], {})
    expect(code).toBe(2)
    expect(err()).toContain(message)
    expect(err()).toContain(fix)
    expect(await readdir(folder.path)).toEqual(['.git'])
  })
})

interface Conversation extends TestContext {
  readonly folder: string
  readonly code: Promise<number>
  /** Types keys when stderr shows a text. */
  readonly answer: (shown: string, keys: string) => Promise<void>
}

/** Starts `troupe init` at a terminal. */
async function startInit(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Conversation> {
  const { path } = await project({})
  const context = testContext({ cwd: path, tty: true, env })
  Object.assign(context.terminal.stdin, { setRawMode: () => undefined })
  const code = runProgram(['init', ...args], context)
  return {
    ...context,
    folder: path,
    code,
    async answer(shown, keys) {
      await expect.poll(() => stripVTControlCharacters(context.err())).toContain(shown)
      context.type(keys)
    },
  }
}

describe('troupe init at a terminal', () => {
  it('troupe init asks for folder, template and model, and writes what was chosen', async () => {
    const init = await startInit(['--no-run'])
    await init.answer('Folder of the team', `s${ENTER}`)
    await init.answer('What should the team do?', `${DOWN}${DOWN}${DOWN}${ENTER}`)
    await init.answer('Which model should the team use?', ENTER)
    expect(await init.code).toBe(0)
    expect(init.out().split('\n')).toContain('teams/extractor.md')
  })

  it('a typed key is written to a file for its owner only and is never shown', async () => {
    const init = await startInit(['demo', '--template', 'extract', '--no-run'])
    await init.answer('Which model should the team use?', `${DOWN}${ENTER}`)
    await init.answer('Name of the model', ENTER)
    await init.answer('OPENAI_API_KEY', `sk-secret-1${ENTER}`)
    expect(await init.code).toBe(0)
    const file = join(init.folder, 'demo/troupe.env')
    expect(await readFile(file, 'utf8')).toBe('OPENAI_API_KEY=sk-secret-1\n')
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
    expect(await readFile(join(init.folder, 'demo/.gitignore'), 'utf8')).toBe('troupe.env\n')
    expect(`${init.out()}${init.err()}`).not.toContain('secret')
  })

  it('troupe init does not ask for a key that a variable has', async () => {
    const init = await startInit(['demo', '--template', 'extract', '--provider', 'openai', '--no-run'], {
      OPENAI_API_KEY: 'sk-shell-1',
    })
    expect(await init.code).toBe(0)
    expect(init.err()).not.toContain('OPENAI_API_KEY')
    expect(await readdir(join(init.folder, 'demo'))).not.toContain('troupe.env')
  })

  it.each([
    ['the folder', []],
    ['the template', [['Folder of the team', ENTER]]],
    [
      'the model',
      [
        ['Folder of the team', ENTER],
        ['What should the team do?', ENTER],
      ],
    ],
  ] as const)('Ctrl-C at the question for %s writes nothing', async (_question, answers) => {
    const init = await startInit([])
    for (const [shown, keys] of answers) await init.answer(shown, keys)
    const next = ['Folder of the team', 'What should the team do?', 'Which model'][answers.length] ?? ''
    await init.answer(next, CTRL_C)
    expect(await init.code).toBe(130)
    expect(init.err()).toContain('Nothing was written.')
    expect(await readdir(init.folder)).toEqual(['.git'])
  })

  it('troupe init --yes asks nothing and denies calls that need approval', async () => {
    const init = await startInit(['demo', '--yes', '--template', 'support'])
    expect(await init.code).toBe(0)
    await settle()
    expect(init.err()).toContain('refund requires approval')
    expect(init.err()).not.toContain('What should the team do?')
  })
})

it('troupe init fails with the fix if the folder is a file', async () => {
  const { code, err } = await troupe(['init', 'notes.txt'], { 'notes.txt': 'mine' })
  expect(code).toBe(2)
  expect(err()).toMatch(/The team cannot be written to .*notes\.txt/u)
  expect(err()).toContain('Choose a folder that you can write to.')
})

it('troupe init keeps a key file that exists', async () => {
  const { path } = await project({ 'troupe.env': 'OTHER=1\n' })
  await appendFile(join(path, '.gitignore'), 'troupe.env\n')
  const made = await troupeIn(path, ['init', '--provider', 'openai'])
  expect(made.code).toBe(0)
  expect(await readFile(join(path, 'troupe.env'), 'utf8')).toBe('OTHER=1\n')
  expect(await readFile(join(path, '.gitignore'), 'utf8')).toBe('troupe.env\n')
})
