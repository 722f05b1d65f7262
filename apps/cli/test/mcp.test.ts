import { describe, expect, it } from 'vitest'
import { hostConfiguration } from '../src/mcp/host-configuration.ts'
import { troupe } from './team.ts'
import { travelAgent } from './travel.ts'

const QUIET = { ...travelAgent(), 'noise.mjs': "export const shout = () => 'done'\n" }

describe('troupe mcp --print-config', () => {
  it.each([
    ['claude', (place: object) => ({ mcpServers: { Travel: place } })],
    ['cursor', (place: object) => ({ mcpServers: { Travel: place } })],
    ['vscode', (place: object) => ({ servers: { Travel: { type: 'stdio', ...place } } })],
  ] as const)('troupe mcp --print-config prints the configuration that %s reads', async (name, wrapped) => {
    const { code, out, folder } = await troupe(['mcp', 'travel.md', '--print-config', name], QUIET)
    expect(code).toBe(0)
    const place = { command: 'troupe', args: ['mcp', `${folder.path}/travel.md`] }
    expect(JSON.parse(out())).toEqual(wrapped(place))
  })

  it('troupe mcp --print-config codex raises the call timeout above one minute', async () => {
    const { out, folder } = await troupe(['mcp', 'travel.md', '--print-config', 'codex'], QUIET)
    expect(out()).toBe(
      [
        '[mcp_servers.Travel]',
        'command = "troupe"',
        `args = ["mcp","${folder.path}/travel.md"]`,
        'tool_timeout_sec = 600',
        '',
      ].join('\n'),
    )
  })

  it('troupe mcp --print-config codex names exactly the variables that codex does not pass on', async () => {
    const files = {
      ...travelAgent({ model: 'openai/gpt-5-mini', fields: 'env: [REGION, TOKEN]' }),
      'noise.mjs': QUIET['noise.mjs'],
      'troupe.env': 'TOKEN=1\n',
    }
    const { out } = await troupe(['mcp', 'travel.md', '--print-config', 'codex'], files)
    expect(out()).toContain('env_vars = ["OPENAI_API_KEY","REGION"]\n')
  })

  it('troupe mcp --print-config repeats the team options with absolute paths', async () => {
    const words = ['--agent', 'Travel', '--env-file', 'keys.env', '--model', 'passthrough', '--frozen']
    const files = { ...QUIET, 'keys.env': 'KEY=1\n' }
    const { out, folder } = await troupe(['mcp', '.', '--print-config', 'claude', ...words], files)
    expect(JSON.parse(out())).toMatchObject({
      mcpServers: {
        Travel: {
          args: [
            'mcp',
            folder.path,
            '--agent',
            'Travel',
            '--model',
            'passthrough',
            '--env-file',
            `${folder.path}/keys.env`,
            '--frozen',
          ],
        },
      },
    })
  })

  it('troupe mcp --http --print-config prints the URL of the server', async () => {
    const { out } = await troupe(['mcp', 'travel.md', '--http', '--print-config', 'claude'], QUIET)
    expect(JSON.parse(out())).toEqual({
      mcpServers: { Travel: { type: 'http', url: 'http://127.0.0.1:7788/mcp' } },
    })
  })

  it('troupe mcp --print-config is valid for a path with quotes and backslashes', () => {
    const text = hostConfiguration('codex', 'A', {
      command: 'troupe',
      args: ['mcp', String.raw`C:\a "b".md`],
      variables: [],
    })
    expect(text).toContain(String.raw`args = ["mcp","C:\\a \"b\".md"]`)
  })
})

describe('troupe mcp', () => {
  it('troupe mcp exits with 2 for an agent without exported tools', async () => {
    const card = '---\nname: A\ndescription: a\nmodel: passthrough\n---\nHelp.\n'
    const { code, out, err } = await troupe(['mcp', 'a.md'], { 'a.md': card })
    expect(code).toBe(2)
    expect(out()).toBe('')
    expect(err()).toContain('exports_no_tools')
  })

  it.each(['eighty', '70000', '-1', ''])('troupe mcp rejects port "%s"', async (port) => {
    const { code, err } = await troupe(['mcp', 'travel.md', '--http', `--port=${port}`], QUIET)
    expect(code).toBe(2)
    expect(err()).toContain('--port')
  })

  it('troupe mcp prints the served tools at the start and serves until its client disconnects', async () => {
    const { code, out, err } = await troupe(['mcp', 'travel.md'], QUIET)
    expect(code).toBe(0)
    expect(out()).toBe('')
    expect(err()).toBe('Travel 1.2.0 serves Travel_book_flight\n')
  })
})
