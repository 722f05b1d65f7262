import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseCard, readCardFolder, readCards, type ParsedCard } from './cards.ts'

const AGENT = `
name = "reviewer"
description = "Reviews."
developer_instructions = """
Review it.
"""
`
function codex(keys: string, files: Readonly<Record<string, string>> = {}): ParsedCard {
  return parseCard(`${AGENT}${keys}`, {
    path: '/p/.codex/agents/team/a.toml',
    home: '/home/u',
    readProjectFile: (file) => files[file],
  })
}

describe('an agent of Codex', () => {
  it('an agent in `.codex/agents` is read with its model and prompt, and asks before it writes', () => {
    const card = codex('model = "gpt-5"\nmodel_reasoning_effort = "high"\nnickname_candidates = ["R"]\n')
    expect([card.dialect, card.problems]).toEqual(['codex', []])
    expect(card.definition).toMatchObject({
      name: 'reviewer',
      instruction: 'Review it.',
      model: ['openai/gpt-5'],
      settings: { reasoning: 'high' },
      permissions: { ask: ['filesystem.write', 'shell.execute'] },
    })
  })

  it.each([
    ['of the agent', 'sandbox_mode = "read-only"\n', {}],
    ['of the project', '', { '/p/.codex/config.toml': 'sandbox_mode = "read-only"' }],
  ])('a read-only sandbox %s allows neither writing nor the shell', (_name, keys, files) => {
    const { definition } = codex(keys, files)
    expect(definition?.permissions.deny).toEqual(['filesystem.write', 'shell.execute'])
    expect(definition?.tools.allow).toEqual(['filesystem.read', 'filesystem.list', 'filesystem.search'])
  })

  it.each([
    ['never', 'approval_policy = "never"\n', {}],
    ['never, in the project', '', { '/p/.codex/config.toml': 'approval_policy = "never"' }],
    ['no category', 'approval_policy = { granular = { rules = true } }\n', {}],
  ])(
    `with the approval policy %s, the shell is denied and files can be written ${verifies('R16')}`,
    (_name, keys, files) => {
      const { definition } = codex(`${keys}sandbox_mode = "workspace-write"\n`, files)
      expect(definition?.permissions).toMatchObject({ ask: ['filesystem.write'], deny: ['shell.execute'] })
      expect(definition?.tools.allow).not.toContain('shell.execute')
    },
  )

  it.each([
    ['on-request', 'approval_policy = "on-request"\n'],
    ['never without a sandbox', 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n'],
    ['categories', 'approval_policy = { granular = { sandbox_approval = true, mcp_elicitations = true } }\n'],
  ])('with the approval policy %s, the shell needs an approval and MCP tools are kept', (_name, keys) => {
    const { definition, problems } = codex(`${keys}[mcp_servers.fs]\ncommand = "fs"\n`)
    expect(problems).toEqual([])
    expect(definition?.permissions).toMatchObject({ ask: ['filesystem.write', 'shell.execute'], deny: [] })
    expect(definition?.tools.allow).toContain('fs__*')
  })

  it(`with the approval policy never, only approved MCP tools are kept, with a warning ${verifies('R16')}`, () => {
    const { definition, problems } = codex(
      '[mcp_servers.docs]\ncommand = "docs"\ndefault_tools_approval_mode = "approve"\n[mcp_servers.docs.tools.send]\napproval_mode = "prompt"\n',
      {
        '/p/.codex/config.toml':
          'approval_policy = "never"\n[mcp_servers.fs]\ncommand = "fs"\nenabled_tools = ["read"]\n[mcp_servers.fs.tools.read]\napproval_mode = "approve"\n[mcp_servers.fs.tools.rm]\napproval_mode = "approve"\n',
      },
    )
    const { allow } = definition?.tools ?? {}
    expect(allow?.filter((name) => name.includes('__'))).toEqual(['fs__read', 'docs__*'])
    expect(definition?.permissions.deny).toEqual(['shell.execute', 'docs__send'])
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'permission_rule_widened', file: '/p/.codex/config.toml', line: 1 },
    ])
  })

  it('an agent has the servers of the user, the project and its own, merged by key', () => {
    const files = {
      '/home/u/.codex/config.toml':
        '[mcp_servers.docs]\nurl = "https://u.example/mcp"\nbearer_token_env_var = "DOCS"\n[mcp_servers.off]\ncommand = "off"',
      '/p/.codex/config.toml':
        'model = "gpt-5"\n[mcp_servers.docs]\nurl = "https://p.example/mcp"\n[mcp_servers.fs]\ncommand = "fs"\nenv_vars = ["KEY"]\nstartup_timeout_sec = 5\ndisabled_tools = ["rm"]\n[mcp_servers.off]\nenabled = false',
    }
    const { definition, problems } = codex('[mcp_servers.docs]\nenabled_tools = ["find"]\n', files)
    expect(problems).toEqual([])
    expect(definition?.model).toEqual(['openai/gpt-5'])
    expect(definition?.mcpServers).toMatchObject({
      docs: { url: 'https://p.example/mcp', headers: { Authorization: 'Bearer ${DOCS}' }, required: false },
      fs: { command: 'fs', env: { KEY: '${KEY:-}' }, cwd: '../../..', startTimeout: 5000 },
    })
    expect(Object.keys(definition?.mcpServers ?? {})).toEqual(['docs', 'fs'])
    expect(definition?.tools.allow).toEqual(expect.arrayContaining(['docs__find', 'fs__*']))
    expect(definition?.tools.allow).not.toContain('docs__*')
    expect(definition?.permissions.deny).toEqual(['fs__rm'])
  })

  it('a provider of the configuration is defined for the model', () => {
    const { definition, providers } = codex('model = "big"\nmodel_provider = "gw"\n', {
      '/p/.codex/config.toml':
        '[model_providers.gw]\nbase_url = "https://gw.example/v1"\nenv_key = "GW"\nwire_api = "chat"',
    })
    expect(definition?.model).toEqual(['gw/big'])
    expect(providers).toEqual({ gw: { baseURL: 'https://gw.example/v1', api: 'chat', apiKey: '${GW}' } })
  })

  it('a server with a command and an address is an error', () => {
    const { problems } = codex('[mcp_servers.x]\ncommand = "x"\nurl = "https://x.example"\n')
    expect(problems).toMatchObject([{ severity: 'error', code: 'card_bad_value', line: 7 }])
  })

  it.each([
    ['invalid TOML', 'model = \n'],
    ['deep nesting', `x = ${'['.repeat(500)}${']'.repeat(500)}\n`],
  ])('%s is an error with a position', (_name, keys) => {
    const { definition, problems } = codex(keys)
    expect(definition).toBeUndefined()
    expect(problems).toMatchObject([{ severity: 'error', code: 'card_syntax', line: 7 }])
  })

  it('integers of any size are read', () => {
    expect(codex('model_context_window = 99999999999999999999\n').definition?.name).toBe('reviewer')
  })

  it('any other TOML file is never an agent', () => {
    expect(parseCard(AGENT, { path: '/p/agents/a.toml' }).definition).toBeUndefined()
  })
})

