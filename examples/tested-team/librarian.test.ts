import { test } from 'node:test'
import { collectRun, expectRun, scriptedModel } from '@troupe/testkit'
import { createHost } from 'troupe'

test('the librarian answers even if the clerk made up a day', async () => {
  const model = scriptedModel([
    { calls: [{ tool: 'agent__clerk', args: { text: 'Someday' } }] },
    { calls: [{ tool: 'openingHours', args: { day: 'someday' } }] },
    { text: 'nine to five' },
    { text: 'We are open from nine to five.' },
  ])
  const models = { 'test/model': model }
  const host = await createHost({ cards: [import.meta.dirname], model: 'test/model', models, env: {} })
  try {
    const run = await collectRun(host.stream('librarian', 'Are you open someday?'))
    expectRun(run)
      .toComplete()
      .toContain('nine to five')
      .toHaveCalledInOrder(['agent__clerk', 'openingHours'])
      .toHaveCalled('openingHours', { day: /day$/u })
      .toHaveNoProblems()
    model.assertDone()
  } finally {
    await host.close()
  }
})
