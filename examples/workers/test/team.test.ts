import path from 'node:path'
import { createHost } from '@troupe/host'
import { expect, it } from 'vitest'

it('the team of the workers example runs without keys', async () => {
  const cwd = path.join(import.meta.dirname, '../team')
  const host = await createHost({ cards: ['.'], cwd, config: false })
  try {
    expect(host.plan().problems).toEqual([])
    expect(await host.run(undefined, 'Is the library open today?')).toMatchObject({
      outcome: 'completed',
      problems: [],
    })
  } finally {
    await host.close()
  }
})
