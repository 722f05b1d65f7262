import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { serveClerk } from './support/clerk-team.ts'
import { openPage } from './support/open-page.ts'

/** Folder for a screenshot of each view, for review. */
const PICTURES = join(import.meta.dirname, '../pictures')

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

const WRITE = {
  tool: 'filesystem.write',
  args: {
    path: 'report.md',
    content: Array.from({ length: 60 }, (_, line) => `Line ${line + 1} of the report.`).join('\n'),
  },
}
const EDIT = {
  tool: 'filesystem.write',
  args: { path: 'notes.md', edits: [{ find: '# Notes\nold\nlast', replace: '# Notes\nnew\nmore\nlast' }] },
}
const RUN = {
  tool: 'shell.execute',
  args: { command: 'git', args: ['commit', '-m', 'Fix \u202Edoor'], cwd: '.' },
}

describe.skipIf(CHROMIUM === undefined)(`approvals${CHROMIUM_NOTE}`, () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      it(`approvals and decisions fit at ${width} pixels in the ${colorScheme} theme, with large buttons on touch`, async () => {
        const team = await serveClerk()
        await team.start([EDIT, RUN])
        await team.start([WRITE])
        const page = await openPage(`${team.url}/#/approvals`, {
          colorScheme,
          viewport: { width, height: width === 390 ? 844 : 800 },
          reducedMotion: 'reduce',
          hasTouch: width === 390,
          isMobile: width === 390,
        })
        await expect.poll(() => page.getByRole('article').count()).toBe(3)
        await page.screenshot({ path: join(PICTURES, `calls-${width}-${colorScheme}.png`), fullPage: true })
        expect(await page.evaluate('document.querySelector("main").scrollWidth')).toBeLessThanOrEqual(width)
        expect(await violationsOf(page)).toEqual([])
        const allow = page.getByRole('button', { name: 'Edit notes.md' })
        const { height = 0 } = (await allow.boundingBox()) ?? {}
        expect(height).toBeGreaterThanOrEqual(width === 390 ? 48 : 28)
        await page.getByRole('button', { name: 'Write report.md' }).scrollIntoViewIfNeeded()
        await page.screenshot({ path: join(PICTURES, `calls-end-${width}-${colorScheme}.png`) })
        await page.getByRole('button', { name: 'Deny' }).first().click()
        await page.getByRole('tab', { name: 'Decided' }).click()
        await page.getByText('local, on the page').waitFor()
        await page.getByRole('button', { name: /denied/u }).click()
        await page.screenshot({ path: join(PICTURES, `decided-${width}-${colorScheme}.png`) })
        expect(await violationsOf(page)).toEqual([])
      })

  it('a card shows a diff, a command line with visible direction marks, and a file with folded lines', async () => {
    const team = await serveClerk()
    await team.start([EDIT, RUN])
    await team.start([WRITE])
    const page = await openPage(`${team.url}/#/approvals`)
    await expect.poll(() => page.getByRole('article').count()).toBe(3)
    const edit = page.getByRole('article').filter({ hasText: 'notes.md' })
    await expect.poll(() => edit.locator('del').allTextContents()).toEqual(['old'])
    await expect.poll(() => edit.locator('ins').allTextContents()).toEqual(['new', 'more'])
    const run = page.getByRole('article', { name: 'shell.execute' })
    await expect.poll(() => run.textContent()).toContain("$git commit -m 'Fix \\u{202e}door'")
    await run.getByRole('button', { name: 'Show JSON' }).click()
    expect(await run.textContent()).toContain('"commit"')
    const write = page.getByRole('article').filter({ hasText: 'report.md' })
    expect(await write.getByText('Line 60 of the report.').count()).toBe(0)
    await write.getByRole('button', { name: 'Show 36 more lines' }).click()
    await write.getByText('Line 60 of the report.').waitFor()
    expect(await write.textContent()).toContain('For')
  })

  it('keys of the focused card allow and deny, and do nothing elsewhere or in the field of the reason', async () => {
    const team = await serveClerk()
    await team.start([EDIT])
    await team.start([WRITE])
    const page = await openPage(`${team.url}/#/approvals`)
    await expect.poll(() => page.getByRole('article').count()).toBe(2)
    await page.keyboard.press('a')
    await page.getByRole('article').first().focus()
    await page.keyboard.press('d')
    await page.keyboard.type('as')
    expect(await page.getByRole('article').count()).toBe(2)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('article').count()).toBe(1)
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('ARTICLE')
    await page.keyboard.press('a')
    await page.getByText('No open approvals').waitFor()
    await page.getByRole('tab', { name: 'Decided' }).click()
    await expect.poll(() => page.getByRole('listitem').count()).toBe(2)
    const rows = await page.getByRole('listitem').allTextContents()
    expect(rows[0]).toContain('allowedWrite report.md')
    expect(rows[1]).toMatch(/deniedEdit notes\.md.*as$/u)
  })

  it('a tool is allowed for good only after a second click', async () => {
    const team = await serveClerk()
    await team.start([RUN])
    const page = await openPage(`${team.url}/#/approvals`)
    await page.getByRole('button', { name: 'Always…' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByRole('article').count()).toBe(1)
    await page.getByRole('button', { name: 'Always…' }).click()
    await page.getByRole('button', { name: 'Always allow shell.execute' }).click()
    await page.getByRole('tab', { name: 'Decided' }).click()
    await page.getByText('· always').waitFor()
  })

  it('rows of the timeline and of the transcript wait for the user while the page can answer', async () => {
    const team = await serveClerk()
    const runId = await team.start([EDIT])
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    const waits = page.getByRole('img', { name: 'waits for you' })
    await expect.poll(() => page.getByRole('treeitem').filter({ has: waits }).count()).toBe(2)
    await page.getByRole('treeitem').first().click()
    await page.getByRole('region', { name: 'Details' }).getByRole('group').filter({ has: waits }).waitFor()
    await page.getByRole('button', { name: 'Edit notes.md' }).click()
    await expect.poll(() => waits.count()).toBe(0)
  })

  it('a new approval is announced once', async () => {
    const team = await serveClerk()
    const page = await openPage(`${team.url}/#/agents`)
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
    // Approvals of the first list are not announced.
    await page.waitForTimeout(1000)
    await team.start([WRITE])
    const alert = page.getByRole('alert').filter({ hasText: 'Clerk wants to call filesystem.write.' })
    await expect.poll(() => alert.count()).toBe(1)
    await page.waitForTimeout(500)
    expect(await alert.textContent()).toBe('Clerk wants to call filesystem.write.')
  })

  it('the holder of a link decides without a token, and loading the page does not use the link up', async () => {
    const tokens = [{ token: 'a-long-token-of-the-team', principal: 'local' }]
    const team = await serveClerk({ tokens })
    const headers = { authorization: 'Bearer a-long-token-of-the-team' }
    const runId = await team.start([WRITE], headers)
    const open = async (): Promise<readonly { readonly approvalId: string }[]> => {
      const response = await fetch(`${team.url}/api/approvals`, { headers })
      return ((await response.json()) as { approvals: readonly { readonly approvalId: string }[] }).approvals
    }
    await expect.poll(async () => (await open()).length).toBe(1)
    const [{ approvalId } = { approvalId: '' }] = await open()
    const path = `/api/runs/${runId}/approvals/${encodeURIComponent(approvalId)}/link`
    const create = (): Promise<Response> =>
      fetch(`${team.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ sentTo: 'Ada' }),
      })
    let response = await create()
    await expect.poll(async () => (response.ok ? 200 : (response = await create()).status)).toBe(200)
    const { url } = (await response.json()) as { readonly url: string }
    const page = await openPage(url, {}, { mayTell: /404 \(Not Found\)/u })
    await page.getByText('Line 1 of the report.', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Line 1 of the report.', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Always…' }).count()).toBe(0)
    expect(await violationsOf(page)).toEqual([])
    await page.screenshot({ path: join(PICTURES, 'decide-1280-light.png') })
    await page.getByRole('button', { name: 'Write report.md' }).click()
    await page.getByText('You allowed the call').waitFor()
    await page.reload()
    await page.getByText('This link is not valid. It was used, or it has expired.').waitFor()
  })

  it('the page can be installed as an app', async () => {
    const { url } = await serveClerk({ tokens: [{ token: 'a-long-token-of-the-team' }] })
    const page = await openPage(url, {}, { mayTell: /401 \(Unauthorized\)/u })
    const href = await page.locator('link[rel=manifest]').getAttribute('href')
    const address = new URL(href ?? '', `${url}/`)
    const answer = await fetch(address)
    expect(answer.headers.get('content-type')).toBe('application/manifest+json')
    const manifest = (await answer.json()) as {
      readonly display: string
      readonly start_url: string
      readonly icons: readonly { readonly src: string; readonly type: string }[]
    }
    expect(manifest.display).toBe('standalone')
    expect(new URL(manifest.start_url, address).href).toBe(`${url}/`)
    for (const { src, type } of manifest.icons)
      expect((await fetch(new URL(src, address))).headers.get('content-type')).toBe(type)
  })
})
