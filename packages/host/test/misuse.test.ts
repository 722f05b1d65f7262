import { createHost } from '@troupe/host'
import { expect, it, onTestFinished } from 'vitest'
import { card, openProject } from './support/open-team.ts'

it.each([undefined, './team', {}])('createHost requires a list of cards, not %o', async (cards) => {
  await expect(createHost({ cards } as never)).rejects.toMatchObject({ code: 'usage_invalid' })
})

it('a host without a working folder resolves paths against that of the process', async () => {
  const { path } = await openProject({ 'a.md': card({ name: 'A', model: 'passthrough' }) })
  const host = await createHost({ cards: [path], config: false })
  onTestFinished(() => host.close())
  expect(await host.run('A', 'hi')).toMatchObject({ outcome: 'completed', output: { text: 'hi' } })
})
