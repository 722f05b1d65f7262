import { verifies } from '@troupe/testkit/internal'
import { firefox } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FIREFOX, FIREFOX_NOTE } from './support/firefox.ts'
import { serveTeam } from './support/served-team.ts'

/** Time for a start of Firefox and three runs, in ms. */
const TIMEOUT_MS = 120_000

// playwright-core 1.65 sends a command that Firefox ESR 153 does not know, so the workspace uses 1.64.
describe.skipIf(FIREFOX === undefined)(`the page in Firefox${FIREFOX_NOTE}`, () => {
  it(
    `a message is answered, its run has a timeline, and a call is approved ${verifies('D51')}`,
    async () => {
      const { url } = await serveTeam()
      const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: FIREFOX ?? '' })
      onTestFinished(() => browser.close())
      const page = await browser.newPage()
      page.setDefaultTimeout(60_000)
      const problems: string[] = []
      page.on('pageerror', ({ message }) => problems.push(message))
      page.on('request', (request) => {
        if (!request.url().startsWith(url)) problems.push(`asked for ${request.url()}`)
      })

      await page.goto(`${url}/#/chat/Newsroom`)
      // In Firefox, playwright-core's `fill` changes the value without the event that the page listens to.
      await page.getByRole('textbox', { name: 'Message to Newsroom' }).pressSequentially('What happened?')
      await page.getByRole('button', { name: 'Send' }).click()
      const answer = page.getByRole('article').last()
      await answer.getByText('completed').first().waitFor()
      await answer.getByRole('link', { name: 'Timeline' }).click()
      const rows = page.getByRole('treeitem')
      await rows.nth(4).waitFor()
      expect(await rows.first().textContent()).toContain('Newsroom')

      await page.goto(`${url}/#/chat/Desk`)
      await page
        .getByRole('textbox', { name: 'Message to Desk' })
        .pressSequentially('Publish the morning edition.')
      await page.keyboard.press('Enter')
      await page.getByText('wants to call').last().waitFor()
      await page.getByRole('button', { name: 'Allow once' }).first().click()
      await page.getByText('Done. Published: The morning edition').first().waitFor()
      expect(problems).toEqual([])
    },
    TIMEOUT_MS,
  )
})
