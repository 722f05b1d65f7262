import { readdirSync, readFileSync } from 'node:fs'
import { PROCESS_GROUPS } from '@troupe/process'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { faultMcpStdio, recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const MEBIBYTE = 1024 * 1024
const MODEL = 'm'

function tool(name: string, args: object = {}): { readonly tool: string; readonly args: object } {
  return { tool: `bad__${name}`, args }
}

function team(): Parameters<typeof openTeam>[0] {
  return {
    'a.md': card({ name: 'A', model: MODEL, servers: ['bad'] }),
    'troupe.json': JSON.stringify({ mcpServers: { bad: faultMcpStdio('junk') } }),
  }
}

describe('an MCP server that misbehaves in every way', () => {
  it('a server that sends 50 MB, floods, sends junk and leaves a child process behind fails only the one call that it cannot answer', async () => {
    const steps: ScriptedStep[] = [
      {
        calls: [
          tool('large', { bytes: 50 * MEBIBYTE }),
          tool('flood'),
          tool('junk'),
          tool('grandchild'),
          tool('say_later', { text: 'unharmed' }),
          tool('status'),
        ],
      },
      { calls: [tool('large', { bytes: 5 * MEBIBYTE })] },
      { calls: [{ tool: 'read_result', args: { handle: 'r1', offset: 5 * MEBIBYTE - 10 } }] },
      { text: 'done' },
    ]
    const m = scriptedModel(steps)
    const host = await openTeam(team(), {
      models: { m },
      env: { PATH: process.env['PATH'] },
      containment: async () => PROCESS_GROUPS,
    })
    const events = recordEvents()
    const report = await host.run('A', 'go', { onEvent: events.listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'done' } })
    m.assertDone()

    const results = events.of('tool-result')
    expect(results.map(({ toolName, error }) => [toolName, error?.code])).toEqual(
      expect.arrayContaining([
        ['bad__large', 'mcp_oversize'],
        ['bad__flood', undefined],
        ['bad__junk', undefined],
        ['bad__grandchild', undefined],
        ['bad__say_later', undefined],
        ['bad__large', undefined],
        ['read_result', undefined],
      ]),
    )
    const read = JSON.stringify(m.calls[3]?.prompt.at(-1))
    expect(read).toContain(
      `xxxxxxxxxx\\n[bytes ${5 * MEBIBYTE - 10} to ${5 * MEBIBYTE} of ${5 * MEBIBYTE}; end of the result]`,
    )
    expect(events.of('warning').filter(({ message }) => message.includes('not messages'))).toHaveLength(1)

    const said = results.find(({ toolName }) => toolName === 'bad__status')?.content[0]
    const { pid } = JSON.parse(said?.type === 'text' ? said.text : '{}') as { readonly pid: number }
    expect(membersOf(pid).length).toBe(2)
    await host.close()
    expect(membersOf(pid)).toEqual([])
  })
})

/** The living members of a process group; zombies are dead and wait for their parent. */
function membersOf(pgid: number): readonly string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/u.test(entry)) return false
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(group) === pgid && state !== 'Z'
    } catch {
      // it ended while we looked
      return false
    }
  })
}
