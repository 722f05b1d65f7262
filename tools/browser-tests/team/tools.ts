import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@troupe/schema'
import { z } from 'zod'

/** Looks something up, slowly enough to be observed. */
export const look_up = defineTool({
  name: 'look_up',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  async execute({ what }) {
    await sleep(120)
    return { what, found: ['a ferry', 'two gulls'], certain: true }
  },
})

/** Returns that the text was published. */
export const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => `Published: ${text}`,
})
