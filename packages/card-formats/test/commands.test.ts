import { describe, expect, it } from 'vitest'
import { parseCard, type ParsedCard } from './cards.ts'

const FILES: ReadonlyMap<string, string> = new Map([
  ['/p/docs/style.md', 'Use short words.\n'],
  ['/p/.env', 'TOKEN=x'],
  ['/p/docs/.env.local', 'TOKEN=x'],
])

function command(path: string, text: string, folders: Readonly<Record<string, string[]>> = {}): ParsedCard {
  return parseCard(text, {
    path,
    workspace: '/p',
    readText: (file) => {
      const found = FILES.get(file)
      if (found === undefined) throw new Error('missing')
      return found
    },
    listFiles: (folder) => folders[folder] ?? [],
  })
}

const claude = (front: string, body = 'Fix it.'): ParsedCard =>
  command('/p/.claude/commands/git/fix.md', `---\n${front}\n---\n${body}\n`)

describe('a command of Claude Code', () => {
  it('a command is an agent named after its path, with the tools, model and hint of its front matter', () => {
    const { definition, problems, dialect } = claude(
      'description: d\nargument-hint: [issue]\nallowed-tools: Read, Bash(git diff:*)\nmodel: haiku',
    )
    expect([problems, dialect]).toEqual([[], 'claude-command'])
    expect(definition).toMatchObject({
      name: 'command:git:fix',
      usage: '[issue]',
      model: ['anthropic/claude-haiku-4-5'],
      tools: { allow: ['filesystem.read', 'shell.execute'] },
      permissions: { ask: ['shell.execute'] },
      instruction: 'Fix it.',
    })
  })

  it('arguments and shell commands stay in the prompt and are explained', () => {
    const { definition } = claude('description: d', 'Fix $1, that is $ARGUMENTS.\nState: !`git status`')
    expect(definition?.instruction).toMatch(
      /^Fix \$1, that is \$ARGUMENTS\.\nState: !`git status`\n\nIn the text above, `\$ARGUMENTS` stands for the whole input[^]+run each command/u,
    )
  })

  it('a file of the workspace is appended to the prompt, but never one with variables', () => {
    const { definition, report } = claude(
      'description: d',
      'See @docs/style.md, @docs/missing.md, @docs/.env.local and ask @team/lead or a@b.example.',
    )
    expect(definition?.instruction).toContain('Content of docs/style.md:\n\nUse short words.')
    expect(definition?.instruction).not.toContain('TOKEN')
    expect(report.filter(({ key }) => key.startsWith('@')).map(({ key, status }) => [key, status])).toEqual([
      ['@docs/style.md', 'translated'],
      ['@docs/missing.md', 'ignored'],
      ['@docs/.env.local', 'ignored'],
      ['@team/lead', 'ignored'],
    ])
  })

  it('a command without front matter is read in the folder of commands', () => {
    expect(command('/p/.claude/commands/fix.md', 'Fix it.\n').definition).toMatchObject({
      name: 'command:fix',
      instruction: 'Fix it.',
    })
  })

  it.each([
    ['description: d', ['../../agents/**/*.md']],
    ['allowed-tools: Task, Read', ['../../agents/**/*.md']],
    ['allowed-tools: Read', []],
  ])('a command calls the agents of its project if its tools include that: %s', (front, agents) => {
    const { definition } = command('/p/.claude/commands/git/fix.md', `---\n${front}\n---\nx\n`, {
      '/p/.claude/agents': ['a.md'],
    })
    expect(definition?.agents).toEqual(agents)
  })

  it('a command is recognised in any folder of commands by its keys, and never read as a Copilot agent', () => {
    const text = '---\ndescription: d\nargument-hint: "[x]"\n---\nFix it.\n'
    expect(command('/p/kit/commands/fix.md', text).dialect).toBe('claude-command')
    const card = '---\ndescription: d\nmodel: openai/gpt-5\n---\nFix it.\n'
    expect(command('/p/kit/commands/fix.md', card).dialect).toBe('troupe')
  })
})

describe('a command of opencode', () => {
  it('a command with an agent calls that agent and has no tools of its own', () => {
    const { definition } = command(
      '/p/.opencode/command/test.md',
      '---\ndescription: d\nagent: build\nmodel: openai/gpt-5\n---\nTest $ARGUMENTS.\n',
    )
    expect(definition).toMatchObject({
      name: 'command:test',
      agents: ['build'],
      tools: { allow: [] },
      runtimeTools: [],
      model: ['openai/gpt-5'],
    })
    expect(definition?.instruction).toMatch(/^Let the agent build do the following/u)
  })

  it('the rules of the project apply to a command', () => {
    const { definition } = parseCard('Test.\n', {
      path: '/p/.opencode/command/test.md',
      readProjectFile: (file) => (file === '/p/opencode.json' ? '{"permission":{"bash":"deny"}}' : undefined),
    })
    expect(definition?.permissions.deny).toEqual(['shell.execute'])
  })
})
