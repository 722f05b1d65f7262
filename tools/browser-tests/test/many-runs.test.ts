import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveTeam, type ServedTeam } from './support/served-team.ts'

/** Runs an agent that answers at once, so many times. */
async function runOften({ host }: ServedTeam, count: number): Promise<void> {
  for (let run = 0; run < count; run += 1) await host.run('Mirror', 'small')
}

async function startPublishing({ url }: ServedTeam): Promise<void> {
  await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'Desk', q: 'Publish.' }),
  })
}

describe.skipIf(CHROMIUM === undefined)(`many runs${CHROMIUM_NOTE}`, () => {
  it('all open approvals are shown with the path of agents, in the badge and in the window title', async () => {
    const team = await serveTeam()
    for (let run = 0; run < 4; run += 1) await startPublishing(team)
    await runOften(team, 60)
    const page = await openPage(`${team.url}/#/approvals`)
    await expect.poll(() => page.getByRole('article').count()).toBe(4)
    expect(await page.getByRole('article').first().textContent()).toContain(
      'Desk › Publisher[1] wants to call publish',
    )
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Approvals' }).textContent()).toBe(
      'Approvals4 open',
    )
    await expect.poll(() => page.title()).toBe('(4) Approvals – Troupe')
    await page.getByRole('button', { name: 'Allow once' }).first().click()
    await expect.poll(() => page.title()).toBe('(3) Approvals – Troupe')
    await page.goto(`${team.url}/#/agents`)
    await expect.poll(() => page.title()).toBe('(3) Agents – Troupe')
  })

  it('the address of an old conversation opens it, and the next message continues it', async () => {
    const team = await serveTeam()
    for (const text of ['The first words', 'The second words'])
      await team.host.run('Mirror', text, { sessionId: 'oldest' })
    await runOften(team, 501)
    const page = await openPage(`${team.url}/#/chat/Mirror/oldest`)
    await page.getByRole('article').nth(1).waitFor()
    const messages = await page.getByRole('article').allTextContents()
    expect(messages.map((text) => text.slice(0, 16))).toEqual(['The first wordsM', 'The second words'])
    await page.getByRole('textbox', { name: 'Message to' }).fill('The third words')
    await page.keyboard.press('Enter')
    await page.getByRole('article').nth(2).getByText('completed').waitFor()
    await page.reload()
    await expect.poll(() => page.getByRole('article').count()).toBe(3)
  })

  it('a long conversation shows its last messages, and earlier ones on request', async () => {
    const team = await serveTeam()
    for (let message = 1; message <= 33; message += 1)
      await team.host.run('Mirror', `message ${message}.`, { sessionId: 'long' })
    const page = await openPage(`${team.url}/#/chat/Mirror/long`)
    await page.getByText('message 33.').first().waitFor()
    expect(await page.getByRole('article').count()).toBe(30)
    await page.getByRole('button', { name: 'Show earlier messages' }).click()
    await page.getByText('message 1.', { exact: true }).last().waitFor()
    expect(await page.getByRole('article').count()).toBe(33)
    expect(await page.getByRole('button', { name: 'Show earlier messages' }).count()).toBe(0)
  })

  it('an unknown conversation and an unknown run are reported as not found and not requested again', async () => {
    const team = await serveTeam()
    const { url } = team
    const page = await openPage(`${url}/#/chat/Mirror/nowhere`, {}, { mayTell: /404/u })
    await page.getByText('This conversation has no messages that you can see.').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${url}/#/runs/run_nowhere`)
    await page.getByRole('heading', { name: 'Run not found' }).waitFor()
    await startPublishing(team)
    await expect.poll(() => page.title()).toMatch(/^\(1\)/u)
    expect(asked.filter((one) => one.endsWith('/events'))).toHaveLength(1)
  })

  it('an old run is found by its text, and every run is reachable page by page', async () => {
    const team = await serveTeam()
    await team.host.run('Mirror', 'Survey the harbour')
    await runOften(team, 520)
    const page = await openPage(`${team.url}/#/runs`)
    const table = page.getByRole('table')
    const rowCount = async (): Promise<number> => Number(await table.getAttribute('aria-rowcount'))
    // the header, the heading of the day and the runs
    await expect.poll(rowCount).toBe(102)
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await page.getByRole('searchbox').fill('survey')
    await page.getByText('Survey the harbour').waitFor()
    await expect.poll(rowCount).toBe(3)
    await page.getByRole('searchbox').fill('no such words')
    await page.getByText('All of your runs were searched.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(rowCount).toBe(102)
    await page.getByRole('button', { name: 'Show older runs' }).press('Enter')
    await expect.poll(rowCount).toBeGreaterThan(200)
    await expect
      .poll(async () => {
        await page.getByRole('row').last().hover()
        await page.mouse.wheel(0, 4000)
        return rowCount()
      })
      .toBe(523)
    expect(await page.getByRole('button', { name: 'Show older runs' }).count()).toBe(0)
    await page.getByText('Survey the harbour').waitFor()
    await team.host.run('Mirror', 'The newest')
    await page.getByRole('button', { name: '1 new run' }).waitFor()
    expect(await page.getByText('Survey the harbour').isVisible()).toBe(true)
    await page.getByRole('button', { name: '1 new run' }).click()
    await page.getByText('The newest').waitFor()
    expect(await rowCount()).toBe(524)
  })
})
