import { systemClock } from '@troupe/core'
import { createMemoryStore } from '@troupe/store'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openFaultyChat, STRICT, TURNS } from './support/faulty-chat.ts'

const providers = Object.keys(STRICT) as readonly (keyof typeof STRICT)[]

describe('a conversation of random turns', () => {
  it.each(providers)(
    'any conversation is valid for %s, whatever the outcome of its turns and wherever it is stored',
    { timeout: 120_000 },
    async (provider) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...TURNS), { minLength: 1, maxLength: 5 }),
          fc.boolean(),
          async (turns, isKept) => {
            const store = isKept ? createMemoryStore({ clock: systemClock }) : undefined
            const chat = await openFaultyChat(provider, { store })
            try {
              for (const turn of turns) await chat.take(turn)
              expect(await chat.take('answers')).toMatchObject({ outcome: 'completed' })
              expect(chat.refused).toBe(0)
              for (const turn of turns) expect(chat.lastBody).toContain(`Now it ${turn}.`)
            } finally {
              await chat.close()
            }
          },
        ),
        { numRuns: 12 },
      )
    },
  )
})
