import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard } from '../src/index.ts'
import { errorsOf, parse } from './card-text.ts'

const PMO_CARD = `---
type: agent
name: PMO-orchestrator
default: true
agents:
  - NY-Project-Manager
  - London-Project-Manager
tool_hooks:
  - hooks.py:audit_hook
  - hooks.py:safety_guard
history_mode: scratch
max_parallel: 128
child_timeout_sec: 120
max_display_instances: 20
---
Get project updates from the New York and London project managers. Ask NY-Project-Manager three times about different projects: Anthropic, evalstate/fast-agent, and OpenAI, and London-Project-Manager for economics review. Return a brief, concise combined summary with clear city/time/topic labels.
`

describe('the PMO-orchestrator card of the hooks document', () => {
  it(`the PMO-orchestrator card loads as printed ${verifies('A31', 'B10', 'B11', 'B12', 'B13', 'B14', 'B15')}`, () => {
    const card = parseCard(PMO_CARD, { path: '/team/PMO-orchestrator.md' })
    expect(card.problems).toMatchObject([{ severity: 'warning', code: 'card_no_description' }])
    expect(card.definition).toMatchObject({
      name: 'PMO-orchestrator',
      type: 'agent',
      default: true,
      agents: ['NY-Project-Manager', 'London-Project-Manager'],
      toolHooks: ['hooks.py:audit_hook', 'hooks.py:safety_guard'],
      historyMode: 'scratch',
      limits: { maxParallel: 128, childTimeout: 120_000 },
      ownLimits: ['maxParallel', 'childTimeout'],
      display: { maxInstances: 20 },
    })
    expect(card.definition?.instruction).toMatch(/^Get project updates .* labels\.$/u)
  })

  it(`the PMO-orchestrator card reports what was translated ${verifies('R4')}`, () => {
    const { report } = parseCard(PMO_CARD, { path: '/team/PMO-orchestrator.md' })
    expect(report.map(({ key, status, to }) => `${key} ${status} ${to ?? ''}`.trim())).toEqual([
      'type honoured',
      'name honoured',
      'default honoured',
      'agents honoured',
      'tool_hooks translated toolHooks',
      'tool_hooks.0 honoured',
      'tool_hooks.1 honoured',
      'history_mode translated historyMode',
      'max_parallel translated limits.maxParallel',
      'child_timeout_sec translated limits.childTimeout',
      'max_display_instances translated display.maxInstances',
    ])
    expect(report.find(({ key }) => key === 'tool_hooks.0')?.reason).toBe(
      'the first of hooks.ts, .mts, .js and .mjs beside the card is loaded, else hooks.py',
    )
  })
})

describe('the forms of a card', () => {
  it('a card can be Markdown with the prompt as its body', () => {
    const card = parseCard('---\ndescription: d\n---\n\n\n  Be brief.\n\nAlways.\n\n', { path: '/t/a.md' })
    expect(card.definition?.instruction).toBe('  Be brief.\n\nAlways.')
  })

  it.each(['/t/time.md', '/t/time.ai', '/t/time.agent.md', '/t/time.MD', '/t/time', '/t/time.agent.MD'])(
    'a card takes its default name from the file: %s',
    (path) => {
      expect(parseCard('---\ndescription: d\n---\nhi', { path }).definition?.name).toBe('time')
    },
  )

  it.each([
    ['/t/time.yaml', 'description: d\ninstruction: |\n  Be brief.\n'],
    ['/t/time.yml', '---\n"description": d\n"instruction": Be brief.\n'],
    ['/t/time.json', '\uFEFF{\n\t"description": "d",\r\n\t"instruction": "Be brief."\n}'],
  ])('a card can be data with `instruction`: %s', (path, text) => {
    const card = parseCard(text, { path })
    expect(card.problems).toEqual([])
    expect(card.definition).toMatchObject({ name: 'time', instruction: 'Be brief.' })
  })

  it('a card can be Markdown with `instruction` and no body', () => {
    expect(parse('description: d\ninstruction: Be brief.', '').definition?.instruction).toBe('Be brief.')
  })

  it('a file with the extension of an agent can be text without front matter', () => {
    const card = parseCard('You tell the time.', { path: '/t/time.ai' })
    expect(card.definition).toMatchObject({ name: 'time', instruction: 'You tell the time.' })
  })

  it('a card may start with a #! line and have any line ends', () => {
    const card = parseCard('#!/usr/bin/env troupe\r\n---\r\nname: x\r\nusage: u\r\n---\r\nOne\r\nTwo', {
      path: '/t/a.ai',
    })
    expect(card.definition).toMatchObject({ name: 'x', usage: 'u', instruction: 'One\nTwo' })
    expect(card.problems[0]?.line).toBe(2)
  })

  it('a card can come from a URL', () => {
    const card = parseCard('hi', { path: 'https://example.com/team/time.agent.md?raw=1' })
    expect(card.definition?.name).toBe('time')
    expect(card.definition?.source).toEqual({
      kind: 'url',
      path: 'https://example.com/team/time.agent.md?raw=1',
    })
  })

  it(`a card says where its relative paths resolve ${verifies('B16')}`, () => {
    const text = '---\ndescription: d\n---\nhi'
    expect(parseCard(text, { path: '/team/sub/a.md' }).definition?.source).toEqual({
      kind: 'file',
      path: '/team/sub/a.md',
      folder: '/team/sub',
    })
  })
})

