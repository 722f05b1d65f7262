import { describe, expect, it } from 'vitest'
import { openTeam } from './support/open-team.ts'

const model = 'passthrough'
const agent = (keys = '') => `---\ndescription: Helps.\n${keys}---\nYou help.\n`

const namesIn = async (files: Readonly<Record<string, string>>, folder: string) => {
  const host = await openTeam(files, { cards: [folder], model })
  return host.plan().agents.map(({ name }) => name)
}

describe('files that end in .markdown', () => {
  it('are agents in the folders of fast-agent, if they have front matter', async () => {
    const files = {
      '.fast-agent/agent-cards/a.markdown': agent(),
      '.fast-agent/agent-cards/b.markdown': 'Only text.\n',
    }
    expect(await namesIn(files, '.fast-agent/agent-cards')).toEqual(['a'])
  })

  it.each(['.claude/agents', 'cards'])('are not read in %s', async (folder) => {
    expect(await namesIn({ [`${folder}/a.md`]: agent(), [`${folder}/b.markdown`]: agent() }, folder)).toEqual(
      ['a'],
    )
  })
})

describe('the subfolders of a folder of another product', () => {
  it('agents of Claude Code are found in subfolders, but not in hidden ones', async () => {
    const files = {
      '.claude/agents/lead.md': agent('name: lead\n'),
      '.claude/agents/review/code/security.md': agent('name: security\n'),
      '.claude/agents/.old/gone.md': agent('name: gone\n'),
      '.claude/agents/node_modules/x/other.md': agent('name: other\n'),
    }
    expect(await namesIn(files, '.claude/agents')).toEqual(['lead', 'security'])
    expect(await namesIn(files, '.claude/agents/review')).toEqual(['security'])
  })

  it('an agent of Claude Code in a subfolder calls one in another subfolder by name', async () => {
    const files = {
      '.claude/agents/a/lead.md': agent('name: lead\ntools: Agent(other:helper)\n'),
      '.claude/agents/b/helper.md': agent('name: helper\ntools: Read\n'),
    }
    const host = await openTeam(files, { cards: ['.claude/agents/a/lead.md'], model })
    expect(host.plan().problems).toEqual([])
    expect(host.plan().agents.map(({ name, children }) => [name, children])).toEqual([
      ['lead', ['helper']],
      ['helper', []],
    ])
  })

  it('agents of opencode are found in subfolders and named after their paths', async () => {
    const files = {
      '.opencode/agent/lead.md': agent('mode: primary\n'),
      '.opencode/agent/review/security.md': agent('mode: subagent\n'),
      '.opencode/agent/review/named.md': agent('name: own\n'),
      '.opencode/mode/plan.md': agent('mode: primary\n'),
      '.opencode/mode/deep/plan.md': agent('mode: primary\n'),
    }
    expect(await namesIn(files, '.opencode/agent')).toEqual(['lead', 'own', 'review-security'])
    expect(await namesIn(files, '.opencode/mode')).toEqual(['plan'])
  })

  it.each(['.github/agents', '.gemini/agents', 'cards'])(
    'agents in subfolders of %s are not read, as in the product',
    async (folder) => {
      const files = { [`${folder}/a.md`]: agent(), [`${folder}/deep/b.md`]: agent() }
      expect(await namesIn(files, folder)).toEqual(['a'])
    },
  )
})
