import { verifies } from '@troupe/testkit/internal'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveTeam, type ServedTeam } from './support/served-team.ts'

/** Opens the editor of the card of Travel. */
async function openEditor(team: ServedTeam, mayTell?: RegExp): Promise<Page> {
  const page = await openPage(`${team.url}/#/agents/Travel`, {}, mayTell === undefined ? {} : { mayTell })
  await page.getByRole('link', { name: 'Edit card' }).click()
  await page.getByRole('textbox', { name: 'Card', exact: true }).waitFor()
  await page.getByText('No problems').waitFor()
  return page
}

/** Puts the cursor behind the end of a text in the editor. */
async function clickAfter(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Card', exact: true }).getByText(text).first().click()
  await page.keyboard.press('End')
}

/** Inserts the selected completion. The editor takes Enter as a line break for 75 ms after the list has appeared. */
async function acceptCompletion(page: Page): Promise<void> {
  await page.waitForTimeout(150)
  await page.keyboard.press('Enter')
}

describe.skipIf(CHROMIUM === undefined)(`card editor${CHROMIUM_NOTE}`, () => {
  it(`a wrong key is underlined with its message while a person types, and the corrected text is saved exactly ${verifies('D43')}`, async () => {
    const team = await serveTeam()
    const before = await team.travel.read('Travel.md')
    const page = await openEditor(team)
    await clickAfter(page, 'name: Travel')
    await page.keyboard.type('\nusgae: To Oslo # my note')
    await page.getByRole('button', { name: /error: .*usgae/u }).waitFor()
    expect(await page.locator('.cm-lintRange-error').allTextContents()).toEqual(['usgae'])
    const line = before.split('\n').findIndex((text) => text.startsWith('name:')) + 2
    expect(await page.getByRole('button', { name: /usgae/u }).textContent()).toContain(`${line}:1`)
    expect(await team.travel.read('Travel.md')).toBe(before)

    await page.getByRole('button', { name: /usgae/u }).click()
    for (let count = 0; count < 'usgae'.length; count += 1) await page.keyboard.press('Delete')
    await page.keyboard.type('usage')
    await page.getByText('No problems').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Save the card' })
    await dialog.getByText('usage: To Oslo # my note').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await team.travel.read('Travel.md')).toBe(
      before.replace('name: Travel', 'name: Travel\nusage: To Oslo # my note'),
    )
    expect(team.host.definition('Travel').usage).toBe('To Oslo')
    await page.getByRole('button', { name: /Replaced by an edit/u }).click()
    expect(await page.getByRole('region', { name: 'Changes since this version' }).textContent()).toContain(
      'usage: To Oslo # my note',
    )
  })

  it('completion offers keys and values of the schema, and the names of models and agents', async () => {
    const page = await openEditor(await serveTeam())
    await clickAfter(page, 'name: Travel')
    await page.keyboard.type('\nlim')
    const options = page.getByRole('option')
    await options.filter({ hasText: 'limits' }).waitFor()
    await acceptCompletion(page)
    await page.keyboard.type('\n  maxT')
    await options.filter({ hasText: 'maxTurns' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.type('urns: 3\nagents: [')
    await page.keyboard.type('Repo')
    await options.filter({ hasText: 'Reporter' }).waitFor()
    await acceptCompletion(page)
    expect(await page.getByRole('textbox', { name: 'Card', exact: true }).textContent()).toContain(
      'agents: [Reporter]',
    )
  })

  it('a card that was changed in the meantime is not overwritten before its changes are shown', async () => {
    const team = await serveTeam()
    const page = await openEditor(team, /status of 409/u)
    await clickAfter(page, 'name: Travel')
    await page.keyboard.type(' # mine')
    const other = (await team.travel.read('Travel.md')).replace('name: Travel', 'name: Travel\nversion: 7')
    await team.travel.write('Travel.md', other)
    await page.getByRole('button', { name: 'Save…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save the card' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('card_changed').waitFor()
    expect(await team.travel.read('Travel.md')).toBe(other)
    await dialog.getByRole('button', { name: 'Compare with the file' }).click()
    await dialog.getByText('version: 7').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await team.travel.read('Travel.md')).toContain('name: Travel # mine')
  })

  it('the last input runs again with the unsaved card, and both answers are shown', async () => {
    const team = await serveTeam()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ agent: 'Travel', q: 'A flight to Oslo.' })
    await fetch(`${team.url}/api/runs`, { method: 'POST', headers, body })
    await expect
      .poll(async () => (await fetch(`${team.url}/api/runs?agent=Travel&state=completed`)).json())
      .toMatchObject({ runs: [{ agent: 'Travel' }] })
    const page = await openEditor(team)
    await page.getByRole('button', { name: 'Run the last input again' }).click()
    await page.getByText('±0', { exact: true }).first().waitFor()
    for (const name of ['Last run', 'Trial'])
      expect(await page.getByRole('region', { name }).textContent()).toContain('LH-0412')
  })
})
