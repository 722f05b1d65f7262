import * as fc from 'fast-check'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard, parseCards, ALL_FORMATS } from './cards.ts'

function dialectOf(path: string, yaml: string): string {
  const isData = /\.(?:yaml|json)$/u.test(path)
  return parseCard(isData ? yaml : `---\n${yaml}\n---\nBe brief.\n`, { path }).dialect
}

describe('detection of the dialect', () => {
  it.each([
    ['/p/.claude/agents/a.md', 'claude-code'],
    ['.claude/agents/team/a.md', 'claude-code'],
    ['C:\\p\\.claude\\agents\\a.md', 'claude-code'],
    ['/p/.opencode/agent/a.md', 'opencode'],
    ['/home/u/.config/opencode/agents/a.md', 'opencode'],
    ['/p/.github/agents/a.md', 'copilot'],
    ['/p/a.agent.md', 'copilot'],
    ['/p/a.chatmode.md', 'copilot'],
    ['/p/.gemini/agents/a.md', 'gemini'],
    ['/p/.fast-agent/tool-cards/a.md', 'fast-agent'],
    ['/p/a.ai', 'ai-agent'],
    ['/p/.goose/recipes/a.yaml', 'goose'],
    ['/p/.opencode/mode/a.md', 'opencode'],
    ['/p/claude/agents/a.md', 'troupe'],
    ['/p/a.md', 'troupe'],
  ])('the dialect of a file is detected by its path: %s', (path, dialect) => {
    expect(dialectOf(path, 'description: d')).toBe(dialect)
  })

  it('the dialect of a file is the one that the file names, wherever it is', () => {
    expect(dialectOf('/p/a.md', 'dialect: gemini\ndescription: d')).toBe('gemini')
    expect(dialectOf('/p/.claude/agents/a.md', 'dialect: troupe\ndescription: d')).toBe('troupe')
    expect(dialectOf('/p/a.md', 'format: gemini\ndescription: d')).toBe('gemini')
    expect(dialectOf('/p/.claude/agents/a.md', 'format: wide\ndescription: d')).toBe('claude-code')
  })

  it('the dialect of a file with an extension of another product is `troupe` if only Troupe has all its keys', () => {
    expect(dialectOf('/p/a.agent.md', 'description: d\nlimits: {maxTurns: 3}')).toBe('troupe')
    expect(dialectOf('/p/.claude/agents/a.md', 'description: d\nlimits: {maxTurns: 3}')).toBe('claude-code')
  })

  it.each([
    ['description: d\ntools: Read, Grep\nmodel: inherit', 'claude-code'],
    ['description: d\nmodel: opus\nauthor: ann', 'troupe'],
    ['description: d\nmodel: sonnet', 'troupe'],
    ['description: d\nmodel: inherit\ntools: "*"', 'troupe'],
    ['description: d\nmode: subagent', 'troupe'],
    ['description: d\nmode: subagent\ntools: {"*": false, read: true}', 'troupe'],
    ["description: d\ntools: ['search/codebase', edit]", 'troupe'],
    ['description: d\ntools: Read\nagents: [helper]', 'troupe'],
    ['description: d\ntools: Read\nskills: [./notes]', 'troupe'],
    ['description: d\ntools: Read\ncolor: red', 'claude-code'],
    ['description: d\ndisallowedTools: Bash', 'claude-code'],
    ['description: d\ndisallowedTools: Bash\nlimits: {maxTurns: 3}', 'troupe'],
    ['description: d\npermission: {edit: deny}', 'opencode'],
    ["description: d\ntarget: vscode\ntools: ['search/codebase']", 'copilot'],
    ['description: d\nkind: local\ntimeout_mins: 3', 'gemini'],
    ['description: d\ntools: [read_file, grep_search]\nmax_turns: 3', 'troupe'],
    ['description: d\nshell: true', 'fast-agent'],
    ['type: agent\nmodel: gpt-5-nano.low', 'fast-agent'],
    ['type: agent\nmodel: $system.fast', 'fast-agent'],
    ['type: agent\nmodel: gpt-4.1', 'troupe'],
    ['description: d\ntoolsDenied: [x]', 'ai-agent'],
    ['description: d\ntools: [a__b]\nmodel: openai/gpt-5', 'troupe'],
    ['description: d\ncolor: red', 'troupe'],
    ['description: d\ncolour: red', 'troupe'],
  ])('the dialect of a file is detected by its content if its path says nothing: %j', (yaml, dialect) => {
    expect(dialectOf('/p/a.md', yaml)).toBe(dialect)
  })

  it.each([
    ['systemPrompt: x\nsettings: {model: "openai:gpt-5"}\nunheard: of', 'tsagent'],
    ['title: t\ninstructions: i\nextensions: []\nunheard: of', 'goose'],
    ['title: t\nprompt: p', 'goose'],
    ['agents: {root: {model: openai/gpt-5, instruction: i}}\nunheard: of', 'docker-agent'],
    ['agent: {a: {prompt: p}}', 'opencode'],
    ['instruction: i\ndescription: d', 'troupe'],
  ])('the dialect of a file is detected by its shape in YAML: %j', (yaml, dialect) => {
    expect(dialectOf('/p/a.yaml', yaml)).toBe(dialect)
  })
})

