import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { oneAgent, troupe } from './team.ts'
import { travelAgent } from './travel.ts'

const TOOLS = [
  'export function add({ a, b }) { return a + b }',
  'add.description = "Adds two numbers.\\nAnd more."',
  'export function wipe() { return "gone" }',
  'export function fail() { throw new TypeError("no luck") }',
].join('\n')
const FILES = oneAgent('- say: hi', {
  fields:
    'functionTools: [tools.mjs:add, tools.mjs:wipe, tools.mjs:fail]\npermissions: {ask: [wipe], deny: [fail]}',
  files: { 'tools.mjs': TOOLS },
})

describe('troupe tools', () => {
  it('troupe tools lists the tools of an agent with their sources and permissions', async () => {
    const { code, out } = await troupe(['tools', 'one.md'], FILES)
    expect(code).toBe(0)
    const rows = out()
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/u).slice(0, 4))
    expect(rows).toEqual([
      ['tool', 'source', 'effect', 'approval'],
      ['add', 'function', 'once', 'no'],
      ['wipe', 'function', 'once', 'asks'],
      ['fail', 'function', 'once', 'denied'],
    ])
  })

  it('troupe tools wraps descriptions in their column at a terminal', async () => {
    const text = 'Adds two numbers and returns their sum to the caller.'
    const files = { ...FILES, 'tools.mjs': TOOLS.replace('Adds two numbers.', text) }
    const { out } = await troupe(['tools', 'one.md'], files, { tty: true, columns: 70 })
    const lines = out().trimEnd().split('\n')
    expect(lines.filter((line) => line.length >= 70)).toEqual([])
    const column = lines[0]?.indexOf('description') ?? 0
    const described = lines.slice(1, 3).map((line) => line.slice(column))
    expect(described.join(' ')).toBe(text)
    expect(lines[2]?.slice(0, column).trim()).toBe('')
  })

  it.each([80, 60, 40])(
    'in %i columns, troupe tools puts descriptions below rows that leave no space beside them',
    async (columns) => {
      const name = 'edit_the_lines_of_several_text_files'
      const text = 'Makes line-based edits to text files and returns the differences that result.'
      const tools = [
        `export function ${name}({ path }) { return path }`,
        `${name}.description = "${text}"`,
        'export function undescribed() { return "" }',
      ].join('\n')
      const fields = `functionTools: [tools.mjs:${name}, tools.mjs:undescribed]`
      const files = oneAgent('- say: hi', { fields, files: { 'tools.mjs': tools } })
      const { out } = await troupe(['tools', 'one.md'], files, { tty: true, columns })
      const lines = out().trimEnd().split('\n')
      expect(lines.filter((line) => line.length >= columns)).toEqual([])
      const rowOf = (tool: string): number => lines.findIndex((line) => line.startsWith(tool))
      const below = lines.slice(rowOf(name) + 1, rowOf('undescribed'))
      expect(below.filter((line) => !/^ {4}\S/u.test(line))).toEqual([])
      expect(below.map((line) => line.trim()).join(' ')).toContain(text)
    },
  )

  it('troupe tools --json includes the schemas', async () => {
    const { out } = await troupe(['tools', 'one.md', '--json'], FILES)
    expect(JSON.parse(out())).toContainEqual(
      expect.objectContaining({
        name: 'wipe',
        source: 'function',
        permission: 'ask',
        inputSchema: expect.anything(),
      }),
    )
  })

  it.each([
    ['troupe tools', ['tools', 'one.md']],
    ['troupe tools call', ['tools', 'call', 'one.md', 'x']],
  ])('%s prints a missing variable of a server once, as an error', async (_, args) => {
    const { code, err } = await troupe(args, {
      'one.md':
        '---\ndescription: d\nmodel: passthrough\nmcpServers: {s: {command: s, env: {A: "${NO_A}"}}}\n---\nx',
    })
    expect(code).toBe(2)
    expect(err()).toMatch(/^error: Missing: NO_A; /u)
    expect(err().split('Missing: NO_A')).toHaveLength(2)
  })

  it('troupe tools reports an agent without tools', async () => {
    const { code, out } = await troupe(['tools', 'one.md'], oneAgent('- say: hi'))
    expect([code, out()]).toEqual([0, 'This agent has no tools.\n'])
  })
})

