import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCards, type ParsedCard } from './cards.ts'

const AGENTS = `
researcher:
  role: "{topic} researcher"
  goal: Find facts about {topic}
  backstory: You are curious.
  llm: openai/gpt-5
  max_iter: 7
writer:
  role: Writer
  goal: Write clearly
  backstory: You write.
`
const TASKS = `
research:
  description: Look {topic} up in {year}.
  expected_output: A list.
  agent: researcher
report:
  description: Write it down.
  expected_output: A text.
  agent: writer
`

const crew = (tasks: string | undefined, agents = AGENTS): readonly ParsedCard[] =>
  parseCards(agents, {
    path: '/p/config/agents.yaml',
    readProjectFile: (file) => (file === '/p/config/tasks.yaml' ? tasks : undefined),
  })

describe('a crew of CrewAI', () => {
  it('tasks that name their agents are a chain of agents in the order of the file', () => {
    const [chain, ...agents] = crew(TASKS)
    expect(chain?.problems).toEqual([])
    expect(chain?.definition).toMatchObject({
      name: 'crew',
      type: 'chain',
      default: true,
      composition: { sequence: ['research', 'report'], cumulative: true },
      input: { format: 'json', schema: { required: ['topic', 'year'] } },
    })
    expect(agents.map(({ definition }) => definition?.name)).toEqual(['research', 'report'])
    expect(agents[0]?.definition).toMatchObject({ model: ['openai/gpt-5'], limits: { maxTurns: 7 } })
    expect(agents[0]?.definition?.instruction).toBe(
      'You are {topic} researcher. You are curious.\n\nYour goal: Find facts about {topic}\n\nYour task: Look {topic} up in {year}.\n\nExpected output: A list.\n\nThe values of {topic}, {year} are in the input.',
    )
  })

  it('a task without an agent is refused, because only Python code pairs it', () => {
    const [card, ...others] = crew(TASKS.replace('  agent: writer\n', ''))
    expect(others).toEqual([])
    expect(card?.definition).toBeUndefined()
    expect(card?.problems).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        code: 'card_unsupported',
        // The file that was given, so that `check` fails.
        file: '/p/config/agents.yaml',
        message: expect.stringContaining('tasks.yaml name no agent: report.') as string,
      }),
    )
  })

  it('agents without tasks are agents of their own, without tools', () => {
    const [researcher, writer] = crew(undefined)
    expect(researcher?.definition).toMatchObject({ name: 'researcher', input: { format: 'json' } })
    expect(writer?.definition).toMatchObject({ tools: { allow: [] }, runtimeTools: [] })
  })

  it('tools of an agent get a warning, because they are Python', () => {
    const [, writer] = crew(undefined, `${AGENTS}  tools: [search]\n`)
    expect(writer?.problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
  })

  it('keys of a task that change what the crew does are warnings at the task', () => {
    const tasks = TASKS.replace(
      '  agent: writer\n',
      '  agent: writer\n  human_input: true\n  async_execution: false\n  markdown: true\n  output_file: report.md\n',
    )
    const report = crew(tasks).find(({ definition }) => definition?.name === 'report')
    expect(report?.definition?.instruction).toContain('Write the answer in Markdown.')
    expect(report?.problems).toMatchObject([
      {
        severity: 'warning',
        file: '/p/config/tasks.yaml',
        line: 6,
        message: expect.stringContaining('human_input'),
      },
      {
        severity: 'warning',
        message: expect.stringContaining('`tasks.yaml: report.output_file` has no effect'),
      },
    ])
  })

  it(`the servers of an agent are those with an address, limited to the named tool ${verifies('R4')}`, () => {
    const mcps = ['https://docs.example/mcp?key=1', 'https://find.example/mcp#search', 'crewai-amp:research']
    const [, writer] = crew(undefined, `${AGENTS}  mcps: ${JSON.stringify(mcps)}\n`)
    expect(writer?.definition?.mcpServers).toMatchObject({
      'docs-example-mcp': { type: 'http', url: 'https://docs.example/mcp?key=1' },
      'find-example-mcp': { type: 'http', url: 'https://find.example/mcp' },
    })
    expect(writer?.definition?.tools.allow).toEqual(['docs-example-mcp__*', 'find-example-mcp__search'])
    expect(writer?.problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('"crewai-amp:research"') },
    ])
  })

  it('switches of an agent are warnings only if they are on', () => {
    const warnings = (lines: string): number =>
      crew(undefined, `${AGENTS}${lines}`)[1]?.problems.filter(({ severity }) => severity === 'warning')
        .length ?? -1
    expect(
      warnings('  memory: false\n  allow_delegation: false\n  reasoning: false\n  use_system_prompt: true\n'),
    ).toBe(0)
    expect(
      warnings('  memory: true\n  allow_delegation: true\n  reasoning: true\n  use_system_prompt: false\n'),
    ).toBe(4)
  })
})
