import type { ToolDefinition } from '@troupe/schema'
import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { filterTools } from '../src/index.ts'

function tool(name: string, rest: Partial<ToolDefinition> = {}): ToolDefinition {
  const [server = ''] = name.split('__')
  return {
    name,
    wireName: name,
    source: 'mcp',
    server,
    description: '',
    inputSchema: { type: 'object' },
    effect: 'once',
    execute: () => '',
    ...rest,
  }
}

const tools = [
  tool('tm__get_current_time'),
  tool('tm__convert_time'),
  tool('web__search_pages'),
  tool('web__search.images'),
  tool('web__fetch'),
]

function kept(filter: Parameters<typeof filterTools>[1], given = tools): readonly string[] {
  return filterTools(given, filter).tools.map(({ name }) => name)
}

describe('filterTools', () => {
  it(`keeps the named tools of a server and everything of servers not named ${verifies('B6')}`, () => {
    expect(kept({ servers: { tm: ['get_current_time'] } })).toEqual([
      'tm__get_current_time',
      'web__search_pages',
      'web__search.images',
      'web__fetch',
    ])
  })

  it(`takes globs over the server's own names, whole names only ${verifies('B6')}`, () => {
    expect(kept({ servers: { tm: [], web: ['search_*'] } })).toEqual(['web__search_pages'])
    expect(kept({ servers: { tm: [], web: ['search*'] } })).toEqual([
      'web__search_pages',
      'web__search.images',
    ])
    expect(kept({ servers: { tm: [], web: ['etch', '*etc'] } })).toEqual([])
  })

  it('takes an empty list as none', () => {
    expect(kept({ servers: { tm: [], web: [] } })).toEqual([])
  })

  it('takes `allow` as canonical names and globs for every tool', () => {
    expect(kept({ allow: ['tm__*', 'web__fetch'] })).toEqual([
      'tm__get_current_time',
      'tm__convert_time',
      'web__fetch',
    ])
    expect(kept({ allow: [] })).toEqual([])
  })

  it('keeps everything without a filter, in its order', () => {
    expect(filterTools(tools, {})).toEqual({ tools, unmatched: [] })
  })

  it('says which entries no tool answers to', () => {
    const filter = { servers: { tm: ['get_*', 'gone'], missing: ['a'] }, allow: ['tm__*', 'web__nothing'] }
    expect(filterTools(tools, filter).unmatched).toEqual(['tm:gone', 'missing:a', 'web__nothing'])
  })

  it('filters servers only: a function or an agent is no tool of a server', () => {
    const others = [
      tool('tm__x', { source: 'function', server: undefined as never }),
      tool('agent__NY', { source: 'agent', server: 'agent' }),
    ]
    expect(kept({ servers: { agent: [], tm: [] } }, others)).toEqual(['tm__x', 'agent__NY'])
  })

  it('is not misled by names that objects have anyway', () => {
    const odd = [tool('__proto____a'), tool('constructor__toString')]
    expect(kept({ servers: { toString: ['x'] } }, odd)).toHaveLength(2)
    expect(kept({ servers: { constructor: ['valueOf'] } }, odd)).toEqual(['__proto____a'])
  })

  it('takes a name as it is written before it takes it as a glob', () => {
    expect(kept({ servers: { web: ['a[b]'] } }, [tool('web__a[b]'), tool('web__ab')])).toEqual([
      'web__a[b]',
      'web__ab',
    ])
  })
})
