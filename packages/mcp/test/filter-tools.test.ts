import type { ToolDefinition } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
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
  it('an entry that starts with (?i) is compared without upper and lower case', () => {
    expect(kept({ servers: { web: ['(?i)Search_Pages', 'Fetch'], tm: [] } })).toEqual(['web__search_pages'])
  })

  it(`filterTools keeps the named tools of a server and all tools of other servers ${verifies('B6')}`, () => {
    expect(kept({ servers: { tm: ['get_current_time'] } })).toEqual([
      'tm__get_current_time',
      'web__search_pages',
      'web__search.images',
      'web__fetch',
    ])
  })

  it(`filterTools matches globs against the whole names that the server uses ${verifies('B6')}`, () => {
    expect(kept({ servers: { tm: [], web: ['search_*'] } })).toEqual(['web__search_pages'])
    expect(kept({ servers: { tm: [], web: ['search*'] } })).toEqual([
      'web__search_pages',
      'web__search.images',
    ])
    expect(kept({ servers: { tm: [], web: ['etch', '*etc'] } })).toEqual([])
  })

  it('filterTools removes all tools of a server with an empty list', () => {
    expect(kept({ servers: { tm: [], web: [] } })).toEqual([])
  })

  it('filterTools matches `allow` as canonical names and globs for every tool', () => {
    expect(kept({ allow: ['tm__*', 'web__fetch'] })).toEqual([
      'tm__get_current_time',
      'tm__convert_time',
      'web__fetch',
    ])
    expect(kept({ allow: [] })).toEqual([])
  })

  it('filterTools without a filter keeps everything in order', () => {
    expect(filterTools(tools, {})).toEqual({ tools, unmatched: [] })
  })

  it('filterTools reports entries that match no tool', () => {
    const filter = { servers: { tm: ['get_*', 'gone'], missing: ['a'] }, allow: ['tm__*', 'web__nothing'] }
    const own = ['get_current_time', 'convert_time']
    expect(filterTools(tools, filter).unmatched).toEqual([
      { server: 'tm', entry: 'gone', index: 1, names: own },
      { server: 'missing', entry: 'a', index: 0, names: [] },
      { entry: 'web__nothing', index: 1, names: tools.map(({ name }) => name) },
    ])
  })

  it('filterTools filters servers only: a function or an agent is not a tool of a server', () => {
    const others = [
      tool('tm__x', { source: 'function', server: undefined as never }),
      tool('agent__NY', { source: 'agent', server: 'agent' }),
    ]
    expect(kept({ servers: { agent: [], tm: [] } }, others)).toEqual(['tm__x', 'agent__NY'])
  })

  it('filterTools is not confused by the names of object members', () => {
    const odd = [tool('__proto____a'), tool('constructor__toString')]
    expect(kept({ servers: { toString: ['x'] } }, odd)).toHaveLength(2)
    expect(kept({ servers: { constructor: ['valueOf'] } }, odd)).toEqual(['__proto____a'])
  })

  it('filterTools matches a literal name before it matches a glob', () => {
    expect(kept({ servers: { web: ['a[b]'] } }, [tool('web__a[b]'), tool('web__ab')])).toEqual([
      'web__a[b]',
      'web__ab',
    ])
  })
})