describe('a folder with a `config.toml`', () => {
  it.each([
    ['with an agent', '[agents.look]\nconfig_file = "roles/look.toml"\n', ['look']],
    ['without agents', 'model = "m"\n', []],
  ])('the folder has the agents that the file declares: %s', async (_name, config, names) => {
    const project = await tempProject({
      '.codex/config.toml': config,
      '.codex/roles/look.toml': 'developer_instructions = "Look."\n',
    })
    onTestFinished(() => project.remove())
    const cards = readCardFolder(`${project.path}/.codex`)
    expect(cards.map(({ definition }) => definition?.name)).toEqual(names)
  })

  it('a key of the file without effect is one warning, not one per agent', async () => {
    const project = await tempProject({
      '.codex/config.toml':
        'web_search = "live"\n[agents.a]\nconfig_file = "roles/a.toml"\n[agents.b]\nconfig_file = "roles/b.toml"\n',
      '.codex/roles/a.toml': 'description = "A."\ndeveloper_instructions = "Look."\n',
      '.codex/roles/b.toml': 'description = "B."\ndeveloper_instructions = "Look."\n',
    })
    onTestFinished(() => project.remove())
    const cards = readCards(`${project.path}/.codex/config.toml`)
    expect(cards.map(({ definition }) => definition?.name)).toEqual(['a', 'b'])
    expect(cards.flatMap(({ problems }) => problems.map(({ message }) => message))).toEqual([
      expect.stringContaining('`web_search` has no effect'),
    ])
  })

  it('the configuration never includes a file outside of the project', async () => {
    const project = await tempProject({
      'inside/.codex/config.toml': '[agents.look]\nconfig_file = "../../out.toml"\n',
      'out.toml': 'developer_instructions = "Out."\n',
    })
    onTestFinished(() => project.remove())
    const [card] = readCardFolder(`${project.path}/inside/.codex`)
    expect(card?.definition).toBeUndefined()
    expect(card?.problems[0]).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('it is outside of'),
    })
  })
})
