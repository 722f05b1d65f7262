import { expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

async function problemsOf(command: string): Promise<readonly object[]> {
  const host = await openTeam({
    'troupe.json': JSON.stringify({ mcpServers: { shared: { command } } }),
    'a.md': card({
      name: 'A',
      model: 'passthrough',
      servers: ['shared'],
      mcpServers: { own: { command } },
    }),
  })
  return host.plan().problems
}

it('a command line as the `command` of a server is a problem with a fix, in cards and in the configuration', async () => {
  expect(await problemsOf('npx -y @x/y --key sk-0123')).toMatchObject([
    {
      severity: 'warning',
      code: 'mcp_command_line',
      message: expect.stringContaining('"shared"'),
      fix: 'Write `command: npx`, and each other word as an entry of `args`.',
    },
    { code: 'mcp_command_line', message: expect.stringContaining('"own"'), line: 6 },
  ])
  expect(JSON.stringify(await problemsOf('npx -y @x/y --key sk-0123'))).not.toContain('sk-0123')
  expect(await problemsOf('${NODE:-my node} server.js')).toMatchObject([
    { fix: 'Write `command: ${NODE:-my_node}`, and each other word as an entry of `args`.' },
    {},
  ])
})

it.each([
  'npx',
  '/opt/my tools/server',
  'C:\\Program Files\\node.exe',
  './my server',
  '${NODE:-/opt/my tools/node}',
])(
  'a program as the `command` of a server, even with spaces in its path, is not a problem: %s',
  async (command) => {
    expect(await problemsOf(command)).not.toContainEqual(
      expect.objectContaining({ code: 'mcp_command_line' }),
    )
  },
)
