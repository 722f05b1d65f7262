import { defineAgent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'

describe('defineAgent', () => {
  it('defineAgent suggests the closest field for a misspelt one', () => {
    const fields = { name: 'Reviewer', instructions: 'Review.' } as never
    expect(() => defineAgent(fields)).toThrow(/Did you mean `instruction` in place of `instructions`\?/u)
  })
})
