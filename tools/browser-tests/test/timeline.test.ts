import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { serveBigTeam } from './support/big-team.ts'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'

/** Returns the key of the focused row. */
function focusedRow(page: Page): Promise<string | undefined> {
  return page.evaluate('document.activeElement?.dataset.key')
}

/** Returns the number of elements of the page. */
function countElements(page: Page): Promise<number> {
  return page.evaluate('document.querySelectorAll("*").length')
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

describe.skipIf(CHROMIUM === undefined)(`timeline${CHROMIUM_NOTE}`, () => {
  it('a run of 1,200 calls never mounts more than 1,500 elements, however it is opened and scrolled', async () => {
    const { url, host } = await serveBigTeam()
    await host.run('Marathon', 'Count all crates.', { runId: 'run_marathon' })
    const page = await openPage(`${url}/#/runs/run_marathon`)
    const rows = page.getByRole('treeitem')
    await rows.filter({ hasText: 'look_up ×1200' }).waitFor()
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText('look_up ×1200').click()
    expect(await countElements(page)).toBeLessThan(1500)

    // The group opens, and its last row has its place among all rows.
    await rows.last().focus()
    for (const key of ['ArrowRight', 'End']) await page.keyboard.press(key)
    await page.getByRole('treeitem', { name: 'crate 1200' }).waitFor()
    expect(await rows.last().getAttribute('aria-posinset')).toBe('1200')
    expect(await rows.last().getAttribute('aria-setsize')).toBe('1200')
    expect(await countElements(page)).toBeLessThan(1500)

    // The focused row stays mounted when it is scrolled out of view.
    const focused = await focusedRow(page)
    await page.evaluate('document.activeElement.closest(".overflow-auto").scrollTo(0, 3000)')
    await page.locator('[aria-posinset="120"]').waitFor()
    expect(await focusedRow(page)).toBe(focused)
    expect(await countElements(page)).toBeLessThan(1500)

    for (const tab of ['Usage', 'JSON']) {
      await page.keyboard.press('Home')
      await details.getByRole('tab', { name: tab }).click()
      await rows.last().focus()
      expect(await countElements(page)).toBeLessThan(1500)
    }
  })

  it('the events of a run are requested while the code of its page is still loading', async () => {
    const { url, host } = await serveBigTeam({ children: 2 })
    await host.run('Lead', 'Survey the archive.', { runId: 'run_lead' })
    const page = await openPage(`${url}/`)
    const requested = page.waitForRequest('**/api/runs/run_lead/events')
    await page.route('**/assets/run-page-*.js', async (route) => {
      await requested
      await route.continue()
    })
    await page.goto('about:blank')
    await page.goto(`${url}/#/runs/run_lead`)
    await page.getByRole('treeitem').nth(1).waitFor()
    expect((await requested).method()).toBe('GET')
  })

  it('a page whose code cannot be loaded says so, and loads it when it is opened again', async () => {
    const { url } = await serveBigTeam({ children: 2 })
    const page = await openPage(`${url}/`, {}, { mayTell: /ERR_FAILED/u })
    await page.getByRole('textbox', { name: 'Message to' }).waitFor()
    await page.route('**/assets/runs-page-*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText('This page could not be loaded').waitFor()
    await page.unroute('**/assets/runs-page-*.js')
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    expect(await page.getByText('This page could not be loaded').count()).toBe(0)
  })

  it('a fan-out is one row, its children are distinguished by their inputs, and details name the path', async () => {
    const { url, host } = await serveBigTeam({ children: 40 })
    await host.run('Lead', 'Survey the archive.', { runId: 'run_lead' })
    const page = await openPage(`${url}/#/runs/run_lead`)
    const rows = page.getByRole('treeitem')
    await rows.nth(1).waitFor()
    expect(await rows.count()).toBe(2)
    await expect.poll(() => rows.nth(1).textContent()).toMatch(/^Scout ×40.*40 ✓ · median/u)
    await rows.nth(1).focus()
    await page.keyboard.press('ArrowRight')
    const fifth = page.getByRole('treeitem', { name: 'Survey the part 5 of the archive.' })
    await fifth.click()
    await page.keyboard.press('ArrowDown')
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByRole('heading', { name: 'Lead › Scout[5] › Digger[1]' }).waitFor()
  })

  it('the keys of the timeline search, go to errors, mark the slowest path and zoom', async () => {
    const { url, host } = await serveBigTeam({ children: 6 })
    await host.run('Lead', 'Survey the archive.', { runId: 'run_lead' })
    const page = await openPage(`${url}/#/runs/run_lead`)
    await page.getByRole('treeitem').nth(1).waitFor()
    const selected = page.locator('[role=treeitem][aria-selected=true]')
    const labels = (): Promise<readonly string[]> => page.locator('[data-axis] span').allTextContents()

    await page.keyboard.press('/')
    await page.keyboard.type('PART 4')
    await page.keyboard.press('Enter')
    await expect.poll(() => selected.textContent()).toContain('Survey the part 4 of the archive.')
    await page.getByText('1 of 1').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedRow(page)).toBeDefined()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')

    await page.keyboard.press('e')
    await expect.poll(() => selected.textContent()).toContain('crate 7')
    const first = await focusedRow(page)
    await page.keyboard.press('e')
    await expect.poll(() => focusedRow(page)).not.toBe(first)
    await page.getByRole('button', { name: 'Errors only (6)' }).click()
    await expect.poll(() => page.getByRole('treeitem', { name: 'crate 1 ' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Errors only (6)' }).click()

    await page.getByRole('treeitem').first().focus()
    await page.keyboard.press('s')
    await page.getByText('on the slowest path').first().waitFor({ state: 'attached' })
    expect(await page.getByRole('button', { name: 'Slowest path' }).getAttribute('aria-pressed')).toBe('true')

    const before = await labels()
    await page.keyboard.press('+')
    await expect.poll(labels).not.toEqual(before)
    await page.keyboard.press('0')
    await expect.poll(labels).toEqual(before)
    await selected.hover()
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -300)
    await page.keyboard.up('Control')
    await expect.poll(labels).not.toEqual(before)
    await page.keyboard.press('0')
    await expect.poll(labels).toEqual(before)

    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Go to the next error').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('on a phone the details open as a sheet, and closing it in any way returns the focus to the row', async () => {
    const { url, host } = await serveBigTeam({ children: 6 })
    await host.run('Lead', 'Survey the archive.', { runId: 'run_lead' })
    const page = await openPage(`${url}/#/runs/run_lead`, PHONE)
    const row = page.getByRole('treeitem').nth(1)
    await row.waitFor()
    expect((await row.boundingBox())?.height).toBe(44)
    const sheet = page.getByRole('dialog')
    const key = await row.getAttribute('data-key')

    await row.tap()
    await sheet.getByRole('button', { name: 'Survey the part 3' }).tap()
    await sheet.getByRole('heading', { name: 'Lead › Scout[3]' }).waitFor()
    await sheet.getByRole('button', { name: 'Back' }).tap()
    await sheet.getByRole('heading', { name: 'Scout ×6' }).waitFor()
    await sheet.getByRole('button', { name: 'Close' }).tap()
    await sheet.waitFor({ state: 'detached' })
    await expect.poll(() => focusedRow(page)).toBe(key)

    await page.keyboard.press('Enter')
    await sheet.waitFor()
    await page.goBack()
    await sheet.waitFor({ state: 'detached' })
    expect(page.url()).toContain('run_lead')
    await page.keyboard.press('Enter')
    await sheet.waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await expect.poll(() => focusedRow(page)).toBe(key)
  })

  it('forty children are one line of the chat while they are at work, and no row is drawn again without an event', async () => {
    const { url } = await serveBigTeam({ children: 40, delayMs: 2000 })
    const page = await openPage(`${url}/#/chat/Lead`)
    await page.getByRole('textbox', { name: 'Message to' }).fill('Survey the archive.')
    await page.keyboard.press('Enter')
    const message = page.getByRole('article')
    await message.getByText('Scout ×40').waitFor()
    await message.getByText('40 at work').waitFor()
    expect(await message.locator('details').count()).toBe(1)
    expect(await message.getByRole('list', { name: 'Running agents' }).count()).toBe(0)
    // Bars move by their style alone.
    const changes = await page.evaluate<{ added: number; moved: number }>(`new Promise((done) => {
      const found = { added: 0, moved: 0 }
      new MutationObserver((records) => {
        for (const { type, addedNodes } of records)
          if (type === 'attributes') found.moved += 1
          else found.added += [...addedNodes].filter(({ nodeType }) => nodeType === 1).length
      }).observe(document.querySelector('[role=tree]'), { subtree: true, childList: true, attributeFilter: ['style'] })
      setTimeout(() => done(found), 600)
    })`)
    expect(changes.moved).toBeGreaterThan(0)
    expect(changes.added).toBe(0)
  })
})
