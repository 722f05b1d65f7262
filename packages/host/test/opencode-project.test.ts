import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { openTeam, stdioServer } from './support/open-team.ts'

const { command, args } = stdioServer()
const PROJECT = {
  'opencode.json': `{
    // rules and servers of the whole project
    "model": "x/y",
    "permission": { "edit": "deny", "bash": { "*": "ask", "rm *": "deny" } },
    "mcp": { "notes": { "type": "local", "command": ${JSON.stringify([command, ...args])} } },
  }`,
  '.opencode/agent/lead.md': '---\ndescription: Leads.\nmode: primary\n---\nLead.\n',
  '.opencode/agent/review/security.md':
    '---\ndescription: Reviews.\nmode: subagent\npermission:\n  bash: allow\n---\nReview.\n',
}

describe('a project of opencode', () => {
  it('denies of the project apply to each agent, and later rules of an agent replace those for the same tool', async () => {
    const host = await openTeam(PROJECT, { cards: ['.opencode/agent'] })
    const permissionsOf = (name: string): Readonly<Record<string, string>> =>
      Object.fromEntries(
        host
          .plan()
          .agents.find((agent) => agent.name === name)
          ?.tools.map((tool) => [tool.name, tool.permission]) ?? [],
      )
    expect(permissionsOf('lead')).not.toMatchObject({ 'filesystem.write': 'allow' })
    expect(permissionsOf('lead')['shell.execute']).toBe('ask')
    expect(permissionsOf('review-security')['shell.execute']).toBe('allow')
  })

  it('an agent calls the server of the project, but neither writes a file nor removes one', async () => {
    const steps = [
      { tool: 'notes__echo', args: { text: 'hi' } },
      { tool: 'filesystem_write', args: { path: 'a.txt', content: 'x' } },
      { tool: 'shell_execute', args: { command: 'rm', args: ['-f', 'opencode.json'] } },
    ]
    const model = scriptedModel((_prompt, { index }) => {
      const step = steps[index]
      return step === undefined ? { text: 'done' } : { calls: [step] }
    })
    const host = await openTeam(PROJECT, { cards: ['.opencode/agent'], models: { 'x/y': model } })
    const failed: string[] = []
    const result = await host.run('lead', 'go', {
      onEvent: (event) =>
        void (event.type === 'tool-result' && event.error !== undefined && failed.push(event.toolName)),
    })
    expect(result).toMatchObject({ outcome: 'completed', output: { text: 'done' } })
    expect(failed).toEqual(['filesystem_write', 'shell.execute'])
  })
})
