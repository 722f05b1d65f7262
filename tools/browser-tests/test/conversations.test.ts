import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveTeam, type ServedTeam } from './support/served-team.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message to' }).fill(text)
  await page.keyboard.press('Enter')
}

/** Waits until so many messages have been answered. */
async function answered(page: Page, count = 1): Promise<void> {
  const links = page.getByRole('article').getByRole('link', { name: 'Timeline' })
  await links.nth(count - 1).waitFor()
}

/** Runs one message in each of some conversations, the last one being the newest. */
async function talk({ host }: ServedTeam, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await host.run('Mirror', `About ${name}`, { sessionId: name })
    // the order of conversations of the same millisecond is not known
    await sleep(2)
  }
}

describe.skipIf(CHROMIUM === undefined)(`conversations${CHROMIUM_NOTE}`, () => {
  it('the list shows conversations of all agents, and arrow keys, Enter and F2 open and rename them', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries', 'gulls', 'cranes'])
    await team.host.run('Reporter', 'About the pier', { sessionId: 'pier' })
    const page = await openPage(`${team.url}/#/chat/Mirror`)
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('heading', { name: 'Today' }).waitFor()
    expect(await list.getByRole('link').count()).toBe(4)
    await list.getByRole('link', { name: 'About the pier' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/#/chat/Mirror/gulls')
    await list.getByRole('link', { name: 'About gulls' }).focus()
    await page.keyboard.press('F2')
    await page.keyboard.type('Birds')
    await page.keyboard.press('Enter')
    await list.getByRole('link', { name: 'Birds' }).waitFor()
    await page.reload()
    await list.getByRole('link', { name: 'Birds' }).waitFor()
    expect(await list.locator('[aria-current]').textContent()).toContain('Birds')
  })

  it('a conversation that another device starts, renames, archives or deletes changes in the list', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries', 'gulls'])
    const page = await openPage(`${team.url}/#/chat/Mirror`)
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('link', { name: 'About gulls' }).waitFor()
    const change = (session: string, fields?: object) =>
      fetch(`${team.url}/api/sessions/${session}`, {
        method: fields === undefined ? 'DELETE' : 'PATCH',
        ...(fields === undefined ? {} : { body: JSON.stringify(fields) }),
        headers: { 'Content-Type': 'application/json' },
      })
    await change('gulls', { name: 'Birds' })
    await list.getByRole('link', { name: 'Birds' }).waitFor()
    await talk(team, ['cranes'])
    await list.getByRole('link', { name: 'About cranes' }).waitFor()
    await change('cranes', { archived: true })
    await list.getByRole('link', { name: 'About cranes' }).waitFor({ state: 'detached' })
    await change('ferries')
    await list.getByRole('link', { name: 'About ferries' }).waitFor({ state: 'detached' })
    expect(await list.getByRole('link').count()).toBe(1)
  })

  it('conversations are found by their messages, archived, and deleted after a question', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries', 'gulls', 'cranes'])
    const page = await openPage(`${team.url}/#/chat/Mirror/gulls`)
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('link', { name: 'About gulls' }).waitFor()
    await list.getByRole('searchbox').fill('FERR')
    await expect.poll(() => list.getByRole('link').count()).toBe(1)
    await list.getByRole('searchbox').fill('')
    await list.getByRole('link', { name: 'About cranes' }).focus()
    await list.getByRole('button', { name: 'Actions for About cranes' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await list.getByRole('link', { name: 'About cranes' }).waitFor({ state: 'detached' })
    await list.getByRole('button', { name: 'Archived conversations' }).click()
    await list.getByRole('link', { name: 'About cranes' }).waitFor()
    await list.getByRole('button', { name: 'Archived conversations' }).click()
    await list.getByRole('link', { name: 'About gulls' }).focus()
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete this conversation?' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await list.getByRole('link', { name: 'About gulls' }).waitFor({ state: 'detached' })
    await page.waitForURL('**/#/chat/Mirror')
    expect(await team.host.sessions({ principal: 'local' })).toHaveLength(2)
  })

  it('menus and dialogs that load on first use take the focus, and give it back on Escape', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries'])
    const page = await openPage(`${team.url}/#/chat/Mirror/ferries`)
    const list = page.getByRole('navigation', { name: 'Conversations' })
    const menu = page.getByRole('menu')
    const actions = list.getByRole('button', { name: 'Actions for About ferries' })
    const question = page.getByRole('dialog', { name: 'Delete this conversation?' })
    const budget = page.getByRole('button', { name: 'Budget' })
    const hasFocus = (locator: Locator): Promise<boolean> =>
      locator.evaluate((element) => element.matches(':focus-within'))
    for (const [opener, popup, key] of [
      [actions, menu, 'Enter'],
      [list.getByRole('link', { name: 'About ferries' }), question, 'Delete'],
      [budget, page.getByLabel('Cost in USD'), 'Enter'],
    ] as const) {
      await opener.focus()
      for (const use of ['first', 'second']) {
        await page.keyboard.press(key)
        await popup.waitFor()
        await expect.poll(() => hasFocus(popup), { message: `${key}, ${use} use` }).toBe(true)
        await page.keyboard.press('Escape')
        await popup.waitFor({ state: 'detached' })
        await expect.poll(() => hasFocus(opener), { message: `${key}, ${use} use` }).toBe(true)
      }
    }
  })

  it('a conversation is saved as Markdown with its answers', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries'])
    const page = await openPage(`${team.url}/#/chat/Mirror/ferries`)
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('button', { name: 'Actions for About ferries' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Save as Markdown' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('About ferries.md')
    expect(await readFile(await download.path(), 'utf8')).toContain('# About ferries\n\n## You, ')
  })

  it('only the rows in sight of 400 conversations are drawn, and older ones are loaded on scrolling', async () => {
    const team = await serveTeam()
    await talk(
      team,
      Array.from({ length: 400 }, (_, index) => `topic ${index}`),
    )
    const page = await openPage(`${team.url}/#/chat/Mirror`)
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('link', { name: 'About topic 399' }).waitFor()
    const scroller = list.locator('ul').locator('..')
    const oldest = list.getByRole('link', { name: /^About topic 0(?!\d)/u })
    await expect
      .poll(
        async () => {
          await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight))
          return oldest.count()
        },
        { timeout: 60_000 },
      )
      .toBe(1)
    expect(await list.getByRole('link').count()).toBeLessThan(40)
  })

  it('on a phone the list is a sheet that closes when a conversation is opened', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries', 'gulls'])
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const page = await openPage(`${team.url}/#/chat/Mirror`, options)
    await page.getByRole('button', { name: 'Conversations', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Conversations' })
    await sheet.getByRole('link', { name: 'About ferries' }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.waitForURL('**/#/chat/Mirror/ferries')
    // Enter breaks the line on touch screens
    const message = page.getByRole('textbox', { name: 'Message to Mirror' })
    await message.fill('one')
    await page.keyboard.press('Enter')
    expect(await message.inputValue()).toBe('one\n')
  })
})

describe.skipIf(CHROMIUM === undefined)(`writing messages${CHROMIUM_NOTE}`, () => {
  it('messages that are sent while the agent works are queued, can be taken back, and wait after Escape', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Sleeper`)
    await say(page, 'Sleep.')
    await page.getByText('thinking …').waitFor()
    await say(page, 'Second')
    await say(page, 'Third')
    const queue = page.getByRole('region', { name: 'Messages to send' })
    expect(await queue.getByRole('listitem').allTextContents()).toEqual(['Second', 'Third'])
    await queue.getByRole('button', { name: 'Take this message back' }).last().click()
    await queue.getByRole('button', { name: 'Edit this message' }).click()
    const message = page.getByRole('textbox', { name: 'Message to Sleeper' })
    expect(await message.inputValue()).toBe('Second')
    await message.press('End')
    await page.keyboard.type(' nap')
    await page.keyboard.press('Enter')
    await message.press('Escape')
    await page.getByText('cancelled').first().waitFor()
    await queue.getByText('you stopped the answer').waitFor()
    expect(await page.getByRole('article').count()).toBe(1)
    await queue.getByRole('button', { name: 'Send it' }).click()
    await queue.waitFor({ state: 'detached' })
    await page.getByRole('article', { name: 'Second nap' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
  })

  it('a queued message is sent when the answer ends, and each conversation keeps its draft', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries'])
    const page = await openPage(`${team.url}/#/chat/Reporter`)
    await say(page, 'First')
    await say(page, 'Second')
    await answered(page, 2)
    const message = page.getByRole('textbox', { name: 'Message to' })
    await message.fill('not sent')
    await page.getByRole('link', { name: 'About ferries' }).click()
    await page.waitForURL('**/#/chat/Mirror/ferries')
    expect(await message.inputValue()).toBe('')
    await page.goBack()
    await expect.poll(() => message.inputValue()).toBe('not sent')
    await page.reload()
    await expect.poll(() => message.inputValue()).toBe('not sent')
    await message.fill('')
    await answered(page, 2)
    await message.press('ArrowUp')
    expect(await message.inputValue()).toBe('Second')
    await message.press('ArrowUp')
    expect(await message.inputValue()).toBe('First')
  })

  it('files are added with a preview, removed with Backspace, and sent with the message', async () => {
    const { url, host } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Reporter`)
    await page.getByLabel('Add files').setInputFiles([
      { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'note.md', mimeType: 'text/markdown', buffer: Buffer.from('# Hi') },
      { name: 'all.zip', mimeType: 'application/zip', buffer: Buffer.from([0x50, 0x4b, 0, 0xff]) },
    ])
    await page.getByText('all.zip: not an image').waitFor()
    const files = page.getByRole('list', { name: 'Files' })
    expect(await files.getByRole('listitem').count()).toBe(2)
    await page.getByRole('textbox', { name: 'Message to' }).press('Backspace')
    expect(await files.getByRole('listitem').count()).toBe(1)
    const width = await files
      .getByRole('img', { includeHidden: true })
      .or(files.locator('img'))
      .first()
      .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
    expect(width).toBe(1)
    await say(page, 'Look')
    await answered(page)
    await page.getByRole('article').getByText('pixel.png').waitFor()
    expect(await host.sessions({ principal: 'local' })).toHaveLength(1)
  })

  it('an edited message becomes a second version, and arrows lead from one to the other', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Reporter`)
    await say(page, 'First')
    await answered(page)
    await say(page, 'Second')
    await answered(page, 2)
    await page
      .getByRole('article', { name: 'Second' })
      .getByRole('button', { name: 'Edit the message' })
      .click()
    const editor = page.getByRole('textbox', { name: 'Text of the message' })
    await editor.fill('Another second')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('article', { name: 'Another second' }).waitFor()
    await page.getByText('2 / 2').waitFor()
    await answered(page, 2)
    expect(await page.getByRole('article').count()).toBe(2)
    await page.getByRole('button', { name: 'Previous version' }).click()
    await page.getByRole('article', { name: 'Message: Second' }).waitFor()
    await page.getByText('1 / 2').waitFor()
    await page.getByRole('button', { name: 'Next version' }).click()
    await page.getByRole('article', { name: 'Another second' }).waitFor()
    await page.reload()
    await page.getByRole('article', { name: 'Another second' }).waitFor()
    await page.getByText('2 / 2').waitFor()
    const list = page.getByRole('navigation', { name: 'Conversations' })
    expect(await list.getByRole('link').count()).toBe(1)
  })

  it('the command palette finds conversations and pages, runs actions, and ? shows the keys', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries', 'gulls'])
    const page = await openPage(`${team.url}/#/chat/Mirror`)
    await page.getByRole('textbox', { name: 'Message to' }).waitFor()
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: 'Search commands' })
    await search.fill('ferries')
    await page.getByRole('option', { name: 'About gulls' }).waitFor({ state: 'detached' })
    const highlighted = page.locator('[data-highlighted]')
    await highlighted.filter({ hasText: 'About ferries' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/#/chat/Mirror/ferries')
    await page.keyboard.press('Control+k')
    await search.fill('dark theme')
    await highlighted.filter({ hasText: 'dark theme' }).waitFor()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.locator('html').evaluate((element) => element.getAttribute('data-theme')))
      .toBe('dark')
    await page.getByRole('heading', { level: 1 }).click()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Open the command palette').waitFor()
  })

  it('entries of the command palette that are loaded late do not move the others', async () => {
    const team = await serveTeam()
    await talk(team, ['ferries'])
    const page = await openPage(`${team.url}/#/chat/Mirror`)
    await page.getByRole('textbox', { name: 'Message to' }).waitFor()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/sessions?*limit=8*', async (route) => {
      await released
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    const entry = page.getByRole('option', { name: 'Approvals', exact: true })
    await entry.waitFor()
    const before = await entry.boundingBox()
    release()
    await page.getByRole('option', { name: 'About ferries' }).first().waitFor()
    expect(await entry.boundingBox()).toEqual(before)
  })
})
