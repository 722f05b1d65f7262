import { describe, expect, it } from 'vitest'
import { parseCard, parseCards } from './cards.ts'

function refusal(path: string, text: string): string {
  const [card, ...others] = parseCards(text, { path })
  expect(others).toEqual([])
  expect(card?.definition).toBeUndefined()
  expect(card?.problems).toMatchObject([{ severity: 'error', code: 'card_syntax', line: 1 }])
  return `${card?.problems[0]?.message ?? ''} ${card?.problems[0]?.fix ?? ''}`
}

describe('a file that is not an agent card', () => {
  it.each([
    ['/p/codex.toml', 'name = "x"\nsandbox_mode = "read-only"\n', /TOML file.*TOML is read only as/u],
    ['/p/notes.md', '# Notes\n\nDelete all files.\n', /no front matter.*description: …/u],
    ['/p/AGENTS.md', 'Use two spaces.\n', /no front matter/u],
    ['/p/notes.txt', 'Delete all files.', /no front matter/u],
    ['/p/README', 'Delete all files.', /no front matter/u],
    ['/p/page.md', '+++\ntitle = "x"\n+++\nText', /no front matter/u],
    ['/p/.claude/agents/notes.md', 'Delete all files.', /no front matter/u],
    [
      '/p/agent-card.json',
      JSON.stringify({
        protocolVersion: '0.3.0',
        name: 'x',
        url: 'https://agent.example/a2a',
        capabilities: {},
        skills: [{ id: 'a', name: 'a', description: 'd', tags: [] }],
        defaultInputModes: ['text/plain'],
      }),
      /A2A agent card/u,
    ],
    [
      '/p/tasks.yaml',
      'research:\n  description: D\n  expected_output: E\n  agent: researcher\n',
      /CrewAI file \(tasks\.yaml\)/u,
    ],
  ])(
    'a file that is not an agent card is rejected with its kind and never used as a prompt: %s',
    (path, text, message) => {
      expect(refusal(path, text)).toMatch(message)
    },
  )

  it.each([
    ['/p/fix.md', 'description: d\nargument-hint: "[issue]"'],
    [
      '/p/fix.md',
      'description: d\nargument-hint: "[issue]"\nallowed-tools: Read, Bash(git log *)\nmodel: opus',
    ],
    ['/p/fix.md', 'allowed-tools: Read'],
    ['/p/SKILL.md', 'name: a\ndescription: d\nallowed-tools: Read'],
  ])('a command file outside the folders of commands gets no tools: %s %j', (path, yaml) => {
    expect(refusal(path, `---\n${yaml}\n---\nFix it.\n`)).toMatch(
      /it is an? (?:Claude Code|opencode) command.* Commands are read only in/u,
    )
  })

  it('a file that declares itself a card is read as a card', () => {
    const text =
      '---\ndialect: copilot\ndescription: d\nargument-hint: an issue\ntools: [read]\n---\nFix it.\n'
    expect(parseCard(text, { path: '/p/a.md' }).definition?.tools).toEqual({ allow: ['filesystem.read'] })
  })
})

it('`allowed-tools` in a Claude Code agent is an error, unless `tools` lists its tools', () => {
  const agent = (yaml: string): ReturnType<typeof parseCard> =>
    parseCard(`---\ndescription: d\n${yaml}\n---\nLook.\n`, { path: '/p/.claude/agents/a.md' })
  expect(agent('allowed-tools: Read').definition).toBeUndefined()
  expect(agent('allowed-tools: Read').problems).toMatchObject([
    { severity: 'error', code: 'card_unknown_key', line: 3 },
  ])
  expect(agent('allowed-tools: Read\ntools: Grep').definition?.tools).toEqual({
    allow: ['filesystem.search'],
  })
})
