import { failure, type AgentTool } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { connect } from './support/connect.ts'
import { fakeRunner } from './support/fake-runner.ts'
import { travel } from './support/travel.ts'

const text = { type: 'string' } as const
function tool(name: string, properties: readonly string[], more: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(properties.map((property) => [property, text])),
      required: properties,
      additionalProperties: false,
    },
    prompt: [`{tool.name}`, ...properties.map((property) => `{params.${property}}`)].join(' '),
    ...more,
  }
}

const PLACE = tool('place', ['to'])
const VISA = tool('visa', ['to', 'passport'], { needs: ['place'] })
const WEATHER = tool('weather', ['to'], { needs: ['place'] })
const BOOK = tool('book', ['to', 'day', 'passport'], {
  needs: [{ tool: 'visa', version: '1.2.0' }, 'weather'],
})
const team = (...tools: readonly AgentTool[]) => travel({ exports: { tools } })
const CALL = { name: 'Travel_book', arguments: { to: 'Rome', day: 'today', passport: 'X1' } }

describe(`exported tool with \`needs\` ${verifies('D53')}`, () => {
  it('needed tools are called first, each once and after its own needs, with the arguments that they accept', async () => {
    const runner = fakeRunner()
    const { client, records } = await connect('modern', team(BOOK, WEATHER, VISA, PLACE), runner)
    const result = await client.callTool(CALL)
    expect(result.content).toEqual([{ type: 'text', text: 'book Rome today X1' }])
    expect(runner.runs.map(({ input }) => input)).toEqual([
      'place Rome',
      'visa Rome X1',
      'weather Rome',
      'book Rome today X1',
    ])
    expect(records.map((record) => record.tool)).toEqual(['place', 'visa', 'weather', 'book'])
  })

  it('a tool reads the answers of its needed tools in the same conversation', async () => {
    const runner = fakeRunner()
    const { client } = await connect('modern', team(BOOK, WEATHER, VISA, PLACE), runner)
    const result = await client.callTool(CALL)
    const contextId = result['_meta']?.['contextId']
    expect(runner.runs.map(({ options: { sessionId, continueOnly } }) => [sessionId, continueOnly])).toEqual([
      [contextId, false],
      [contextId, true],
      [contextId, true],
      [contextId, true],
    ])
    await client.callTool({ ...CALL, _meta: { contextId } })
    expect(runner.runs.slice(4).map(({ options }) => options.continueOnly)).toEqual([true, true, true, true])
  })

  it('a tool is not called if a needed tool has no answer', async () => {
    const runner = fakeRunner(({ input }) =>
      typeof input === 'string' && input.startsWith('visa')
        ? { outcome: 'failed', error: failure('tool_failed', 'The consulate is closed.') }
        : {},
    )
    const { client } = await connect('modern', team(BOOK, WEATHER, VISA, PLACE), runner)
    const result = await client.callTool(CALL)
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        code: 'export_need_failed',
        message: 'Travel_book needs Travel_visa: The consulate is closed.',
      },
    })
    expect(runner.runs).toHaveLength(2)
  })

  it('needed tools are called again even if their answers are cached', async () => {
    const runner = fakeRunner()
    const visa = tool('visa', ['to'], { cache: { ttl: 60_000 } })
    const book = tool('book', ['to'], { needs: ['visa'], cache: { ttl: 60_000 } })
    const { client } = await connect('modern', team(book, visa), runner)
    await client.callTool({ name: 'Travel_visa', arguments: { to: 'Rome' } })
    await client.callTool({ name: 'Travel_book', arguments: { to: 'Rome' } })
    expect(runner.runs.map(({ input }) => input)).toEqual(['visa Rome', 'visa Rome', 'book Rome'])
    const again = await client.callTool({ name: 'Travel_book', arguments: { to: 'Rome' } })
    expect(again['_meta']).toMatchObject({ isCached: true })
    expect(runner.runs).toHaveLength(3)
  })

  it('a tool requires human input if a needed tool does', async () => {
    const visa = tool('visa', ['to'], { needsPerson: true })
    const { client } = await connect('legacy', team(tool('book', ['to'], { needs: ['visa'] }), visa))
    const result = await client.callTool({ name: 'Travel_book', arguments: { to: 'Rome' } })
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'person_required' } })
  })

  it('a tool is listed together with its needed tools', async () => {
    const { client } = await connect('modern', team(BOOK, WEATHER, VISA, PLACE))
    const { tools } = await client.listTools()
    expect(tools[0]).toMatchObject({
      name: 'Travel_book',
      _meta: { needs: ['Travel_visa', 'Travel_weather'] },
    })
  })

  it('a tool whose needed tools do not exist is not served', async () => {
    await expect(connect('modern', team(BOOK, WEATHER))).rejects.toMatchObject({ code: 'export_need_unmet' })
  })
})
