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
  it('permissions of a command restrict it, and grant nothing', () => {
    const definitionOf = (front: string): ParsedCard['definition'] =>
      command('/p/.opencode/command/test.md', `---\ndescription: d\n${front}\n---\nTest it.\n`).definition
    const restricted = definitionOf('permissions:\n  edit: deny\n  bash: allow')
    expect(restricted?.permissions?.deny).toContain('filesystem.write')
    expect(restricted?.permissions?.ask).toContain('shell.execute')
    for (const key of ['permission: allow', 'permission:\n  bash: allow', 'permissions:\n  bash: allow'])
      expect(definitionOf(key)).toMatchObject({
        permissions: { ask: expect.arrayContaining(['shell.execute']) as string[] },
      })
  })

  it('a command with an agent calls that agent and has no tools of its own', () => {
    const { definition } = command(
      '/p/.opencode/command/test.md',
      '---\ndescription: d\nagent: tester\nmodel: openai/gpt-5\n---\nTest $ARGUMENTS.\n',
    )
    expect(definition).toMatchObject({
      name: 'command:test',
      agents: ['tester'],
      tools: { allow: [] },
      runtimeTools: [],
      model: ['openai/gpt-5'],
    })
    expect(definition?.instruction).toMatch(/^Let the agent tester do the following/u)
  })

  it('a command finds its agent in the folders of the project', () => {
    const folders = { '/p/.opencode/agents': ['a.md'], '/p/.opencode/agents/review': ['security.md'] }
    const agentsOf = (path: string, agent: string): unknown =>
      command(path, `---\ndescription: d\nagent: ${agent}\n---\nx\n`, folders).definition?.agents
    expect(agentsOf('/p/.opencode/commands/x.md', 'a')).toEqual(['../agents/a.md'])
    expect(agentsOf('/p/.opencode/commands/deep/x.md', 'review/security')).toEqual([
      '../../agents/review/security.md',
    ])
  })

  it.each([
    ['build', expect.arrayContaining(['filesystem.write', 'shell.execute'])],
    ['plan', ['filesystem.read', 'filesystem.list', 'filesystem.search']],
  ])('a command for the built-in agent %s has its tools', (agent, allow: unknown) => {
    const { definition } = command(
      '/p/.opencode/command/test.md',
      `---\ndescription: d\nagent: ${agent}\n---\nTest.\n`,
    )
    expect(definition).toMatchObject({ agents: [], instruction: 'Test.', tools: { allow } })
  })

  it('the rules of the project apply to a command', () => {
    const { definition } = parseCard('Test.\n', {
      path: '/p/.opencode/command/test.md',
      readProjectFile: (file) => (file === '/p/opencode.json' ? '{"permission":{"bash":"deny"}}' : undefined),
    })
    expect(definition?.permissions.deny).toEqual(['shell.execute'])
  })
})

describe('a command of Gemini CLI', () => {
  const gemini = (text: string): ParsedCard => command('/p/.gemini/commands/git/fix.toml', text)

  it('a command is an agent named after its path, whose prompt explains its placeholders', () => {
    const { definition, problems, dialect } = gemini(
      'description = "Fixes."\nprompt = """\nFix {{args}}.\nDiff: !{git diff {{args}}}\nRules: @{docs/style.md}\n"""\n',
    )
    expect([problems, dialect]).toEqual([[], 'gemini-command'])
    expect(definition).toMatchObject({ name: 'command:git:fix', description: 'Fixes.' })
    expect(definition?.permissions.ask).toContain('shell.execute')
    expect(definition?.instruction).toMatch(
      /^Fix \{\{args\}\}[^]+`\{\{args\}\}` stands for the whole input[^]+run each command written as !\{command\}[^]+Content of docs\/style.md:\n\nUse short words\.$/u,
    )
  })

  it.each(['docs/missing.md', '../out.md', 'docs/.env.local'])(
    'a file that is not part of the prompt is a warning: %s',
    (path) => {
      const { problems, definition } = gemini(`prompt = "Read @{${path}}."\n`)
      expect(problems.filter(({ code }) => code === 'key_without_effect')).toHaveLength(1)
      expect(definition?.instruction).toBe(`Read @{${path}}.`)
    },
  )
})

describe('a prompt file of VS Code', () => {
  const prompt = (front: string, body = 'Fix it.'): ParsedCard =>
    command('/p/.github/prompts/fix.prompt.md', `---\ndescription: d\n${front}---\n${body}\n`)
  const toolsOf = ({ definition }: ParsedCard): unknown => definition?.tools.allow

  it('a prompt file is a command with its tools, model and hint', () => {
    const { definition, problems, dialect } = prompt(
      "agent: agent\nargument-hint: issue\nmodel: GPT-5\ntools: ['search', 'execute']\n",
    )
    expect([problems, dialect]).toEqual([[], 'copilot-prompt'])
    expect(definition).toMatchObject({
      name: 'command:fix',
      usage: 'issue',
      model: ['openai/gpt-5'],
      tools: { allow: ['filesystem.list', 'filesystem.search', 'shell.execute'] },
      permissions: { ask: ['shell.execute'] },
    })
    expect(prompt('name: mend\n').definition?.name).toBe('command:mend')
  })

  it.each([
    ['ask', ['filesystem.read', 'filesystem.list', 'filesystem.search']],
    ['edit', ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write']],
  ])('a prompt file for the agent %s has only its tools', (agent, tools) => {
    expect(toolsOf(prompt(`agent: ${agent}\n`))).toEqual(tools)
    expect(toolsOf(prompt(`mode: ${agent}\n`))).toEqual(tools)
    expect(toolsOf(prompt(`agent: ${agent}\ntools: [edit]\n`))).toEqual(['filesystem.write'])
  })

  it('a prompt file for a custom agent calls it, unless the file has tools of its own', () => {
    const folders = { '/p/.github/agents': ['reviewer.agent.md'] }
    const file = '/p/.github/prompts/x.prompt.md'
    expect(command(file, '---\nagent: Reviewer\n---\nx\n', folders).definition?.agents).toEqual([
      '../agents/reviewer.agent.md',
    ])
    const { definition } = prompt('agent: reviewer\n')
    expect(definition).toMatchObject({ agents: ['reviewer'], tools: { allow: [] } })
    expect(definition?.instruction).toMatch(/^Let the agent reviewer do[^]+Fix it\.$/u)
    const own = prompt('agent: reviewer\ntools: [read]\n')
    expect(own.definition).toMatchObject({
      agents: [],
      tools: { allow: ['filesystem.read'] },
      instruction: 'Fix it.',
    })
    expect(own.problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
  })

  it('values of the input are explained, and files that the prompt links to are appended', () => {
    const { definition } = prompt(
      '',
      'Build ${input:form:its name} by [these rules](../../docs/style.md) or <b>.',
    )
    expect(definition?.instruction).toMatch(
      /`\$\{input:name\}` stands for the value[^]+Content of \.\.\/\.\.\/docs\/style\.md:\n\nUse short words\.$/u,
    )
  })

  it('a variable of the editor is a warning', () => {
    expect(prompt('', 'Explain ${selection}.').problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('`${selection}`') },
    ])
  })
})

it('the names of the arguments of a Claude Code command are explained', () => {
  const { definition } = claude('description: d\narguments: [issue, branch]', 'Fix $issue on $branch.')
  expect(definition?.instruction).toContain('`$issue` for word 1, `$branch` for word 2')
})
