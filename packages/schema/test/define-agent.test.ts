import { defineAgent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'

describe('defineAgent', () => {
  it('asks whether a misspelt field means the one it looks like', () => {
    const fields = { name: 'Reviewer', instructions: 'Review.' } as never
    expect(() => defineAgent(fields)).toThrow(/Did you mean `instruction` in place of `instructions`\?/u)
  })
})
