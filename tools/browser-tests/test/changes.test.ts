import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveTeam, type ServedTeam } from './support/served-team.ts'

/** Starts a run and returns its id. */
async function start({ url }: ServedTeam, agent: string, q: string): Promise<string> {
  const response = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent, q }),
  })
  return ((await response.json()) as { readonly runId: string }).runId
}

describe.skipIf(CHROMIUM === undefined)(`changes in the page${CHROMIUM_NOTE}`, () => {
  it('a ninth tab opens while eight tabs follow active runs', async () => {
    const team = await serveTeam()
    const runIds: string[] = []
    for (let tab = 0; tab < 8; tab += 1) runIds.push(await start(team, 'Sleeper', `Sleep ${tab}.`))
    const first = await openPage(`${team.url}/#/runs/${runIds[0]}`)
    const context = first.context()
    for (const runId of runIds.slice(1)) {
      const page = await context.newPage()
      await page.goto(`${team.url}/#/runs/${runId}`)
      await page.getByRole('treeitem').first().waitFor()
    }
    const ninth = await context.newPage()
    await ninth.goto(`${team.url}/#/runs`)
    await ninth.getByText('Sleep 7.').waitFor()
    expect(await ninth.getByText('Sleep 0.').count()).toBe(1)
    await ninth.reload()
    await ninth.getByText('Sleep 7.').waitFor()
    expect(await ninth.getByText('Sleep 0.').count()).toBe(1)
    for (const [index, page] of context.pages().slice(0, 8).entries()) {
      await fetch(`${team.url}/api/runs/${runIds[index]}/stop`, { method: 'POST' })
      await page.getByText('cancelled').first().waitFor()
    }
  })

  it('the list shows a run that starts and ends elsewhere, without asking for the list again', async () => {
    const team = await serveTeam()
    await team.host.run('Mirror', 'The first')
    const page = await openPage(`${team.url}/#/runs`)
    await page.getByText('The first').waitFor()
    expect(await page.getByText('The first').count()).toBe(1)
    // The list is loaded a second time when the stream of changes opens.
    await page.waitForTimeout(2000)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await team.host.run('Mirror', 'The second')
    await page.getByText('The second').waitFor()
    const runId = await start(team, 'Desk', 'Publish.')
    await page.getByRole('row', { name: 'Publish.' }).getByText('waits for you').waitFor()
    await page.getByRole('row', { name: 'Publish.' }).getByRole('link').click()
    await page.getByRole('treeitem').first().waitFor()
    expect(asked.filter((url) => url.includes('/api/runs?'))).toEqual([])
    await fetch(`${team.url}/api/runs/${runId}/stop`, { method: 'POST' })
    await page.getByText('cancelled').first().waitFor()
  })

  it('a browser without shared workers gets a stream of its own', async () => {
    const team = await serveTeam()
    const page = await openPage(`${team.url}/#/runs`)
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    await page.reload()
    await page.getByText('No runs yet').waitFor()
    await team.host.run('Mirror', 'The first')
    await page.getByText('The first').waitFor()
    expect(await page.getByText('The first').count()).toBe(1)
  })
})