describe('a file that cannot be parsed', () => {
  it.each([
    ['/p/.gemini/agents/a.md', 'gemini'],
    ['/p/.claude/agents/a.md', 'claude-code'],
    ['/p/opencode.json', 'opencode'],
    ['/p/a.md', 'troupe'],
  ])('a file that cannot be parsed belongs to the product whose path it has: %s', (path, dialect) => {
    const { definition, dialect: told } = parseCard('---\n- a\n- b\n---\n', { path })
    expect(definition).toBeUndefined()
    expect(told).toBe(dialect)
  })
})

describe('every dialect', () => {
  const json = fc.jsonValue({ maxDepth: 3 })

  it.each(ALL_FORMATS)(
    `every dialect explains every key, whatever its value, and never throws: $name ${verifies('R4')}`,
    (dialect) => {
      const tops = [...new Set(dialect.rows.map(({ key }) => key.split('.', 1)[0] ?? ''))]
      const fields = fc.dictionary(
        fc.oneof(fc.constantFrom(...tops, 'constructor', 'toString'), fc.string({ maxLength: 8 })),
        json,
        {
          maxKeys: 8,
        },
      )
      fc.assert(
        fc.property(fields, fc.boolean(), (written, isData) => {
          // such a file is rejected as a whole
          fc.pre(!JSON.stringify(written).includes('"__proto__"'))
          const keys = Object.keys(written).filter(
            (key) => key !== 'dialect' && key !== '__proto__' && key !== '',
          )
          const front = JSON.stringify({
            ...Object.fromEntries(keys.map((key) => [key, written[key]])),
            dialect: dialect.name,
          })
          const cards = isData
            ? parseCards(front, { path: '/p/a.json' })
            : parseCards(`---\n${front}\n---\nx`, { path: '/p/a.md' })
          for (const card of cards) {
            const hasError = card.problems.some(({ severity }) => severity === 'error')
            expect(card.definition !== undefined || hasError).toBe(true)
            const [only] = cards
            if (cards.length > 1 || only === undefined || isPart(card.report, keys)) continue
            const told = [
              ...card.report.map(({ key }) => key),
              ...card.problems.map(({ message }) => message),
            ].join('\n')
            for (const key of keys) expect(told).toContain(key)
          }
        }),
        { numRuns: 150 },
      )
    },
  )
})

/** Returns true if one of the keys contains an agent of the file. */
function isPart(report: readonly { readonly key: string }[], keys: readonly string[]): boolean {
  return (
    ['recipe', 'agent', 'agents'].some((key) => keys.includes(key)) &&
    !report.some(({ key }) => keys.includes(key))
  )
}
