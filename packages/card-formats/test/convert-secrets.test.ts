import { posix } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { convertCard, parseCard } from './cards.ts'

type Files = Readonly<Record<string, unknown>>

const FRONT = '---\nname: a\ndescription: d\n---\nx\n'
const AGENTS = {
  claude: '/p/.claude/agents/a.md',
  copilot: '/p/.github/agents/a.agent.md',
  opencode: '/p/.opencode/agents/a.md',
  codex: '/p/.codex/agents/a.toml',
}
const CODEX = 'name = "a"\ndescription = "d"\ndeveloper_instructions = "x"\n'

function optionsOf(path: string, files: Files): Parameters<typeof convertCard>[1] {
  const texts = new Map(
    Object.entries(files).map(([file, value]) => [
      file,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  return { path, workspace: '/p', readProjectFile: (file) => texts.get(posix.normalize(file)) }
}

/** Converts an agent of a project with these files. */
function convert(path: string, files: Files): string {
  const text = path.endsWith('.toml') ? CODEX : FRONT
  const options = optionsOf(path, files)
  const { definition: _, ...shown } = parseCard(text, options)
  expect(JSON.stringify(shown)).not.toMatch(/hush/u)
  const [card] = convertCard(text, options).cards
  expect(card).toBeDefined()
  return card?.text ?? ''
}

/** Converts an agent of Claude Code with one server. */
function convertServer(server: object): string {
  return convert(AGENTS.claude, { '/p/.mcp.json': { s: server } })
}

describe('literal secrets of MCP servers', () => {
  const headers = { Authorization: 'Bearer hush-1', 'X-Trace': 'on' }
  const env = { NOTES_TOKEN: 'hush-2', MODE: 'fast' }
  const both = { web: { url: 'https://x.example', headers }, notes: { command: 'x', env } }

  it.each<[string, string, Files]>([
    ['.mcp.json', AGENTS.claude, { '/p/.mcp.json': { mcpServers: both } }],
    ['.vscode/mcp.json', AGENTS.copilot, { '/p/.vscode/mcp.json': { servers: both } }],
    [
      'opencode.json',
      AGENTS.opencode,
      {
        '/p/opencode.json': {
          mcp: {
            web: { ...both.web, type: 'remote' },
            notes: { type: 'local', command: ['x'], environment: env },
          },
        },
      },
    ],
    [
      'config.toml',
      AGENTS.codex,
      {
        '/p/.codex/config.toml':
          '[mcp_servers.web]\nurl = "https://x.example"\nhttp_headers = { Authorization = "Bearer hush-1", X-Trace = "on" }\n[mcp_servers.notes]\ncommand = "x"\nenv = { NOTES_TOKEN = "hush-2", MODE = "fast" }\n',
      },
    ],
  ])(`convert writes variables in place of the secrets in %s ${verifies('R4')}`, (_name, path, files) => {
    const text = convert(path, files)
    expect(text).not.toMatch(/hush/u)
    expect(text).toContain('Authorization: Bearer ${WEB_HEADERS_AUTHORIZATION}')
    expect(text).toContain('NOTES_TOKEN: ${NOTES_TOKEN}')
    expect(text).toMatch(/X-Trace: ['"]?on/u)
    expect(text).toContain('MODE: fast')
    expect(text).toContain(
      '#   mcpServers.notes.env.NOTES_TOKEN: its value may be secret; set the variable NOTES_TOKEN',
    )
  })

  it.each<[string, object, string]>([
    ['a default of a variable', { command: 'x', env: { API_KEY: '${K:-hush-1}' } }, 'API_KEY: ${API_KEY}'],
    ['a password in an address', { url: 'https://me:hush-1@x.example/mcp' }, 'me:${S_URL}@x.example/mcp'],
    [
      'parameters of an address',
      { url: 'https://x.example/mcp?apiKey=hush-1&page=2&token=hush-2' },
      'https://x.example/mcp?apiKey=${S_URL}&page=2&token=${S_URL_2}',
    ],
    ['the value of an option', { command: 'x', args: ['--api-key', 'hush-1', 'all'] }, '- ${S_ARGS_1}'],
    ['an option with its value', { command: 'x', args: ['--token=hush-1'] }, '- --token=${S_ARGS_0}'],
    [
      'a header in an option',
      { command: 'x', args: ['--header', 'Authorization: Bearer hush-1'] },
      'Authorization: Bearer ${S_ARGS_1}',
    ],
    ['a well-known form', { command: 'x', env: { A: 'sk-hush-1234567890' } }, 'A: ${A}'],
    [
      'a secret of OAuth',
      { url: 'https://x.example', oauth: { clientSecret: 'hush-1' } },
      '${S_AUTH_CLIENTSECRET}',
    ],
  ])('convert finds %s', (_name, server, expected) => {
    const text = convertServer(server)
    expect(text).not.toMatch(/hush/u)
    expect(text).toContain(expected)
  })

  it.each<[string, object]>([
    ['a reference', { url: 'https://x.example', headers: { Authorization: 'Bearer ${TOKEN}' } }],
    ['a reference with an empty default', { command: 'x', env: { API_KEY: '${API_KEY:-}' } }],
    ['the path of a file', { command: 'x', env: { TOKEN_FILE: '/run/token' } }],
    ['a number', { command: 'x', env: { MAX_TOKENS: '4096' } }],
    ['other variables', { command: 'x', env: { MONKEY: 'see', KEYBOARD: 'de' }, args: ['--keyboard', 'de'] }],
    ['an address', { url: 'https://x.example/token?page=2' }],
  ])('convert keeps %s', (_name, server) => {
    expect(convertServer(server)).not.toContain('# secrets:')
  })

  it('servers with different secrets under the same name get different variables', () => {
    const server = (secret: string): object => ({ command: 'x', env: { API_KEY: secret } })
    const files = { '/p/.mcp.json': { a: server('hush-1'), b: server('hush-2'), c: server('hush-1') } }
    const text = convert(AGENTS.claude, files)
    expect(text.match(/API_KEY: \$\{\w+\}/gu)).toEqual([
      'API_KEY: ${API_KEY}',
      'API_KEY: ${B_ENV_API_KEY}',
      'API_KEY: ${API_KEY}',
    ])
  })
})
