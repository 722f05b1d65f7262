import type { AgentFields } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { readExportedTools } from '../src/index.ts'
import { BOOK_FLIGHT, travel } from './support/travel.ts'

function names(fields: Partial<AgentFields>): readonly string[] {
  return [...readExportedTools(travel(fields)).keys()]
}

function named(...tools: readonly string[]): NonNullable<AgentFields['exports']> {
  return { tools: tools.map((name) => ({ ...BOOK_FLIGHT, name })) }
}

describe('names of exported tools', () => {
  it(`the name of an exported tool starts with the name of its agent ${verifies('D33', 'R14')}`, () => {
    expect(names({})).toEqual(['Travel_book_flight'])
  })

  it.each([
    ['no prefix', false, 'book_flight'],
    ['an empty one', '', 'book_flight'],
    ['one of its own', 'trips', 'trips_book_flight'],
    ['one that ends with a line', 'trips_', 'trips_book_flight'],
  ] as const)(
    `the name of an exported tool may have %s ${verifies('R14')}`,
    (_title, toolPrefix, expected) => {
      expect(names({ toolPrefix })).toEqual([expected])
    },
  )

  it('the name of an exported tool is cleaned and truncated like tool names for models', () => {
    const [short, long = ''] = names({ name: 'Reise Büro', exports: named('book.flight', 'x'.repeat(80)) })
    expect(short).toBe('Reise_B_ro_book_flight')
    expect(long).toMatch(/^[\w-]{64}$/u)
  })

  it('names that are equal only after cleaning get a hash', () => {
    const [first, second] = names({ exports: named('book.flight', 'book flight') })
    expect(first).toBe('Travel_book_flight')
    expect(second).toMatch(/^Travel_book_flight_[\da-f]{8}$/u)
  })

  it('two exported tools with the same name are an error', () => {
    expect(() => names({ exports: named('a', 'b', 'a') })).toThrowError(
      expect.objectContaining({ code: 'tool_name_conflict' }),
    )
  })
})

it(`child agents are not served as MCP tools of their parent ${verifies('C11')}`, () => {
  expect(names({ agents: ['Hotel', 'Train'] })).toEqual(['Travel_book_flight'])
})

it('an agent without exported tools cannot be served', () => {
  expect(() => names({ exports: { tools: [] } })).toThrowError(
    expect.objectContaining({ code: 'exports_no_tools' }),
  )
})
