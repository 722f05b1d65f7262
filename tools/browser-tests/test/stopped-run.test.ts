import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { CLOCK, serveHost, type ServedTeam } from './support/served-team.ts'

/** Serves `Lead`, which says something and calls two agents that never answer. */
async function serveLead(): Promise<Omit<ServedTeam, 'travel'>> {
  const agent = (name: string, agents: readonly string[]) =>
    defineAgent({ name, description: `Is ${name}.`, instruction: 'Ask.', model: `test/${name}`, agents })
  const store = createMemoryStore({ clock: CLOCK })
  const call = { tool: 'agent__Scout', args: { text: 'Look.' } }
  const host = await createHost({
    cards: [agent('Lead', ['Scout']), agent('Scout', [])],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: {
      'test/Lead': scriptedModel([{ text: 'I ask two scouts.', calls: [call, call] }]),
      'test/Scout': scriptedModel(() => ({ wait: new Promise(() => {}) })),
    },
  })
  return serveHost({ host, store })
}

/** Returns true if the text of the answer is above its first call. */
async function isTextAboveCalls(page: Page): Promise<boolean> {
  const text = await page.getByRole('article').getByText('I ask two scouts.').boundingBox()
  const call = await page.getByRole('article').locator('summary').first().boundingBox()
  return text !== null && call !== null && text.y < call.y
}

describe.skipIf(CHROMIUM === undefined)(`stopped run${CHROMIUM_NOTE}`, () => {
  it('the text of a stopped run stays above the calls that followed it after a reload', async () => {
    const { url } = await serveLead()
    const page = await openPage(`${url}/#/chat/Lead`)
    await page.getByRole('textbox', { name: 'Message to' }).fill('Go.')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Running agents' }).filter({ hasText: 'Scout[2]' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    const timeline = page.getByRole('article').getByRole('link', { name: 'Timeline' })
    await timeline.waitFor()
    expect(await isTextAboveCalls(page)).toBe(true)
    await page.reload()
    await timeline.waitFor()
    expect(await isTextAboveCalls(page)).toBe(true)
    expect(await page.getByText('I ask two scouts.').count()).toBe(1)
  })
})
