import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { openProxy, type Proxy } from './support/proxy.ts'
import { serveTeam, type ServedTeam } from './support/served-team.ts'

/** Console messages of the browser for requests without an answer. */
const MAY_TELL = { mayTell: /Failed to load resource|ERR_CONNECTION|ERR_EMPTY_RESPONSE/u }
const NOTE = 'The server does not respond. The page may be out of date'

interface Reached {
  readonly team: ServedTeam
  readonly proxy: Proxy
}

async function serveBehindProxy(): Promise<Reached> {
  const proxy = await openProxy()
  const team = await serveTeam({ allowedOrigins: [proxy.url] })
  proxy.connectTo(team.url)
  return { team, proxy }
}

/** Opens a page with an active run. */
async function openSleeper({ proxy }: Reached): Promise<Page> {
  const page = await openPage(`${proxy.url}/#/chat/Sleeper`, {}, MAY_TELL)
  await page.getByRole('textbox', { name: 'Message to Sleeper' }).fill('Sleep.')
  await page.keyboard.press('Enter')
  await page.getByText('thinking …').waitFor()
  return page
}

describe.skipIf(CHROMIUM === undefined)(`lost server${CHROMIUM_NOTE}`, () => {
  it('the chat reports a lost server, does not show the agent as writing, and keeps what it wrote', async () => {
    const reached = await serveBehindProxy()
    const page = await openSleeper(reached)
    await reached.proxy.kill()
    await page.getByText(NOTE).waitFor()
    await page.getByText('The connection is lost.').first().waitFor()
    expect(await page.getByText('thinking …').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true)
    const message = page.getByRole('textbox', { name: 'Message to Sleeper' })
    await message.fill('Wake up.')
    await page.getByText('Your text is kept here').waitFor()
    await page.keyboard.press('Enter')
    expect(await message.inputValue()).toBe('Wake up.')
    await reached.proxy.revive()
    await page.getByText(NOTE).waitFor({ state: 'detached' })
    await page.getByText('thinking …').waitFor()
    expect(await message.inputValue()).toBe('Wake up.')
    expect(await page.getByRole('button', { name: 'Stop' }).isEnabled()).toBe(true)
  })

  it.each(['#/runs', '#/approvals', '#/agents', '#/agents/Newsroom', '#/tools/Travel', '#/chat/Newsroom'])(
    '%s reports a lost server until it responds again',
    async (address) => {
      const { proxy } = await serveBehindProxy()
      const page = await openPage(`${proxy.url}/${address}`, {}, MAY_TELL)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await proxy.kill()
      await page.getByText(NOTE).waitFor()
      await proxy.revive()
      await expect.poll(() => page.getByText(NOTE).count()).toBe(0)
    },
  )

  it('a run reports a lost server, and continues where it was when the server responds again', async () => {
    const reached = await serveBehindProxy()
    const page = await openSleeper(reached)
    await page.getByRole('link', { name: 'Open', exact: true }).click()
    await page.getByRole('treeitem').first().waitFor()
    await reached.proxy.kill()
    await page.getByText(NOTE).waitFor()
    await reached.proxy.revive()
    await expect.poll(() => page.getByText(NOTE).count()).toBe(0)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('cancelled').first().waitFor()
  })

  it('a server that silently stops responding is noticed', async () => {
    const reached = await serveBehindProxy()
    const page = await openSleeper(reached)
    reached.proxy.freeze()
    await page.getByText(NOTE).waitFor()
    expect(await page.getByText('thinking …').count()).toBe(0)
    await reached.proxy.revive()
    await page.getByText(NOTE).waitFor({ state: 'detached' })
    await page.getByText('thinking …').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('cancelled').first().waitFor()
  })

  it('a message that could not be sent is kept above the text field and sent again on request', async () => {
    const { proxy, team } = await serveBehindProxy()
    const page = await openPage(`${proxy.url}/#/chat/Mirror`, {}, MAY_TELL)
    await page.route('**/api/runs', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    const message = page.getByRole('textbox', { name: 'Message to Mirror' })
    await message.fill('Mirror, mirror')
    await page.keyboard.press('Enter')
    await page.getByText('server_unreachable').waitFor()
    const queue = page.getByRole('region', { name: 'Messages to send' })
    expect(await queue.getByRole('listitem').allTextContents()).toEqual(['Mirror, mirror'])
    await page.unroute('**/api/runs')
    await page.getByText(NOTE).waitFor({ state: 'detached' })
    expect(await page.getByRole('article').count()).toBe(0)
    await queue.getByRole('button', { name: 'Send it' }).click()
    await page.getByRole('article').getByText('I am a mirror.').waitFor()
    expect(await queue.count()).toBe(0)
    expect(team.url).not.toBe(proxy.url)
  })
})
