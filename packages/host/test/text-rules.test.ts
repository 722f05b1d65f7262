import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

const worker = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => ({
  'a.md': card({ name: 'A', default: true, model: 'passthrough', runtimeTools: ['shell'], ...fields }),
})

describe('a text rule of a card', () => {
  it.each([
    [{ permissions: { deny: ['shell:cmd=rm *'] } }, 'permissions.deny.0'],
    [{ permissions: { deny: ['take', 'Bash(rm *)'] } }, 'permissions.deny.1'],
    [{ permissions: { ask: ['shell.execute rm'] } }, 'permissions.ask.0'],
    [{ requiresApproval: ['Bash(rm *)'] }, 'requiresApproval.0'],
  ])(
    `a text rule for some calls of a tool is an error, and the agent does not run: %j ${verifies('R16')}`,
    async (fields, key) => {
      const host = await openTeam(worker(fields))
      expect(host.plan().problems).toContainEqual(
        expect.objectContaining({
          severity: 'error',
          code: 'card_bad_value',
          agent: 'A',
          line: 7,
          message: expect.stringMatching(
            new RegExp(`^${key}: ".*" is not the name of a tool`, 'u'),
          ) as string,
        }),
      )
      expect(await host.run('A', 'hi')).toMatchObject({
        outcome: 'failed',
        error: { code: 'card_bad_value' },
      })
    },
  )

  it('a text rule that matches no tool of the team is a warning with the closest name', async () => {
    const rules = { deny: ['Bash', 'shell.exec', 'shell.*', 'filesystem.write', 'agent__B'] }
    const files = { ...worker({ permissions: rules }), 'b.md': card({ name: 'B', model: 'passthrough' }) }
    const { problems } = (await openTeam(files)).plan()
    expect(problems.filter(({ code }) => code === 'tool_unknown')).toMatchObject([
      { severity: 'warning', line: 7, message: 'permissions.deny.0: "Bash" matches no tool of the team.' },
      {
        message:
          'permissions.deny.1: "shell.exec" matches no tool of the team; did you mean "shell.execute"?',
      },
    ])
  })

  it('a text rule that could match a tool of an MCP server is not reported until its tools are listed', async () => {
    const mcpServers = { notes: stdioServer() }
    const host = await openTeam(worker({ mcpServers, permissions: { deny: ['notes__drop*', '*__x'] } }))
    const unknown = (problems: readonly { readonly code: string; readonly message: string }[]) =>
      problems.filter(({ code }) => code === 'tool_unknown').map(({ message }) => message)
    expect(unknown(host.plan().problems)).toEqual([])
    expect(unknown((await host.inspect()).problems)).toEqual([
      'permissions.deny.0: "notes__drop*" matches no tool of the team.',
      'permissions.deny.1: "*__x" matches no tool of the team.',
    ])
  })

  it('a text rule from a conversion of another product is not a warning', async () => {
    const files = { '.claude/agents/a.md': '---\nname: a\ndescription: d\nmodel: inherit\n---\nHi.\n' }
    const host = await openTeam(files, { cards: ['.claude/agents/a.md'], model: 'passthrough' })
    expect(host.plan().problems).toEqual([])
  })
})
