import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorsOf, parseCard, readCard, readCardFolder, type ParsedCard } from './cards.ts'

let project: TempProject

beforeEach(async () => {
  project = await tempProject()
})
afterEach(() => project.remove())

const at = (file: string): string => join(project.path, file)
const names = (): readonly string[] =>
  readCardFolder(project.path).map((card) => card.path.slice(project.path.length + 1))

const FILES: ReadonlyMap<string, string> = new Map([
  ['/team/in.json', '\uFEFF{"type": "object", "properties": {"city": {"type": "string"}}}'],
  ['/team/shared/out.json', '{"type": "array"}'],
])

const readText = (path: string): string => {
  const text = FILES.get(path)
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file ${path}`), { code: 'ENOENT' })
  return text
}

function parseYaml(yaml: string): ParsedCard {
  return parseCard(`---\n${yaml}\n---\nBe brief.\n`, { path: '/team/agent.md' })
}

describe('readCard', () => {
  it(`readCard applies the rules of the project that a linked file belongs to ${verifies('R16')}`, async () => {
    await project.write(
      'p/.claude/agents/a.md',
      '---\nname: a\ndescription: d\ndisallowedTools: Write\n---\nhi',
    )
    await project.write('p/.claude/settings.json', '{"permissions": {"deny": ["Bash"]}}')
    await symlink('p/.claude/agents/a.md', at('a.md'))
    await symlink('p/.claude/agents', at('team'))
    for (const path of ['a.md', 'team/a.md'])
      expect(readCard(at(path)).definition?.permissions.deny).toContain('shell.execute')
  })

  it(`readCard rejects a card if the rules of its project are a broken link ${verifies('R16')}`, async () => {
    await project.write('.claude/agents/a.md', '---\ndescription: d\n---\nhi')
    await symlink('nowhere.json', at('.claude/settings.json'))
    const { definition, problems } = readCard(at('.claude/agents/a.md'))
    expect(definition).toBeUndefined()
    expect(problems).toMatchObject([{ code: 'card_unreadable', file: at('.claude/settings.json') }])
    expect(problems[0]).not.toHaveProperty('line')
  })
})

describe('readCardFolder', () => {
  it('readCardFolder reads the agents of other products as cards, but not their settings', async () => {
    await project.write('opencode.jsonc', '{"agent": {"a": {"prompt": "p"}}} // one')
    await project.write('more/opencode.json', '{"agent": {"build": {"model": "openai/gpt-5"}}}')
    await project.write('older.chatmode.md', 'You are an older mode.')
    expect(names()).toEqual(['older.chatmode.md', 'opencode.jsonc'])
    expect(readCardFolder(at('more'))).toEqual([])
    expect(readCard(at('more/opencode.json')).problems).toMatchObject([
      { severity: 'error', message: 'The file does not contain an agent.' },
    ])
  })
})

describe('a schema given as a path', () => {
  it('a schema given as a path is `schemaRef` in ai-agent prompts', () => {
    const read = (yaml: string): ReturnType<typeof parseCard> =>
      parseCard(`---\ndescription: d\n${yaml}\n---\nhi`, { path: '/team/a.ai', readText })
    const card = read(
      'input: {format: json, schemaRef: ./in.json}\noutput: {format: json, schemaRef: shared/out.json}',
    )
    expect(card.problems).toEqual([])
    expect(card.definition?.input.schema).toMatchObject({ type: 'object' })
    expect(card.definition?.output).toEqual({ format: 'json', schema: { type: 'array' } })
    expect(card.report).toContainEqual({
      key: 'output.schemaRef',
      status: 'translated',
      to: 'output.schema',
    })
    expect(read('output:\n  format: json\n  schemaRef: none.json').problems).toMatchObject([
      { code: 'card_bad_value', line: 5, column: 3 },
    ])
    expect(errorsOf(read('output: {schema: {}, schemaRef: in.json}')).join()).toContain('card_alias_conflict')
    expect(errorsOf(read('output: {format: json, schemaRef: 3}')).join()).toContain('card_unknown_key')
  })
})

it('durations of other products use the units of these products', () => {
  const text = '---\ndescription: d\ntimeout_mins: 0.01\nmcpServers: {a: {command: x, timeout: 600}}\n---\nx'
  expect(parseCard(text, { path: '/p/.gemini/agents/a.md' }).problems).toEqual([])
})

describe('an unknown dialect', () => {
  it('an unknown dialect is an error that lists the known ones', () => {
    expect(errorsOf(parseYaml('dialect: klingon'))).toEqual([
      '2:1 card_unknown_dialect Unknown dialect `klingon`. Known: troupe, fast-agent, ai-agent, tsagent, claude-code, claude-command, opencode, opencode-command, copilot, copilot-prompt, gemini, gemini-command, codex, crewai, goose, docker-agent.',
    ])
    expect(parseYaml('dialect: troupe').definition).toBeDefined()
    expect(parseYaml('dialect: troupe').dialect).toBe('troupe')
  })
})