describe('troupe tools call', () => {
  it('troupe tools call prints the result', async () => {
    const { code, out } = await troupe(
      ['tools', 'call', 'one.md', 'add', '--args', '{"a": 1, "b": 2}'],
      FILES,
    )
    expect([code, out()]).toEqual([0, '3\n'])
  })

  it('troupe tools call accepts team options before and after the tool', async () => {
    const { out } = await troupe(
      ['tools', 'call', '.', '--agent', 'One', 'add', '--args', '{"a": 1, "b": 2}', '--json'],
      FILES,
    )
    expect(JSON.parse(out())).toMatchObject({ outcome: 'completed' })
  })

  it.each([
    ['wipe', [], 5, 'approval_denied'],
    ['fail', ['--yes'], 5, 'permission_denied'],
    ['addd', [], 1, 'tool_unknown'],
  ])('troupe tools call %s %o exits with %i', async (tool, flags, expected, message) => {
    const { code, out, err } = await troupe(['tools', 'call', 'one.md', tool, ...flags], FILES)
    expect([code, out()]).toEqual([expected, ''])
    expect(err()).toContain(message)
  })

  it('troupe tools call --yes approves a call that needs approval', async () => {
    const { code, out } = await troupe(['tools', 'call', 'one.md', 'wipe', '--yes'], FILES)
    expect([code, out()]).toEqual([0, 'gone\n'])
  })
})

describe('the tools that an agent itself offers', () => {
  const ARGS = '{"destination": "Oslo", "departure_date": "2026-12-01"}'
  const BOOKED = 'Booked: The user wants to book a flight to Oslo on 2026-12-01, please book accordingly\n'

  it("exported tools are listed after the agent's own tools", async () => {
    const { code, out } = await troupe(['tools', 'travel.md'], travelAgent())
    expect(code).toBe(0)
    const rows = out()
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/u))
    expect(rows.slice(-2)).toEqual([
      ['exported over MCP', 'version', 'description'],
      ['Travel_book_flight', '1.2.0', 'Books a flight ticket for a user.'],
    ])
    const { out: json } = await troupe(['tools', 'travel.md', '--json'], travelAgent())
    expect(JSON.parse(json())).toContainEqual(
      expect.objectContaining({ name: 'Travel_book_flight', source: 'exports', version: '1.2.0' }),
    )
  })

  it.each(['Travel_book_flight', 'book_flight'])(
    `exported tools are called as an MCP host would call them: %s ${verifies('D23')}`,
    async (name) => {
      const { code, out } = await troupe(['tools', 'call', 'travel.md', name, '--args', ARGS], travelAgent())
      expect([code, out()]).toEqual([0, BOOKED])
    },
  )

  it('troupe tools call --json prints the whole result of an exported tool', async () => {
    const words = ['tools', 'call', 'travel.md', 'book_flight', '--args', ARGS, '--json']
    const { out } = await troupe(words, travelAgent())
    expect(JSON.parse(out())).toMatchObject({ _meta: { outcome: 'completed' }, content: [{ type: 'text' }] })
  })

  it('exported tools report invalid arguments and why the run failed', async () => {
    const bad = await troupe(['tools', 'call', 'travel.md', 'book_flight'], travelAgent())
    expect([bad.code, bad.out()]).toEqual([1, ''])
    expect(bad.err()).toContain('tool/tool_bad_arguments')
    const script = '- {fail: {status: 401, message: no}}'
    const words = ['tools', 'call', 'travel.md', 'book_flight', '--args', ARGS]
    const failed = await troupe(words, travelAgent({ script }))
    expect(failed.code).toBe(1)
    expect(failed.err()).toContain('auth/model_auth')
  })
})
