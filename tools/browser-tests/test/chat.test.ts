import { verifies } from '@troupe/testkit/internal'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveTeam } from './support/served-team.ts'

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message to' }).fill(text)
  await page.keyboard.press('Enter')
}

/** Waits until so many messages have been processed. */
async function answered(page: Page, count = 1): Promise<void> {
  await page
    .getByRole('article')
    .getByRole('link', { name: 'Timeline' })
    .nth(count - 1)
    .waitFor()
}

describe.skipIf(CHROMIUM === undefined)(`chat${CHROMIUM_NOTE}`, () => {
  it(`the chat shows two active children side by side, and their answers in the timeline ${verifies('C7', 'C68', 'C69')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Newsroom`)
    await ask(page, 'What happened in the harbour?')
    // a single condition, because either may finish before the other is checked
    const atWork = page.getByRole('list', { name: 'Running agents' })
    await atWork.filter({ hasText: 'Reporter[1]' }).filter({ hasText: 'Archivist[2]' }).waitFor()
    await answered(page)
    const answer = page.getByRole('article').getByRole('listitem')
    await expect
      .poll(() => answer.allTextContents())
      .toEqual([
        'what the reporter saw: A ferry and two gulls.',
        'what the archive has: In 1912 the first crane was built.',
      ])
    const rows = page.getByRole('tree', { name: 'Runs and calls' }).getByRole('treeitem')
    const names = [/^Newsroom/u, /^Reporter\[1\]/u, /^look_up/u, /^Archivist\[2\]/u, /^look_up/u]
    await expect
      .poll(() => rows.allTextContents())
      .toEqual(names.map((name) => expect.stringMatching(name) as string))
  })

  it('the first page needs less than 220 kB with its font and the responses of the API', async () => {
    const { url } = await serveTeam()
    // Only the page itself has an icon.
    const page = await openPage(`${url}/icon.svg`, {}, { mayTell: /status of 404/u })
    const sizes: Promise<number>[] = []
    page.on('requestfinished', (request) =>
      sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize)),
    )
    await page.goto(url)
    await page.getByRole('textbox', { name: 'Message to' }).waitFor()
    await page.getByRole('navigation', { name: 'Conversations' }).getByText('No conversations yet').waitFor()
    await page.waitForLoadState('load')
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(100_000)
    expect(total).toBeLessThan(220_000)
  })

  it('a chat starts with the example of the agent, and earlier messages are listed', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Newsroom`)
    await page.getByRole('button', { name: 'Try' }).click()
    await page.keyboard.press('Enter')
    await answered(page)
    await page.getByRole('button', { name: 'New' }).click()
    const earlier = page.getByRole('region', { name: 'Earlier conversations' })
    await earlier.getByRole('link', { name: 'What happened in the harbour?' }).click()
    await answered(page)
    expect(await page.getByRole('article').count()).toBe(1)
  })

  it('the chat lists earlier conversations behind 210 runs without a conversation, and none of those', async () => {
    const { url, host } = await serveTeam()
    await host.run('Mirror', 'A talk', { sessionId: 'talk' })
    for (let run = 0; run < 210; run += 1) await host.run('Mirror', 'filler')
    const page = await openPage(`${url}/#/chat/Mirror`)
    const earlier = page.getByRole('region', { name: 'Earlier conversations' })
    await earlier.getByRole('link', { name: 'A talk' }).waitFor()
    expect(await earlier.getByRole('link').count()).toBe(1)
  })

  it('a message whose run was interrupted is shown as ended, and the chat accepts another one', async () => {
    const { url, host } = await serveTeam()
    const stop = new AbortController()
    const running = host.run('Sleeper', 'Sleep.', {
      runId: 'run_left',
      sessionId: 'night',
      resumable: true,
      signal: stop.signal,
    })
    const page = await openPage(`${url}/#/chat/Sleeper/night`)
    await page.getByText('thinking …').waitFor()
    stop.abort()
    await running
    await page.getByText('troupe run --resume run_left').waitFor()
    expect(await page.getByText('thinking …').count()).toBe(0)
    await ask(page, 'Again.')
    await page.getByText('thinking …').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('cancelled').first().waitFor()
  })

  it('the chat continues the same conversation, which is still there after a reload', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Reporter`)
    await ask(page, 'First')
    await answered(page)
    await ask(page, 'Second')
    await answered(page, 2)
    await page.reload()
    await answered(page, 2)
    expect(await page.getByRole('article').count()).toBe(2)
  })

  it(`the chat stops a run and repeats it ${verifies('C70')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Sleeper`)
    await ask(page, 'Sleep.')
    await page.getByText('thinking …').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('cancelled').first().waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('thinking …').waitFor()
    await page.getByText('2 / 2').waitFor()
    expect(await page.getByRole('article').count()).toBe(1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('cancelled').first().waitFor()
  })

  it(`the chat limits a message to the budget that was set for it ${verifies('C70')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Newsroom`)
    await page.getByRole('button', { name: 'Budget' }).click()
    await page.getByLabel('Tokens').fill('5')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: '≤ 5 tokens' }).waitFor()
    await ask(page, 'What happened in the harbour?')
    await answered(page)
    expect(await page.getByRole('article').textContent()).toContain('budget used up')
  })

  it('the chat uses a chosen model, and the models of the cards again afterwards', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Newsroom`)
    const model = page.getByLabel('Model', { exact: true })
    await model.getByRole('option', { name: 'brief' }).waitFor({ state: 'attached' })
    await model.selectOption('brief')
    await ask(page, 'What happened in the harbour?')
    await answered(page)
    expect(await page.getByRole('article').textContent()).toContain('Nothing new.')
    expect(await page.getByRole('article').textContent()).toContain('script/brief.script.yaml')
    await model.selectOption('Default models')
    await ask(page, 'And now?')
    await page.getByRole('article').getByText('In the harbour').waitFor()
  })

  it('the chat asks for approval of a tool of a child, and continues with the decision', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Desk`)
    await ask(page, 'Publish the morning edition.')
    const card = page.getByRole('region', { name: 'Approvals' })
    await card.getByText('Publisher[1]').waitFor()
    await page.getByRole('link', { name: 'Approvals 1 open' }).waitFor()
    await card.getByRole('button', { name: 'Allow once' }).click()
    await page.getByText('Done. Published: The morning edition').first().waitFor()
    await expect.poll(() => card.count()).toBe(0)
  })

  it('the timeline beside the chat marks a folded wait in each row', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Desk`)
    await ask(page, 'Publish the morning edition.')
    const rows = page.getByRole('tree', { name: 'Runs and calls' }).getByRole('treeitem')
    // from then on the wait takes most of the time
    await rows
      .filter({ hasText: /[1-9]\.\d s/u })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Allow once' }).click()
    await answered(page)
    const marks = rows.locator('[title$="without activity"]')
    await expect.poll(() => marks.count()).toBe(3)
    const bar = await rows.nth(2).locator('.bg-warn\\/70').boundingBox()
    const mark = await marks.nth(2).boundingBox()
    expect(mark?.x).toBeGreaterThan(bar?.x ?? Infinity)
    expect(mark?.x).toBeLessThan((bar?.x ?? 0) + (bar?.width ?? 0))
  })

  it(`the chat does not ask again about a tool that was approved for the conversation ${verifies('C87')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Desk`)
    await ask(page, 'Publish the morning edition.')
    const card = page.getByRole('region', { name: 'Approvals' })
    await card.getByRole('button', { name: 'Allow in this conversation' }).click()
    await answered(page)
    await ask(page, 'And once more.')
    await answered(page, 2)
    expect(await card.count()).toBe(0)
    await page.getByRole('button', { name: 'New' }).click()
    await ask(page, 'Publish the morning edition.')
    await card.getByRole('button', { name: 'Allow once' }).waitFor()
  })

  it('the chat reconnects after a restart of the server and continues where it was', async () => {
    const { url, restart } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Desk`, {}, { mayTell: /ERR_/u })
    await ask(page, 'Publish the morning edition.')
    const card = page.getByRole('region', { name: 'Approvals' })
    await card.getByText('wants to call').waitFor()
    await restart()
    await card.getByRole('button', { name: 'Allow once' }).click()
    await page.getByRole('article').getByText('Done. Published: The morning edition').waitFor()
    expect(await page.getByRole('article').count()).toBe(1)
  })

  it('the chat shows a question of a tool with its choices or a text field', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Concierge`)
    await ask(page, 'Good morning.')
    const card = page.getByRole('region', { name: 'Approvals' })
    await card.getByText('Tea or coffee?').waitFor()
    await card.getByRole('button', { name: 'Coffee' }).click()
    await card.getByText('With what?').waitFor()
    await card.getByLabel('Answer').fill('With milk')
    await page.keyboard.press('Enter')
    await answered(page)
    expect(await page.getByRole('article').textContent()).toContain('With milk, coming.')
  })

  it('screen readers no longer find the request of a decided approval, nor on the page of the completed run', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Desk`)
    await ask(page, 'Publish the morning edition.')
    const status = page.getByRole('status').filter({ hasText: 'Asks for approval: publish' })
    const alert = page.getByRole('alert').filter({ hasText: 'Publisher[1] wants to call publish.' })
    await expect.poll(() => status.count()).toBe(1)
    await expect.poll(() => alert.count()).toBe(1)
    await page.goto(`${url}/#/approvals`)
    await page.getByRole('button', { name: 'Allow once' }).click()
    await page.getByText('No open approvals').waitFor()
    const openRequest = /wants to call|Asks for approval/u
    await expect.poll(() => page.locator('body').ariaSnapshot()).not.toMatch(openRequest)
    await page.goto(`${url}/#/runs`)
    await page.getByRole('cell', { name: 'completed' }).waitFor()
    await page.getByRole('link', { name: 'Desk' }).click()
    await page.getByRole('treeitem', { name: /^publish/u }).waitFor()
    expect(await page.locator('body').ariaSnapshot()).not.toMatch(openRequest)
  })

  it('the reason of a denial is sent to the agent', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Desk`)
    await ask(page, 'Publish the morning edition.')
    await page.getByText('wants to call').last().waitFor()
    await page.goto(`${url}/#/approvals`)
    await page.getByLabel('Reason').fill('not today')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('No open approvals').waitFor()
    await page.goto(`${url}/#/runs`)
    await page.getByRole('cell', { name: 'completed' }).waitFor()
    await page.getByRole('link', { name: 'Desk' }).click()
    await page.getByRole('treeitem', { name: 'publish denied' }).click()
    expect(await page.getByRole('region', { name: 'Details' }).textContent()).toContain(
      'not approved: not today',
    )
  })
})