describe('the prompt', () => {
  it('the prompt is either the body or `instruction`', () => {
    expect(errorsOf(parse('description: d\ninstruction: x', 'y'))).toEqual([
      '3:1 card_two_instructions The card has both a body and `instruction`, so its prompt is ambiguous.',
    ])
  })

  it.each([
    ['/t/a.md', '---\ndescription: d\n---\n\n  \n'],
    ['/t/a.md', ''],
    ['/t/a.md', '---\n# only a comment\n---'],
    ['/t/a.yaml', ''],
    ['/t/a.yaml', 'description: d'],
    ['/t/a.json', '{"instruction": " "}'],
  ])('the prompt must not be empty: %s %j', (path, text) => {
    expect(errorsOf(parseCard(text, { path }))).toMatchObject([
      expect.stringMatching(/^1:[12] card_no_instruction The card has no prompt\.$/u),
    ])
  })
})

describe('the description', () => {
  it(`a missing description is only a warning ${verifies('C25')}`, () => {
    const card = parse('name: x')
    expect(card.definition?.name).toBe('x')
    expect(card.problems).toMatchObject([
      { severity: 'warning', code: 'card_no_description', file: '/team/agent.md', line: 1, column: 1 },
    ])
  })
})

describe('the keys of the in-memory document', () => {
  it(`the keys of the in-memory document are read as printed ${verifies('C4', 'C8', 'C17', 'C25', 'C26', 'C28')}`, () => {
    const card = parse(
      [
        'description: ICP Intelligence Researcher',
        'usage: company name or contact email',
        'toolName: research.icp',
        'input:',
        '  format: text',
        'output:',
        '  format: json',
        '  schema:',
        '    type: object',
        '    required: [company, insights]',
        '    properties:',
        '      company: { type: string }',
        '      insights: { type: array, items: { type: string } }',
        'limits:',
        '  maxToolTurns: 6',
        '  llmTimeout: 120000',
        '  toolTimeout: 60000',
        '  maxRetries: 2',
        '  parallelToolCalls: true',
      ].join('\n'),
    )
    expect(card.problems).toEqual([])
    expect(card.definition).toMatchObject({
      usage: 'company name or contact email',
      toolName: 'research.icp',
      input: { format: 'text' },
      output: { format: 'json', schema: { type: 'object', required: ['company', 'insights'] } },
      limits: {
        maxTurns: 6,
        llmTimeout: 120_000,
        toolTimeout: 60_000,
        maxRetries: 2,
        parallelToolCalls: true,
      },
    })
    expect(card.report).toContainEqual({
      key: 'limits.maxToolTurns',
      status: 'translated',
      to: 'limits.maxTurns',
    })
  })
})

describe('a parsed definition', () => {
  it('a parsed definition is deeply frozen', () => {
    const card = parse('description: d\ntools: {time: [get_*]}')
    expect(Object.isFrozen(card)).toBe(true)
    expect(Object.isFrozen(card.problems)).toBe(true)
    expect(Object.isFrozen(card.report)).toBe(true)
    expect(Object.isFrozen(card.definition?.tools.servers?.['time'])).toBe(true)
  })

  it('a parsed definition is equal for equal text', () => {
    const [one, two] = [parse('description: d'), parse('description: d')]
    expect(one.definition?.digest).toBe(two.definition?.digest)
    expect(parse('description: e').definition?.digest).not.toBe(one.definition?.digest)
  })

  it(`a parsed definition has tools by the form of \`tools\` ${verifies('D4', 'D5')}`, () => {
    const tools = (yaml: string): unknown => parse(`description: d\ntools: ${yaml}`).definition?.tools
    expect(tools('{time: [get_time], github: []}')).toEqual({ servers: { time: ['get_time'], github: [] } })
    expect(tools('[time__get_time, "github__*"]')).toEqual({ allow: ['time__get_time', 'github__*'] })
    expect(tools('time__get_time, read')).toEqual({ allow: ['time__get_time', 'read'] })
    expect(tools('{read: true, write: false}')).toEqual({ allow: ['read'] })
    const own = parse(
      'description: d\ntools: [{name: book, description: Books, parameters: {type: object}, prompt: "Book {x}"}]',
    )
    expect(own.definition?.exports.tools).toMatchObject([{ name: 'book', prompt: 'Book {x}' }])
    expect(own.definition?.tools).toEqual({})
    expect(own.report).toContainEqual({ key: 'tools', status: 'translated', to: 'exports.tools' })
  })

  it(`a parsed definition is interactive and exports nothing by default, whatever else it has ${verifies('D3')}`, () => {
    const plain = parse('description: d').definition
    expect(plain).toMatchObject({ mode: 'interactive', exports: { tools: [], skills: [] } })
    expect(parse('description: d\nmode: interactive').definition).toEqual({
      ...plain,
      digest: expect.any(String),
    })
    const autonomous = parse(
      'description: d\nmode: autonomous\nexports: {skills: [{id: a, name: A, description: b}]}',
    )
    expect(autonomous.problems).toEqual([])
    expect(autonomous.definition).toMatchObject({
      mode: 'autonomous',
      exports: { tools: [], skills: [{ id: 'a' }] },
    })
  })

  it('a parsed definition has skills by the form of `skills`', () => {
    const card = parse('description: d\nskills: [./skills, {id: a, name: A, description: does a}]')
    expect(card.definition?.skills).toEqual(['./skills'])
    expect(card.definition?.exports.skills).toEqual([{ id: 'a', name: 'A', description: 'does a' }])
  })
})
