import { describe, expect, it } from 'vitest'
import { verifies as cite } from '../src/internal.ts'

describe('verifies', () => {
  it('verifies returns the ids in brackets', () => {
    expect(cite('A36')).toBe('[A36]')
    expect(cite('A36', 'C8', 'R15')).toBe('[A36 C8 R15]')
  })

  it.each([['a36'], ['A'], ['E1'], ['A36 '], ['A36 A42'], ['']])('verifies rejects "%s"', (id) => {
    expect(() => cite(id)).toThrow(expect.objectContaining({ code: 'usage_invalid' }))
  })

  it('verifies rejects an empty list', () => {
    expect(() => cite()).toThrow(expect.objectContaining({ code: 'usage_invalid' }))
  })
})
