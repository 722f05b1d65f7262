import { join } from 'node:path'
import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configJsonSchema } from '../src/index.ts'
import { knownConfigKeys } from '../src/config/config-schema.ts'
import { createEnvironments, type Environment } from '../src/config/environments.ts'
import { findConfig } from '../src/config/find-config.ts'
import { readConfig } from '../src/config/read-config.ts'

function environmentOf({ folder }: { readonly folder: string }): Environment {
  return createEnvironments({ cwd: folder, configFolder: undefined }).of(folder)
}

async function projectOf(files: Readonly<Record<string, string>>) {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  return { project, at: (path: string) => join(project.path, path) }
}

describe('the configuration file', () => {
  it('the configuration file is the nearest one from the folder of the card upwards', async () => {
    const { at } = await projectOf({
      'troupe.json': '{}',
      'a/troupe.json': '{}',
      'a/b/x.md': '',
      'c/x.md': '',
    })
    expect(findConfig({ from: at('a/b'), cwd: at('c') })).toBe(at('a/troupe.json'))
    expect(findConfig({ from: at('c'), cwd: at('a') })).toBe(at('troupe.json'))
  })

  it('the configuration file is not searched above the first folder with .git or above the home folder', async () => {
    const { at } = await projectOf({
      'troupe.json': '{}',
      'repo/.git/HEAD': '',
      'repo/a/x.md': '',
      'h/a/x.md': '',
    })
    expect(findConfig({ from: at('repo/a'), cwd: at('repo/a') })).toBeUndefined()
    expect(findConfig({ from: at('h/a'), cwd: at('h/a'), home: at('h') })).toBeUndefined()
    expect(findConfig({ from: at('h/a'), cwd: at('.'), home: at('h') })).toBe(at('troupe.json'))
  })

  it('a configuration of ai-agent is not a configuration of Troupe', async () => {
    const { at } = await projectOf({
      'a/.ai-agent.json': '{"mcpServers":{},"queues":{}}',
      'troupe.json': '{}',
    })
    expect(findConfig({ from: at('a'), cwd: at('a') })).toBe(at('troupe.json'))
    const { problems } = readConfig({
      config: at('a/.ai-agent.json'),
      from: at('a'),
      cwd: at('a'),
      environmentOf,
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toContain('it is the configuration of ai-agent')
  })

  it.each([
    ['permissions', { permissions: { deny: ['a__b'] } }],
    ['defaults.model', { defaults: { model: 'openai/x' } }],
  ])(
    'an .ai-agent.json with keys of troupe.json is an error that says to rename it: %s',
    async (key, content) => {
      const { at } = await projectOf({ '.ai-agent.json': JSON.stringify(content) })
      const { problems } = readConfig({ from: at('.'), cwd: at('.'), environmentOf })
      expect(problems).toMatchObject([
        { severity: 'error', code: 'config_invalid', file: at('.ai-agent.json') },
      ])
      expect(problems[0]?.message).toContain(`\`${key}\` is a key of troupe.json`)
      expect(problems[0]?.fix).toContain('Rename the file to troupe.json')
    },
  )
})

describe('reading the configuration', () => {
  const read = (config: Parameters<typeof readConfig>[0]['config']) =>
    readConfig({ config, from: '/nowhere', cwd: '/nowhere', environmentOf })

  it(`reading the configuration keeps \${VAR} unchanged ${verifies('C41')}`, () => {
    const { config, problems } = read({
      mcpServers: { github: { command: 'npx', env: { TOKEN: '${GITHUB_TOKEN}' } } },
      defaults: { model: 'openai/gpt-5-mini', limits: { toolTimeout: '5s' } },
    })
    expect(problems).toEqual([])
    expect(config.mcpServers?.['github']?.env).toEqual({ TOKEN: '${GITHUB_TOKEN}' })
    expect(config.defaults?.limits).toEqual({ toolTimeout: 5000 })
  })

  it('an unknown key in the configuration is reported with the file, the key and a suggestion', async () => {
    const { at } = await projectOf({
      'troupe.json': JSON.stringify({
        mcpServer: {},
        defaults: { limits: { maxTurn: 3 } },
        mcpServers: {
          a: { command: 'x', agrs: [] },
          b: {},
          c: { command: 'x', transport: 'stdio' },
        },
        providers: { openai: { apikey: 'x' } },
      }),
    })
    const file = at('troupe.json')
    const { problems, config } = readConfig({ config: file, from: '/', cwd: '/', environmentOf })
    expect(config).toEqual({})
    expect(problems.every((problem) => problem.code === 'config_invalid' && problem.file === file)).toBe(true)
    expect(problems.map((problem) => problem.message).toSorted()).toEqual([
      `${file}: defaults.limits.maxTurn: unknown key; did you mean "maxTurns"?`,
      `${file}: mcpServer: unknown key; did you mean "mcpServers"?`,
      `${file}: mcpServers.a.agrs: unknown key; did you mean "args"?`,
      `${file}: mcpServers.b: expected either \`command\` or \`url\``,
      `${file}: mcpServers.c.transport: unknown key; did you mean "type"?`,
      `${file}: providers.openai.apikey: unknown key; did you mean "apiKey"?`,
    ])
  })

  it('a provider that would do nothing is an error with its place and what to set', async () => {
    const { at } = await projectOf({
      'troupe.json':
        '{\n  "providers": {\n    "nova": { "apiKey": "x" },\n    "groq": { "credentials": "default" }\n  }\n}\n',
    })
    const file = at('troupe.json')
    const { problems } = read(file)
    expect(problems).toMatchObject([
      {
        severity: 'error',
        code: 'config_invalid',
        message: `${file}: providers.nova: does nothing: nova is not built in, and neither \`baseURL\` nor \`package\` is set.`,
        file,
        line: 3,
        fix: 'Set `baseURL` to the address of a server, or `package` to an npm package with its adapter.',
      },
      { message: expect.stringContaining('providers.groq.credentials: has no effect'), line: 4 },
    ])
  })

  it('a duration below a second without a unit is kept with a warning', async () => {
    const { at } = await projectOf({
      'troupe.json': JSON.stringify({
        defaults: { limits: { timeout: 30, toolTimeout: '500ms' } },
        mcpServers: { a: { command: 'x', startTimeout: 60, env: { TIMEOUT: '30' } } },
        providers: { openai: { timeouts: { connect: 5 } } },
      }),
    })
    const { problems, config } = read(at('troupe.json'))
    expect(config.defaults?.limits).toEqual({ timeout: 30, toolTimeout: 500 })
    expect(problems.map(({ severity, code, message }) => `${severity} ${code} ${message}`)).toEqual([
      'warning duration_unit defaults.limits.timeout: 30 is 30 milliseconds.',
      'warning duration_unit mcpServers.a.startTimeout: 60 is 60 milliseconds.',
      'warning duration_unit providers.openai.timeouts.connect: 5 is 5 milliseconds.',
    ])
    expect(problems[0]).toMatchObject({ file: at('troupe.json'), line: 1 })
    expect(problems[0]?.fix).toContain('`30s`')
  })

  it(`a problem in the configuration has a line and a column ${verifies('C80')}`, async () => {
    const { at } = await projectOf({
      'troupe.json': '{\n  "defaults": {\n    "limits": { "maxTurn": 3 }\n  },\n  "agents": ["a", 3]\n}\n',
    })
    expect(read(at('troupe.json')).problems).toMatchObject([
      { message: expect.stringContaining('did you mean "maxTurns"'), line: 3, column: 17 },
      { message: expect.stringContaining('agents.1'), line: 5, column: 19 },
    ])
  })

  it.each([
    ['{\n  "providers": {\n    "openai": { "apiKey": "sk-0123456789", }\n  }\n}', 3, 44],
    ['{"apiKey": "sk-0123456789"} sk-0123456789', 1, 29],
    ['{"apiKey": "sk-0123456789"', 1, 27],
    ['{"apiKey": sk-0123456789}', 1, 12],
    ['{"a": 1, "a": 2}', 1, 11],
    ['[1]', 1, 1],
  ])(
    'invalid JSON in the configuration is reported with a position and without its text: %j',
    async (text, line, column) => {
      const { at } = await projectOf({ 'troupe.json': text })
      const [problem] = read(at('troupe.json')).problems
      expect(problem).toMatchObject({ code: 'config_invalid', line, column })
      expect(problem?.message).not.toContain('sk-')
    },
  )

  it('a configuration that is missing or not valid JSON is reported with the reason', async () => {
    const { at } = await projectOf({ 'troupe.json': '{"defaults": }' })
    expect(read(at('troupe.json')).problems).toMatchObject([
      { code: 'config_invalid', message: expect.stringContaining('JSON') },
    ])
    expect(read(at('other.json')).problems).toMatchObject([
      { code: 'config_invalid', message: expect.stringContaining('other.json') },
    ])
  })

  it('suggestions for unknown keys cover every key of the configuration', () => {
    const { properties } = configJsonSchema() as unknown as ConfigSchema
    for (const key of ['mcpServers', 'providers'] as const) {
      const known = knownConfigKeys([key, 'a'])
      expect(known.toSorted()).toEqual(
        Object.keys(properties[key].additionalProperties.properties).toSorted(),
      )
    }
  })
})

interface ConfigSchema {
  readonly properties: Readonly<
    Record<
      'mcpServers' | 'providers',
      { readonly additionalProperties: { readonly properties: Readonly<Record<string, unknown>> } }
    >
  >
}
