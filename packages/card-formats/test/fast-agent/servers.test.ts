import { describe, expect, it } from 'vitest'
import { convertProjectCard, problemsOf, readProjectCard, type ProjectFiles } from './project.ts'

const CARD = '.fast-agent/agent-cards/a.md'
const card = (keys: string): string => `---\ndescription: d\n${keys}---\nHelp.\n`

const files = (config: string, more: ProjectFiles = {}): ProjectFiles => ({
  '.fast-agent/fast-agent.yaml': config,
  [CARD]: card('servers: [s]\n'),
  ...more,
})

function serverOf(config: string, more: ProjectFiles = {}): unknown {
  return readProjectCard(CARD, files(config, more)).definition?.mcpServers['s']
}

const server = (keys: string): string => `mcp: {servers: {s: {${keys}}}}\n`

describe('the servers of a fast-agent configuration', () => {
  it.each([
    ['command: uvx, args: [tool, 3]', { command: 'uvx', args: ['tool', '3'], cwd: '../..' }],
    ['command: x, cwd: tools', { command: 'x', cwd: '../../tools' }],
    ['command: x, cwd: /opt', { command: 'x', cwd: '/opt' }],
    [
      'command: x, env: {A: "${A:one}", B: "${B}"}',
      { command: 'x', env: { A: '${A:-one}', B: '${B}' }, cwd: '../..' },
    ],
    ['url: "https://x/mcp"', { url: 'https://x/mcp' }],
    ['url: "https://x/sse", transport: sse', { url: 'https://x/sse', type: 'sse' }],
    ['url: "https://x/mcp", command: y', { url: 'https://x/mcp' }],
    [
      'url: "https://x", access_token: "${T}"',
      { url: 'https://x', headers: { Authorization: 'Bearer ${T}' } },
    ],
    [
      'url: "https://x", auth: {scope: [a, b], redirect_port: 3031}',
      { url: 'https://x', auth: { scope: 'a b', redirectPort: 3031 } },
    ],
    ['url: "https://x", read_timeout_seconds: 5', { url: 'https://x', toolTimeout: 5000 }],
    ['target: "https://x/mcp"', { url: 'https://x/mcp' }],
    ['target: "@scope/pkg --all"', { command: 'npx', args: ['-y', '@scope/pkg', '--all'], cwd: '../..' }],
    ['target: "uvx tool \'a b\'"', { command: 'uvx', args: ['tool', 'a b'], cwd: '../..' }],
    ['target: "npx -y x", args: [z]', { command: 'npx', args: ['z'], cwd: '../..' }],
  ])('a server is converted: %s', (keys, expected) => {
    expect(serverOf(server(keys))).toEqual(expected)
  })

  it('only the servers that a card names are added to it', () => {
    const config = 'mcp: {servers: {s: {command: x}, other: {command: y}}}\n'
    const { definition } = readProjectCard(CARD, files(config))
    expect(Object.keys(definition?.mcpServers ?? {})).toEqual(['s'])
  })

  it('secrets are merged over the configuration, from the folder of the configuration only', () => {
    const secrets = 'mcp: {servers: {s: {env: {TOKEN: abc}}}}\n'
    expect(
      serverOf(server('command: x, env: {MODE: m}'), {
        '.fast-agent/fastagent.secrets.yaml': secrets,
        'fast-agent.secrets.yaml': 'mcp: {servers: {s: {env: {MODE: other}}}}\n',
      }),
    ).toEqual({ command: 'x', env: { MODE: 'm', TOKEN: 'abc' }, cwd: '../..' })
  })

  it('convert writes variables in place of the values of a secrets file', () => {
    const text = convertProjectCard(
      CARD,
      files(server('command: x, args: [--key, none], env: {MODE: m}'), {
        '.fast-agent/fast-agent.secrets.yaml':
          'generic: {api_key: sk-1}\nmcp: {servers: {s: {args: [--key, sk-2], env: {TOKEN: sk-3, FROM: "${FROM}"}}}}\n',
        [CARD]: card('servers: [s]\nmodel: generic.m\n'),
      }),
    )
    expect(text).not.toMatch(/sk-\d/u)
    expect(text).toContain('TOKEN: ${TOKEN}')
    expect(text).toContain('- ${S_ARGS_1}')
    expect(text).toContain('MODE: m')
    expect(text).toContain(
      'mcpServers.s.env.TOKEN: its value is in a file of secrets; set the variable TOKEN',
    )
    expect(text).toMatch(/# define in `providers` of troupe.json:\n# {3}ollama: apiKey\n/u)
  })

  it('a server that the provider of the model runs is an error, unless it has an address', () => {
    const managed = readProjectCard(CARD, files(server('management: provider, connector_id: c')))
    expect(problemsOf(managed)).toEqual([
      expect.stringContaining('error card_unsupported The MCP server "s" is run by the model provider'),
    ])
    expect(serverOf(server('management: provider, url: "https://x"'))).toEqual({ url: 'https://x' })
  })

  it('mcp.targets define servers by their names, and mcp.servers take precedence', () => {
    const config =
      'mcp: {targets: ["https://s.example/mcp", {target: "uvx clock", name: s}, {target: "uvx x", name: t}], servers: {t: {command: y}}}\n'
    const more = { [CARD]: card('servers: [s-example, s, t]\n') }
    expect(readProjectCard(CARD, files(config, more)).definition?.mcpServers).toEqual({
      's-example': { url: 'https://s.example/mcp' },
      s: { command: 'uvx', args: ['clock'], cwd: '../..' },
      t: { command: 'y', cwd: '../..' },
    })
  })

  it('roots and sampling of a server are warnings', () => {
    const read = readProjectCard(
      CARD,
      files(server('command: x, roots: [{uri: "file:///"}], sampling: {model: m}')),
    )
    expect(problemsOf(read).map((text) => text.split(' of ', 1)[0])).toEqual([
      'warning key_without_effect `roots`',
      'warning key_without_effect `sampling`',
    ])
  })

  it('a server of a card that the provider of the model runs is an error, unless it has a target', () => {
    const of = (entry: string): ReturnType<typeof readProjectCard> =>
      readProjectCard(CARD, { [CARD]: card(`mcp_connect: [{${entry}}]\n`) })
    for (const entry of ['name: n, management: provider', 'name: n, connector_id: c'])
      expect(problemsOf(of(entry))).toEqual([
        'error card_unsupported `mcp_connect.0`: Troupe has no servers that the model provider runs (`management: provider`).',
      ])
    const { definition, report } = of(
      'target: "https://x/mcp", name: n, management: provider, access_token: "${T}", defer_loading: true, odd: 1',
    )
    expect(definition?.mcpServers).toEqual({
      n: { url: 'https://x/mcp', headers: { Authorization: 'Bearer ${T}' } },
    })
    const keys = report.filter(({ status }) => status === 'ignored').map(({ key }) => key)
    expect(keys).toEqual(['management', 'name', 'defer_loading', 'odd'].map((key) => `mcp_connect.0.${key}`))
  })

  it('a card defines servers by target, and no commands', () => {
    const more = { [CARD]: card('mcp_connect: {web: {target: "https://x/mcp", auth: {scope: all}}}\n') }
    expect(readProjectCard(CARD, files('{}\n', more)).definition?.mcpServers).toEqual({
      web: { url: 'https://x/mcp', auth: { scope: 'all' } },
    })
    const refused = readProjectCard(CARD, { [CARD]: card('mcp_connect: [{command: rm, args: [-r]}]\n') })
    expect(problemsOf(refused)).toEqual([expect.stringContaining('error card_bad_value `mcp_connect.0`')])
  })
})
