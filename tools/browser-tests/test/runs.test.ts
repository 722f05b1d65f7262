import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveTeam, type ServedTeam } from './support/served-team.ts'

/** Completes a run before a page is opened. */
async function runAgent({ url }: ServedTeam, agent: string): Promise<string> {
  const answer = await fetch(`${url}/v1/${agent}?q=harbour`, { headers: { accept: 'application/json' } })
  const { runId } = (await answer.json()) as { readonly runId: string }
  return runId
}

const runNewsroom = (team: ServedTeam): Promise<string> => runAgent(team, 'Newsroom')

/** The place of an element that is not drawn. */
const NO_BOX = { x: 0, y: 0, width: 0, height: 0 }

function isInOrder(positions: readonly number[]): boolean {
  return positions.every((position, index) => position >= (positions[index - 1] ?? 0))
}

describe.skipIf(CHROMIUM === undefined)(`runs${CHROMIUM_NOTE}`, () => {
  it(`runs are stored with their trees, and each has an address ${verifies('C69', 'C87')}`, async () => {
    const team = await serveTeam()
    const runId = await runNewsroom(team)
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    const rows = page.getByRole('treeitem')
    await rows.nth(4).waitFor()
    expect(await rows.count()).toBe(5)
    await rows.nth(1).click()
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText('A ferry and two gulls.').waitFor()
    await details.getByRole('tab', { name: 'Usage' }).click()
    await details.getByText('Model calls').first().waitFor()
    await details.getByRole('tab', { name: 'JSON' }).click()
    await details.getByRole('button', { name: 'run-start' }).click()
    await details.getByText('"Reporter"').first().waitFor()
  })

  it('schedules are run, paused and resumed on the page of the agents', async () => {
    const team = await serveTeam()
    const page = await openPage(`${team.url}/#/agents`)
    await page.getByText('0 6 1 1 *').waitFor()
    await page.getByRole('button', { name: 'Pause new year' }).click()
    await page.getByText('paused').waitFor()
    await page.getByRole('button', { name: 'Resume new year' }).click()
    await page.getByText(/^next /u).waitFor()
    await page.getByRole('button', { name: 'Run now: new year' }).click()
    await page.getByRole('link', { name: 'open run' }).click()
    await page.getByRole('treeitem').first().waitFor()
    expect(await page.getByRole('treeitem').first().textContent()).toContain('Mirror')
  })

  it('runs can be browsed with the keyboard alone', async () => {
    const team = await serveTeam()
    const runId = await runNewsroom(team)
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    await page.getByRole('treeitem').first().focus()
    const selected = page.locator('[aria-selected=true][role=treeitem]')
    await page.keyboard.press('ArrowDown')
    expect(await selected.textContent()).toContain('Reporter[1]')
    await page.keyboard.press('ArrowLeft')
    expect(await page.getByRole('treeitem').count()).toBe(4)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await selected.textContent()).toContain('look_up')
    await page.keyboard.press('End')
    expect(await selected.getAttribute('aria-level')).toBe('3')
    await page.keyboard.press('Home')
    expect(await selected.textContent()).toContain('Newsroom')
  })

  it('the labels of the time axis do not overlap and do not reach beyond it, however narrow the timeline is', async () => {
    const { url, host } = await serveTeam()
    const runId = 'run_sleeping'
    const stop = new AbortController()
    const running = host.run('Sleeper', 'Sleep.', { runId, signal: stop.signal })
    const page = await openPage(`${url}/#/runs/${runId}`)
    await page.getByRole('treeitem').waitFor()
    const answer = await fetch(`${url}/api/runs/${runId}`)
    const { startedAt } = (await answer.json()) as { readonly startedAt: number }
    await page.clock.setFixedTime(startedAt + 600)
    await page.getByRole('treeitem').getByText('600 ms').first().waitFor({ state: 'attached' })
    // start and end of each label, without its padding, and the end of the column
    const edges = (): Promise<readonly number[]> =>
      page.evaluate(`(() => {
        const head = document.querySelector('[role=tree]')
        const labels = [...document.querySelectorAll('[data-axis] span')]
        const boxes = labels.map((label) => label.getBoundingClientRect())
        return [...boxes.flatMap(({ left, right }) => [left + 4, right]), head.getBoundingClientRect().right]
      })()`)
    for (const width of [1160, 1180, 1240, 1400, 1800]) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(async () => isInOrder(await edges())).toBe(true)
      expect((await edges()).length).toBeGreaterThanOrEqual(5)
    }
    stop.abort()
    await running
  })

  it('interrupted runs are shown with the command that resumes them, and as running once they are resumed', async () => {
    const team = await serveTeam()
    const runId = 'run_left'
    const stop = new AbortController()
    const running = team.host.run('Sleeper', 'Sleep.', { runId, resumable: true, signal: stop.signal })
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    const head = page.locator('main header')
    await page.getByText('thinking').waitFor()
    await head.getByText('running').waitFor()
    stop.abort()
    await running
    await head.getByText('interrupted').waitFor()
    await page.getByText(`troupe run --resume ${runId}`).waitFor()
    // the usage of the stopped call is in the last event
    await page.getByText('18 → 0 tokens').waitFor()
    expect(await page.getByText('thinking').count()).toBe(0)
    expect(await page.locator('.animate-spin').count()).toBe(0)
    const main = page.getByRole('main')
    const text = await main.innerText()
    await page.waitForTimeout(500)
    expect(await main.innerText()).toBe(text)
    const again = new AbortController()
    const resumed = team.host.resume(runId, { signal: again.signal })
    await head.getByText('running').waitFor()
    expect(await page.getByText('--resume').count()).toBe(0)
    again.abort()
    await resumed
    await head.getByText('cancelled').waitFor()
  })

  it('the filter of the list of runs survives a reload', async () => {
    const team = await serveTeam()
    await runNewsroom(team)
    await fetch(`${team.url}/v1/Reporter?q=ships`)
    const page = await openPage(`${team.url}/#/runs`)
    await page.getByRole('searchbox').fill('harbour')
    await page.getByLabel('State').selectOption('Answered')
    await page.reload()
    await page.getByRole('link', { name: 'Newsroom' }).waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('harbour')
    expect(await page.getByLabel('State').inputValue()).toBe('answered')
    expect(await page.getByRole('link', { name: 'Reporter' }).count()).toBe(0)
  })

  it('the filters of the list of runs take two lines on a phone, with large targets, and one line on a laptop', async () => {
    const team = await serveTeam()
    await runNewsroom(team)
    await runNewsroom(team)
    const page = await openPage(`${team.url}/#/runs`)
    await page.getByRole('row', { name: 'harbour' }).first().waitFor()
    const header = page.locator('header').filter({ has: page.getByRole('search') })
    const boxesOf = async (selector: string) => {
      const shown = await header.locator(selector).filter({ visible: true }).all()
      return Promise.all(shown.map(async (element) => (await element.boundingBox()) ?? NO_BOX))
    }
    // An element that begins below all elements above it is on a new line.
    const lines = async () => {
      const boxes = (await boxesOf('h1, input, select, button')).toSorted((a, b) => a.y - b.y)
      return boxes.filter(({ y }, index) =>
        boxes.slice(0, index).every((above) => above.y + above.height <= y),
      ).length
    }
    const smallest = async () =>
      Math.min(...(await boxesOf('input, select, button')).map(({ height }) => height))
    expect(await lines()).toBe(1)
    await page.setViewportSize({ width: 390, height: 844 })
    // The button that starts a comparison is beside the title.
    expect(await lines()).toBe(3)
    expect(await smallest()).toBeGreaterThanOrEqual(44)
    await page.getByRole('button', { name: 'Compare' }).click()
    expect(await lines()).toBe(3)
    expect(await smallest()).toBeGreaterThanOrEqual(44)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  it('runs are found by text and state', async () => {
    const team = await serveTeam()
    await runNewsroom(team)
    await fetch(`${team.url}/v1/Reporter?q=ships`)
    const page = await openPage(`${team.url}/#/runs`)
    await page.getByRole('link', { name: 'Reporter' }).waitFor()
    await page.getByRole('searchbox').fill('harbour')
    await page.getByRole('link', { name: 'Reporter' }).waitFor({ state: 'detached' })
    await page.getByLabel('State').selectOption('Open')
    await page.getByText('No matching runs').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    // the head, the day, and two runs
    expect(await page.getByRole('row').count()).toBe(4)
  })

  it('a run that has ended can be replayed to any moment', async () => {
    const team = await serveTeam()
    const runId = await runNewsroom(team)
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    await page.getByRole('button', { name: 'Replay' }).click()
    const bar = page.getByRole('region', { name: 'Replay' })
    await bar.getByRole('button', { name: 'Pause' }).click()
    const moment = bar.getByRole('slider', { name: 'Moment' })
    await moment.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(1)
    await page.keyboard.press('End')
    await page.getByRole('treeitem').nth(4).waitFor()
    await bar.getByRole('button', { name: 'End the replay' }).click()
    await bar.waitFor({ state: 'detached' })
  })

  it('a run that has ended can be stepped through event by event', async () => {
    const team = await serveTeam()
    const runId = await runNewsroom(team)
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    await page.getByRole('button', { name: 'Replay' }).click()
    const bar = page.getByRole('region', { name: 'Replay' })
    await bar.getByText('No model or tool is called').waitFor()
    await bar.getByRole('button', { name: 'Pause' }).click()
    await bar.getByRole('slider', { name: 'Moment' }).focus()
    await page.keyboard.press('Home')
    const back = bar.getByRole('button', { name: 'Previous event' })
    while (await back.isEnabled()) await back.click()
    await bar.getByText('Newsroom: run-start').waitFor()
    const next = bar.getByRole('button', { name: 'Next event' })
    const told: string[] = []
    for (; await next.isEnabled(); await next.click())
      told.push((await bar.locator('.font-mono').textContent()) ?? '')
    expect(told).toContain('Reporter[1]: tool-call look_up')
    expect(told).toContain('Archivist[2]: run-end')
    await bar.getByText('Newsroom: run-end').waitFor()
  })

  it('a run can be run again with the same input', async () => {
    const team = await serveTeam()
    const runId = await runNewsroom(team)
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((address) => !address.hash.endsWith(runId))
    await page.getByRole('treeitem').nth(4).waitFor()
    expect(await page.getByRole('treeitem').first().textContent()).toContain('Newsroom')
  })

  it('a run can be forked with another prompt, and the fork shows its first difference', async () => {
    const team = await serveTeam()
    const runId = await runAgent(team, 'Mirror')
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    await page.getByRole('button', { name: 'Fork' }).click()
    const prompt = page.getByRole('dialog').getByLabel('Prompt of Mirror')
    expect(await prompt.inputValue()).toBe('I am a mirror.')
    await prompt.fill('I am a window.')
    await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click()
    const origin = page.getByRole('region', { name: 'Origin' })
    await origin.getByText('Mirror: run-end, output.text').waitFor()
    expect(await origin.getByRole('definition').allTextContents()).toEqual([
      'I am a mirror.',
      'I am a window.',
    ])
    expect(team.host.definition('Mirror').instruction).toBe('I am a mirror.')
    await origin.getByRole('link', { name: /^run_/u }).click()
    await page.waitForURL((address) => address.hash.endsWith(runId))
    await origin.waitFor({ state: 'detached' })
  })

  it('a run can be forked from a turn of a child, and the fork keeps the steps before it', async () => {
    const team = await serveTeam()
    const runId = await runNewsroom(team)
    const page = await openPage(`${team.url}/#/runs/${runId}`)
    await page.getByRole('button', { name: 'Fork' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Continue live from').selectOption('Reporter[1], turn 2')
    await dialog.getByRole('button', { name: 'Fork' }).click()
    await page.waitForURL((address) => !address.hash.endsWith(runId))
    await page.locator('main header').or(page.locator('header')).getByText('completed').first().waitFor()
    expect(await page.getByRole('treeitem').count()).toBe(5)
  })
})
