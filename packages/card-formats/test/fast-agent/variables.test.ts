import type { ParsedCard, ParseOptions } from '@troupe/cards'
import { describe, expect, it } from 'vitest'
import { fastAgentFormat } from '../../src/fast-agent/fast-agent.ts'
import { convertProjectCard, readProjectCard, type ProjectFiles } from './project.ts'

const CARD = '.fast-agent/agent-cards/a.md'
const CONFIG = '.fast-agent/fast-agent.yaml'

function variablesOf(values: Readonly<Record<string, string>>): NonNullable<ParseOptions['variables']> {
  const all = new Map(Object.entries(values))
  return { get: (name) => all.get(name), names: () => [...all.keys()] }
}

function read(
  values: Readonly<Record<string, string>>,
  files: ProjectFiles = {},
  options: Partial<ParseOptions> = {},
): ParsedCard {
  const all = { [CARD]: '---\ndescription: d\n---\nx\n', ...files }
  return readProjectCard(CARD, all, { variables: variablesOf(values), ...options })
}

describe('variables that set what the configuration of fast-agent leaves open', () => {
  const card = { [CARD]: '---\ndescription: d\nmodel: generic.m\nservers: [s]\n---\nx\n' }

  it('a variable sets a key of a provider by reference, so that its value is in no card', () => {
    const values = { GENERIC__BASE_URL: 'http://127.0.0.1:1/v1', GENERIC__API_KEY: 'sk-secret' }
    const { providers } = read(values, card)
    expect(providers).toEqual({
      generic: { apiKey: '${GENERIC__API_KEY}', baseURL: '${GENERIC__BASE_URL}', api: 'chat' },
    })
  })

  it('the configuration and its secrets take precedence over variables, and these over the .env file', () => {
    const files = {
      ...card,
      [CONFIG]: 'generic: {base_url: "https://config"}\n',
      '.fast-agent/fast-agent.secrets.yaml': 'generic: {api_key: from-secrets}\n',
      '.env': 'GENERIC__BASE_URL=https://env-file\nCOMPACTION__THRESHOLD=0.5\nCOMPACTION__KEEP_TURNS=4\n',
    }
    const { providers, definition } = read(
      { GENERIC__BASE_URL: 'x', GENERIC__API_KEY: 'y', COMPACTION__THRESHOLD: '0.6' },
      files,
    )
    expect(providers).toMatchObject({ generic: { apiKey: 'from-secrets', baseURL: 'https://config' } })
    expect(definition?.context).toMatchObject({ threshold: 0.6, keepTurns: 4 })
  })

  it('the .env file sets settings only, and is no source of other variables', () => {
    const files = {
      ...card,
      [CONFIG]: 'mcp: {servers: {s: {command: x, env: {A: "${TOKEN}"}}}}\n',
      '.env': 'TOKEN=1\nGENERIC__API_KEY=2\nGENERIC__BASE_URL=https://x\n',
    }
    const { providers, definition } = read({}, files)
    expect(providers).toMatchObject({ generic: { apiKey: '2', baseURL: 'https://x' } })
    expect(definition?.mcpServers['s']).toMatchObject({ env: { A: '${TOKEN}' } })
    expect(convertProjectCard(CARD, files)).not.toContain('https://x')
  })

  it('a folder named .env is not read as a file of settings', () => {
    const readProjectFile = (path: string): undefined => {
      if (path.endsWith('.env')) throw new TypeError('it is a folder')
    }
    const { problems } = read({}, { ...card, '.env/pyvenv.cfg': 'home = x' }, { readProjectFile })
    expect(problems.filter(({ code }) => code === 'card_unreadable')).toEqual([])
    const file = read({}, { ...card, '.env': 'A__B=c' }, { readProjectFile })
    expect(file.problems.filter(({ code }) => code === 'card_unreadable')).toHaveLength(1)
  })

  it('variables define servers and lists as JSON', () => {
    const { definition } = read({ MCP__SERVERS__S__COMMAND: 'x', MCP__SERVERS__S__ARGS: '["a", "b"]' }, card)
    expect(definition?.mcpServers['s']).toEqual({
      command: '${MCP__SERVERS__S__COMMAND}',
      args: ['a', 'b'],
      cwd: '../..',
    })
  })

  it('names that are no path of settings change nothing', () => {
    const { definition, problems } = read({ __X: '1', X__: '2', __PROTO__: '3', A____B: '4' })
    expect(definition?.name).toBe('a')
    expect(problems).toEqual([])
  })

  it.each([
    ['${MODEL}', 'anthropic/claude-opus-5'],
    ['${OTHER:haiku}', 'anthropic/claude-haiku-4-5'],
    ['generic.${SIZE:small}', 'ollama/small'],
    ['$team.main', 'anthropic/claude-opus-5'],
  ])('a model may be a variable: %s', (model, id) => {
    const files = {
      [CARD]: `---\ndescription: d\nmodel: ${model}\n---\nx\n`,
      [CONFIG]: 'model_references: {team: {main: "${MODEL:haiku}"}}\n',
    }
    expect(read({ MODEL: 'opus' }, files).definition?.model).toEqual([id])
  })

  it.each([
    ['FAST_AGENT_MODEL applies without default_model', '{}', 'anthropic/claude-opus-5'],
    ['default_model applies first', 'default_model: haiku', 'anthropic/claude-haiku-4-5'],
  ])('%s', (_what, config, model) => {
    expect(read({ FAST_AGENT_MODEL: 'opus' }, { [CONFIG]: `${config}\n` }).definition?.model).toEqual([model])
  })
})

describe('FAST_AGENT_HOME', () => {
  const files = {
    'team-home/fast-agent.yaml': 'default_model: haiku\n',
    'team-home/tool-cards/find.md': '---\ndescription: d\n---\nx\n',
    'team-home/agent-cards/b.md': '---\ndescription: d\n---\n{{homeDir}} {{file:rules.md}}\n',
    'rules.md': 'Be kind.',
  }

  it('names the home folder of a card in it, and files are included from the working folder', () => {
    const card = readProjectCard('team-home/agent-cards/b.md', files, {
      variables: variablesOf({ FAST_AGENT_HOME: 'team-home' }),
    })
    expect(card.dialect).toBe('fast-agent')
    expect(card.definition).toMatchObject({
      model: ['anthropic/claude-haiku-4-5'],
      instruction: '/p/team-home Be kind.',
      agents: ['../tool-cards/find.md'],
    })
  })

  it('does not make cards elsewhere cards of fast-agent', () => {
    const options = { variables: variablesOf({ FAST_AGENT_HOME: 'team-home' }) }
    const all = { ...files, 'cards/a.md': '---\ndescription: d\n---\nx\n' }
    expect(readProjectCard('cards/a.md', all, options).dialect).toBe('troupe')
  })

  it('replaces the home folder of other cards', () => {
    const card = read({ FAST_AGENT_HOME: 'team-home' }, { ...files, [CONFIG]: 'default_model: opus\n' })
    expect(card.definition?.model).toEqual(['anthropic/claude-haiku-4-5'])
  })
})

it('code of a card may lie in the home folder of its project, and nowhere else', () => {
  const folders = { workspace: '/p' }
  const rootsOf = (path: string): unknown => fastAgentFormat.codeRoots?.(path, folders)
  expect(rootsOf('/p/.fast-agent/agent-cards/a.md')).toEqual(['/p/.fast-agent'])
  expect(rootsOf('/p/pack/agent-cards/a.md')).toEqual(['/p/pack'])
  expect(rootsOf('/p/a.md')).toEqual([])
})
