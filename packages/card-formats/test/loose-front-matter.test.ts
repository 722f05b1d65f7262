import { describe, expect, it } from 'vitest'
import { convertCard, parseCard, type ParsedCard } from './cards.ts'

const CLAUDE = '/p/.claude/agents/a.md'

function claude(yaml: string): ParsedCard {
  return parseCard(`---\n${yaml}\n---\nx\n`, { path: CLAUDE })
}

describe('front matter without required YAML quotes', () => {
  it.each([
    ['Use it: now', 'Use it: now'],
    [
      `<example>user: 'It''s red' assistant: "So?"</example>`,
      `<example>user: 'It''s red' assistant: "So?"</example>`,
    ],
    ['@lead asks', '@lead asks'],
    ['`make` fails', '`make` fails'],
    ['*Always* use it', '*Always* use it'],
    ['[CI] reads logs', '[CI] reads logs'],
    ['"Quoted" and: not', '"Quoted" and: not'],
  ])('unquoted front matter is read as its authors intended: %s', (written, description) => {
    const { definition, problems } = claude(`description: ${written}\nmodel: haiku`)
    expect(problems).toEqual([])
    expect(definition?.description).toBe(description)
    expect(definition?.model).toEqual(['anthropic/claude-haiku-4-5'])
  })

  it('unquoted front matter with Windows line endings is read, and the quoted values are reported', () => {
    const text = '---\r\ndescription: One thing: this\r\ntools: *\r\n---\r\nx\r\n'
    const { definition, report } = parseCard(text, { path: CLAUDE })
    expect(definition?.description).toBe('One thing: this')
    expect(report[0]).toMatchObject({ key: '(front matter)', to: 'description, tools in quotes' })
  })

  it.each([
    ['/p/.claude/agents/a.md', undefined],
    ['/p/.opencode/agents/a.md', undefined],
    ['/p/.github/agents/a.agent.md', 'card_bad_yaml'],
    ['/p/.gemini/agents/a.md', 'card_bad_yaml'],
    ['/p/.fast-agent/agent-cards/a.md', 'card_bad_yaml'],
    ['/p/a.md', 'card_bad_yaml'],
  ])('unquoted front matter is read only where its product reads it: %s', (path, code) => {
    const { problems } = parseCard('---\nname: a\ndescription: One thing: this\n---\nx\n', { path })
    expect(problems[0]?.code).toBe(code)
  })

  it('unquoted front matter is an error at its position if quotes would not help', () => {
    const { problems } = claude('description: One: two\ntools: [Read\n  Grep: a: b')
    expect(problems).toMatchObject([{ severity: 'error', code: 'card_bad_yaml' }])
    expect(problems[0]?.fix).toContain('Quote text')
  })

  it.each([
    ['a block of examples', 'description: Examples\n\n<example>\nuser: "Why?"\n</example>\nmodel: haiku', 4],
    ['a second line', 'description: One line\nand another one', 3],
    ['a text that needs quotes as well', 'description: Use it: so\nand so', 3],
    ['a block without its blanks', 'model: haiku\ndescription: |\nOne line (see below)', 4],
    ['a heading that looks like a key', 'description: One line\nExamples:\n<example>\nContext: so', 4],
    ['a list of points', 'description: Does\n* one thing\n* another thing', 3],
  ])('unquoted front matter is an error if text continues at the left edge: %s', (_, yaml, line) => {
    for (const path of [CLAUDE, '/p/.github/agents/a.agent.md', '/p/a.md'])
      expect(parseCard(`---\n${yaml}\n---\nx\n`, { path }).problems).toMatchObject([
        {
          code: 'card_bad_yaml',
          line,
          column: 1,
          message: expect.stringContaining('text of `description`'),
          fix: expect.stringContaining('`description: |`'),
        },
      ])
  })

  it.each(['description: "One\nmore', 'tools: [a\nb', 'description: One\n\tmore: a\nmodel: b'])(
    'unquoted front matter reports only the line of another error: %j',
    (yaml) => {
      const { problems } = claude(yaml)
      expect(problems).toMatchObject([{ code: 'card_bad_yaml' }])
      expect(problems[0]?.message).not.toContain('left edge')
    },
  )

  it('unquoted front matter reports problems of its other keys at their positions', () => {
    const { problems } = claude('description: One thing: this\ntools:\n  - Gerp')
    expect(problems).toMatchObject([{ code: 'tool_unknown', line: 4, column: 5 }])
  })

  it('unquoted front matter gets its quotes in a conversion', () => {
    const { cards } = convertCard('---\nname: a\ndescription: One thing: this\n---\nx\n', { path: CLAUDE })
    const [card] = cards
    expect(parseCard(card?.text ?? '', { path: '/p/a.md' }).definition?.description).toBe('One thing: this')
  })
})

describe('a card in a code block', () => {
  it.each(['```chatagent', '````chatagent\n```chatagent', '~~~markdown'])(
    'a card in a code block is an error that says what to remove: %j',
    (fence) => {
      const text = `${fence}\n---\ntools: [read]\n---\nx\n\`\`\`\n`
      const { problems } = parseCard(text, { path: '/p/.github/agents/a.agent.md' })
      expect(problems).toMatchObject([{ code: 'card_syntax', line: 1 }])
      expect(problems[0]?.message).toContain('code block')
    },
  )

  it('a code block may start a prompt', () => {
    const { problems } = parseCard('```sh\nmake\n```\n', { path: '/p/a.agent.md' })
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })
})
