import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { goToPlace, placesOf } from './support/places.ts'
import { serveReports } from './support/report-team.ts'
import { SECRET, serveTeam } from './support/served-team.ts'

/** Folder for a screenshot of each view, for review. */
const { SCREENSHOTS } = process.env
/** True to visit all views at all widths in both themes; else a sample is visited in which each is visited twice. */
const IS_ALL = process.env['EVERYWHERE'] === 'all'

/** Heights of the windows by their widths: a phone, a tablet, a laptop and a desktop screen. */
const HEIGHTS = { 390: 844, 820: 1180, 1280: 800, 1920: 1080 } as const
const WIDTHS = [390, 820, 1280, 1920] as const
const THEMES = ['light', 'dark'] as const
const WINDOWS = THEMES.flatMap((colorScheme) => WIDTHS.map((width) => ({ colorScheme, width })))

/** Time for the views of one width and theme, in ms. */
const TIMEOUT_MS = IS_ALL ? 600_000 : 180_000

/** The largest sum of layout shifts of a view. */
const MAX_SHIFT = 0.01
/** Adds up the layout shifts that follow no input of a person, as the metric Cumulative Layout Shift does, and names what moved. */
const RECORD_SHIFTS = `
  globalThis.shifts = { sum: 0, moved: [] }
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      shifts.sum += value
      for (const { node } of sources) shifts.moved.push((node?.ariaLabel ?? node?.textContent ?? '').slice(0, 40))
    }
  }).observe({ type: 'layout-shift', buffered: true })
`

/** Returns what moved by itself if it can be noticed. */
async function shiftsOf(page: Page): Promise<readonly string[]> {
  // The layout is shifted before the entry of the shift is delivered.
  await page.waitForTimeout(SETTLE_MS)
  const { sum, moved } = await page.evaluate<{ sum: number; moved: readonly string[] }>('shifts')
  return sum > MAX_SHIFT ? [`shifts its layout by ${sum.toFixed(3)}: ${moved.join(' | ')}`] : []
}

/** Time in which a view loads the rest of its contents, in ms. */
const SETTLE_MS = 150

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

/** Returns the violations that axe finds, as `rule: selector`. axe is injected past the page's policy, as by developer tools. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Returns the label or the text of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate(
    '(({activeElement: e}) => (e.ariaLabel ?? e.labels?.[0]?.firstElementChild?.textContent ?? e.textContent).trim())(document)',
  )
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await focused(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not lead to ${name}.`)
}

describe.skipIf(CHROMIUM === undefined)(`every view of the page${CHROMIUM_NOTE}`, () => {
  for (const [turn, { colorScheme, width }] of WINDOWS.entries())
    it(
      `every view fits at ${width} pixels in the ${colorScheme} theme, stays in its place, passes the axe checks and shows no value of a variable ${verifies('D51')}`,
      async () => {
        const team = await serveReports()
        const viewport = { width, height: HEIGHTS[width] }
        // The browser logs responses with an error status, as that of the run that does not exist.
        const page = await openPage(
          team.url,
          { colorScheme, viewport, reducedMotion: 'reduce' },
          { mayTell: /404 \(Not Found\)/u },
        )
        await page.addInitScript(RECORD_SHIFTS)
        if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true })
        const places = await placesOf(team)
        expect(places.length).toBeGreaterThanOrEqual(30)
        const problems: string[] = []
        for (const [index, place] of places.entries()) {
          if (!IS_ALL && (index + turn) % (WINDOWS.length / 2) !== 0) continue
          await goToPlace(page, team.url, place)
          const found = [...(await shiftsOf(page)), ...(await violationsOf(page))]
          if (SCREENSHOTS !== undefined)
            await page.screenshot({ path: join(SCREENSHOTS, `${place.name}-${width}-${colorScheme}.png`) })
          const drawn = await page.evaluate<number>(
            'Math.max(document.documentElement.scrollWidth, document.querySelector("main").scrollWidth)',
          )
          if (drawn > width) found.push(`is ${drawn} pixels wide`)
          if ((await page.content()).includes(SECRET)) found.push('shows a secret')
          problems.push(...found.map((problem) => `${place.name} ${problem}`))
        }
        expect(problems).toEqual([])
      },
      TIMEOUT_MS,
    )

  it(`the page follows the theme of the system until the user chooses one, which is remembered ${verifies('D51')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/runs`, { colorScheme: 'dark' })
    const paper = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await paper()
    await page.getByRole('button', { name: 'Theme: system' }).click()
    const light = await paper()
    expect(light).not.toBe(dark)
    await page.reload()
    expect(await paper()).toBe(light)
    await page.getByRole('button', { name: 'Theme: light. Switch to dark' }).click()
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await paper()).toBe(dark)
    await page.getByRole('button', { name: 'Theme: dark. Switch to system' }).click()
    expect(await paper()).toBe(light)
  })

  it('the page shows the names of the variables that agents need', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/agents/Archivist`)
    await page.getByText('from process').waitFor()
    expect(await page.getByText('ARCHIVE_KEY', { exact: true }).count()).toBeGreaterThan(0)
  })

  it('every view can be reached and used without a mouse', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/runs`)
    await page.getByText('No runs yet').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    for (const name of ['Troupe', 'Chat']) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe(name)
    }
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Message to Newsroom' }).waitFor()
    await page.keyboard.type('What happened?')
    await page.keyboard.press('Enter')
    await page.getByText('completed').first().waitFor()
  })

  it('calls can be approved and tools tested without a mouse', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/chat/Desk`)
    await page.getByRole('textbox', { name: 'Message to Desk' }).waitFor()
    await page.keyboard.type('Publish the morning edition.')
    await page.keyboard.press('Enter')
    await page.getByText('wants to call').last().waitFor()
    await tabTo(page, 'Allow once')
    await page.keyboard.press('Enter')
    await page.getByText('Done. Published: The morning edition').first().waitFor()

    await page.goto(`${url}/#/tools/Travel`)
    await page.getByRole('link', { name: 'book_flight' }).waitFor()
    await tabTo(page, 'Test book_flight')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Test book_flight')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await expect.poll(async () => dialog.evaluate((element) => element.matches(':focus-within'))).toBe(true)
    await tabTo(page, 'destination')
    await page.keyboard.type('Oslo')
    await page.keyboard.press('Tab')
    await page.keyboard.type('2026-12-01')
    expect(await dialog.getByLabel('destination').inputValue()).toBe('Oslo')
    await tabTo(page, 'Run')
    await page.keyboard.press('Enter')
    await page.getByText('Your ticket is LH-0412').first().waitFor()
  })

  it('the page asks for a token if the server requires one, and hides it from scripts', async () => {
    const { url } = await serveTeam({ tokens: [{ token: 'a-token-for-the-team' }] })
    // the browser logs answers with an error status
    const page = await openPage(url, {}, { mayTell: /401 \(Unauthorized\)/u })
    await page.getByLabel('Token').fill('another-one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('The token is not valid.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByLabel('Token').fill('a-token-for-the-team')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Message to Newsroom' }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
  })
})
