import { createHost, type Host } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import type { ServerOptions } from '@troupe/server'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { CLOCK, serveHost } from './support/served-team.ts'

/** Creates a host with one agent, whose answers are its name. */
function hostOf(name: string, store: ServerOptions['store']): Promise<Host> {
  const agent = defineAgent({
    name,
    description: 'Answers with its name.',
    instruction: 'Answer.',
    model: 'test/name',
  })
  const model = scriptedModel(() => ({ text: `An answer of ${name}.` }))
  return createHost({ cards: [agent], config: false, store, models: { 'test/name': model } })
}

describe.skipIf(CHROMIUM === undefined)(`a store that several hosts use${CHROMIUM_NOTE}`, () => {
  it('a conversation with an agent that is not served opens read-only', async () => {
    const store = createMemoryStore({ clock: CLOCK })
    const planner = await hostOf('planner', store)
    onTestFinished(() => planner.close())
    await planner.run('planner', 'Plan a trip', { sessionId: 'trip' })
    await planner.run('planner', 'Add a museum', { sessionId: 'trip' })
    const { url } = await serveHost({ host: await hostOf('shop', store), store })
    const page = await openPage(`${url}/#/chat/shop`)
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').click()
    await page.waitForURL('**/#/chat/planner/trip')
    await page.getByText('planner is not served here, so this conversation cannot be continued.').waitFor()
    await expect.poll(() => page.getByText('An answer of planner.').count()).toBe(2)
    expect(await page.getByRole('article').count()).toBe(2)
    expect(await page.getByRole('textbox', { name: 'Message to' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /Try again|Edit/u }).count()).toBe(0)
    await page.getByRole('article').getByRole('link', { name: 'Timeline' }).first().click()
    await page.waitForURL('**/#/runs/run_*')
  })

  it('a run that waits at a terminal does not wait for the user of the page', async () => {
    const store = createMemoryStore({ clock: CLOCK })
    const terminal = await createHost({
      cards: [
        defineAgent({
          name: 'clerk',
          description: 'Runs a command.',
          instruction: 'Run it.',
          model: 'test/clerk',
          runtimeTools: ['shell'],
        }),
      ],
      config: false,
      store,
      models: {
        'test/clerk': scriptedModel((prompt) =>
          prompt.at(-1)?.role === 'user'
            ? { calls: [{ tool: 'shell_execute', args: { command: 'git', args: ['status'] } }] }
            : { text: 'Done.' },
        ),
      },
    })
    onTestFinished(() => terminal.close())
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<{ readonly decision: 'denied' }>()
    const run = terminal.run('clerk', 'Look', {
      approve: () => {
        asked.resolve()
        return answer.promise
      },
    })
    await asked.promise
    const { url } = await serveHost({ host: await hostOf('shop', store), store })
    const page = await openPage(`${url}/#/runs`)
    const row = page.getByRole('row', { name: 'Look' })
    await row.getByText('waits', { exact: true }).waitFor()
    expect(await page.getByText('waits for you').count()).toBe(0)
    await row.getByRole('link', { name: 'clerk' }).click()
    await page.locator('header').getByText('waits', { exact: true }).waitFor()
    const waits = page.getByRole('img', { name: 'waits', exact: true })
    await expect.poll(() => page.getByRole('treeitem').filter({ has: waits }).count()).toBe(2)
    answer.resolve({ decision: 'denied' })
    await run
  })
})
