import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveReports } from './support/report-team.ts'
import { serveTeam } from './support/served-team.ts'

describe.skipIf(CHROMIUM === undefined)(`evaluations${CHROMIUM_NOTE}`, () => {
  it('the history has a chart and all reports, and two of them are compared case by case', async () => {
    const { url } = await serveReports()
    const page = await openPage(`${url}/#/evals`)
    await page.getByText('Newsroom').first().waitFor()
    expect(await page.getByRole('link', { name: /\/40 passed/u }).count()).toBe(6)
    await page.getByRole('checkbox').first().check()
    await page.getByRole('checkbox').nth(1).check()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('worse').first().waitFor()
    const row = page.getByRole('button', { name: /harbour/u })
    expect(await row.textContent()).toContain('90 %')
    await row.click()
    await page.getByText('the answer is "Nothing happened."').first().waitFor()
    await page.getByRole('link', { name: 'Compare with the base' }).click()
    await page.getByText('rows differ').waitFor()
    expect(await page.getByRole('option').first().textContent()).toContain(
      'What happened in the old harbour?',
    )
  })

  it('a comparison gives a reason in place of a verdict if the cards of the base broke every run', async () => {
    const team = await serveReports()
    await team.saveBrokenReport()
    await team.saveReport(20)
    const page = await openPage(`${team.url}/#/evals`)
    await page.getByRole('checkbox').nth(1).check()
    await page.getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'Compare' }).click()
    const reason = page.getByText('every case failed with model_script_invalid')
    await reason.waitFor()
    expect(await reason.textContent()).toMatch(
      /^Not compared with the report of .*2026.*: there, every case/u,
    )
    expect(await page.getByText(/better|worse|not distinguishable/u).count()).toBe(0)
  })

  it('a repeat that failed is opened as a timeline', async () => {
    const { url } = await serveReports()
    const page = await openPage(`${url}/#/evals`)
    await page
      .getByRole('link', { name: /\/40 passed/u })
      .first()
      .click()
    await page.getByRole('button', { name: /harbour/u }).click()
    await page.getByRole('link', { name: 'Open run' }).click()
    await page.getByRole('treeitem').nth(4).waitFor()
    expect(await page.getByRole('treeitem').first().textContent()).toContain('Newsroom')
  })

  it('a new report appears without a reload of the page', async () => {
    const team = await serveReports()
    const page = await openPage(`${team.url}/#/evals`)
    const rates = page.getByRole('link', { name: /\/40 passed/u })
    await expect.poll(() => rates.count()).toBe(6)
    await team.saveReport(20)
    await expect.poll(() => rates.count(), { timeout: 30_000 }).toBe(7)
  })

  it('a server without reports says which command makes one', async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/evals`)
    await page.getByText('troupe eval team').waitFor()
    expect(await page.getByRole('table').count()).toBe(0)
  })
})
