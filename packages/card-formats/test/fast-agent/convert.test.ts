import { expect, it } from 'vitest'
import { parseCard } from '../cards.ts'
import { convertProjectCard, readProjectCard } from './project.ts'

const FILES = {
  'fast-agent.yaml': [
    'default_model: $team.main',
    'model_references: {team: {main: haiku}}',
    'mcp: {servers: {clock: {command: clock, args: [serve]}, other: {command: other}}}',
    'compaction: {auto: true}',
  ].join('\n'),
  '.fast-agent/tool-cards/search.md': '---\ndescription: s\nshell: true\n---\nSearch.\n',
  '.fast-agent/agent-cards/lead.md':
    '---\ndescription: d\nservers: [clock]\ntools: {clock: [now]}\nagents: [search]\nshell: true\n---\nRead this:\n{{file:rules.md}}\n',
  '.fast-agent/agent-cards/chain.yaml': 'type: chain\ndescription: c\nsequence: [lead, search]\n',
  'rules.md': 'Be kind. {{workspaceRoot}}',
}

it.each(['.fast-agent/agent-cards/lead.md', '.fast-agent/agent-cards/chain.yaml'])(
  'a converted card has the same agents, tools, servers and permissions without its project: %s',
  (file) => {
    const before = readProjectCard(file, FILES).definition
    const after = parseCard(convertProjectCard(file, FILES), { path: '/p/.fast-agent/agent-cards/x.md' })
    expect(after.problems).toEqual([])
    expect(after.definition).toMatchObject({ ...before, digest: expect.any(String), source: {} })
  },
)

it('a converted prompt contains the included files', () => {
  expect(convertProjectCard('.fast-agent/agent-cards/lead.md', FILES)).toContain('Read this:\nBe kind. /p\n')
})
