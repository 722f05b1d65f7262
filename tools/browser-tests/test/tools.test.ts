import { verifies } from '@troupe/testkit/internal'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { serveTeam } from './support/served-team.ts'

/** Adds a parameter and returns its fields. */
async function addParameter(page: Page, name: string, type: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add parameter' }).click()
  const fields = page.getByRole('group', { name: 'Parameter new parameter' })
  await fields.getByLabel('Type', { exact: true }).selectOption(type)
  await fields.getByLabel('Name').fill(name)
  return page.getByRole('group', { name: `Parameter ${name}` })
}

/** Fills in fields by their labels. */
async function write(fields: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await fields.getByLabel(label).fill(value)
}

/** Adds a parameter of each type, with all its options. */
async function addEveryType(page: Page): Promise<void> {
  const city = await addParameter(page, 'city', 'string')
  await city.getByLabel('Required').check()
  await write(city, { Description: 'Where to.', 'Allowed values': 'Oslo\nRome' })
  await city.getByLabel('Default').selectOption('Rome')
  await write(city, { 'Min length': '2', 'Max length': '40', Examples: 'Oslo' })
  const price = await addParameter(page, 'price', 'number')
  await write(price, { Minimum: '0.5', Maximum: '99.5', Default: '10.5' })
  const nights = await addParameter(page, 'nights', 'integer')
  await write(nights, { 'Allowed values': '1\n3\n7', Minimum: '1', Examples: '3' })
  const sea = await addParameter(page, 'sea_view', 'boolean')
  await sea.getByLabel('Description').fill('A room to the sea.')
  await sea.getByLabel('Default').selectOption('true')
  const floors = await addParameter(page, 'floors', 'array')
  await floors.getByLabel('Item type').selectOption('integer')
  await write(floors, { Minimum: '0', 'Max items': '4' })
  const guest = await addParameter(page, 'guest', 'object')
  await guest.getByRole('button', { name: 'Add property' }).click()
  await guest.getByRole('group').getByLabel('Type', { exact: true }).selectOption('object')
  await guest.getByRole('group').getByLabel('Name').fill('name')
  const name = guest.getByRole('group', { name: 'Parameter name' })
  await name.getByRole('button', { name: 'Add property' }).click()
  await name.getByRole('group').getByLabel('Name').fill('first')
  await name.getByRole('group').getByLabel('Required').check()
}

/** The resulting schema in the card. */
const EVERY_TYPE = {
  name: 'book_hotel',
  description: 'Books a hotel.',
  parameters: {
    type: 'object',
    properties: {
      city: {
        type: 'string',
        description: 'Where to.',
        enum: ['Oslo', 'Rome'],
        default: 'Rome',
        examples: ['Oslo'],
        minLength: 2,
        maxLength: 40,
      },
      price: { type: 'number', default: 10.5, minimum: 0.5, maximum: 99.5 },
      nights: { type: 'integer', enum: [1, 3, 7], examples: [3], minimum: 1 },
      sea_view: { type: 'boolean', description: 'A room to the sea.', default: true },
      floors: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 4 },
      guest: {
        type: 'object',
        properties: {
          name: { type: 'object', properties: { first: { type: 'string' } }, required: ['first'] },
        },
      },
    },
    required: ['city'],
  },
  prompt: 'A hotel in {city} for {guest.name.first}.',
}

describe.skipIf(CHROMIUM === undefined)(`tool editor${CHROMIUM_NOTE}`, () => {
  it(`the tool editor lists the tools of agents in tools mode, to add, edit, delete and test ${verifies('D36', 'D37')}`, async () => {
    const { url, travel } = await serveTeam()
    const page = await openPage(`${url}/#/tools`)
    await page.getByRole('link', { name: 'wait_long' }).waitFor()
    expect(await page.getByLabel('Agent').locator('option').allTextContents()).toEqual(['Waiter', 'Travel'])
    await page.getByLabel('Agent').selectOption('Travel')
    await page.getByRole('link', { name: 'book_flight' }).waitFor()
    for (const name of ['Test book_flight', 'Edit book_flight', 'Delete book_flight'])
      expect(await page.getByRole('button', { name }).count()).toBe(1)
    await page.getByRole('button', { name: 'Delete book_flight' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Travel does not export any tools yet').waitFor()
    expect(await travel.read('Travel.md')).not.toContain('book_flight')
  })

  it(`the tool editor writes a tool with every type of parameter into the card and keeps its comments ${verifies('D5', 'D38', 'D39', 'D40', 'D41', 'D43', 'D55')}`, async () => {
    const { url, host, travel } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Travel`)
    await page.getByRole('link', { name: 'Add a tool' }).click()
    await page.getByLabel('Name').fill('book_hotel')
    await page.getByLabel('Description').fill('Books a hotel.')
    await addEveryType(page)
    await page.getByLabel('Prompt template').fill('A hotel in {city} for {guest.name.first}.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'book_hotel' }).waitFor()

    const tool = host.definition('Travel').exports.tools.find(({ name }) => name === 'book_hotel')
    expect(tool).toEqual(EVERY_TYPE)
    const card = await travel.read('Travel.md')
    for (const comment of ['# who this is', '# the first one that we offered', '# most people like it'])
      expect(card).toContain(comment)
    expect(card).toContain('Book what the user asks for, and answer with the number of the ticket.')
    expect(card).toContain('name: book_hotel')

    await page.reload()
    await page.getByRole('link', { name: 'book_hotel' }).click()
    expect(await page.getByLabel('Prompt template').inputValue()).toBe(EVERY_TYPE.prompt)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Test book_hotel' }).click()
    expect(await travel.read('Travel.md')).toBe(card)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('city').selectOption('Oslo')
    await dialog.getByLabel('nights').selectOption('3')
    await dialog.getByLabel('sea_view').selectOption('false')
    await dialog.getByRole('button', { name: 'Add to floors' }).click()
    await dialog.getByRole('textbox', { name: 'floors 1' }).fill('2')
    await dialog.getByRole('group', { name: 'guest' }).getByLabel('first').fill('Ada')
    await dialog.getByText('A hotel in Oslo for Ada.').waitFor()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('article').getByText('Your ticket is LH-0412').waitFor()
  })

  it(`the tool editor reports unknown placeholders immediately, and does not save an incomplete tool ${verifies('D42')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Travel/book_flight`)
    await page.getByLabel('Prompt template').fill('To {destnation}')
    await page.getByText('{destnation} is not a parameter').waitFor()
    await page
      .getByRole('button', { name: 'Insert {destination}', exact: false })
      .or(page.getByRole('button', { name: '{destination}' }))
      .first()
      .click()
    expect(await page.getByLabel('Prompt template').inputValue()).toBe('To {destnation}{destination}')
    await page.getByLabel('Description').first().fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2 problems prevent the tool from being saved.').waitFor()
    expect(await page.getByLabel('Prompt template').getAttribute('aria-invalid')).toBe('true')
  })
})

describe.skipIf(CHROMIUM === undefined)(`tool test${CHROMIUM_NOTE}`, () => {
  it(`a tool test starts with the model that is chosen for it ${verifies('D48')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Travel`)
    await page.getByRole('button', { name: 'Test book_flight' }).click()
    await page.getByLabel('destination').fill('Oslo')
    await page.getByLabel('departure_date').fill('2026-12-01')
    await page.getByLabel('Model', { exact: true }).selectOption('brief')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('article').getByText('Nothing new.').waitFor()
    await page.getByRole('article').getByRole('link', { name: 'Timeline' }).waitFor()
    expect(await page.getByRole('article').textContent()).toContain('script/brief.script.yaml')
  })

  it(`a tool test has a form for the schema with a preview that follows the input ${verifies('D44', 'D45', 'D46')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Travel`)
    await page.getByRole('button', { name: 'Test book_flight' }).click()
    const dialog = page.getByRole('dialog')
    const preview = dialog.getByRole('region', { name: 'Preview' }).locator('pre')
    expect(await preview.textContent()).toBe(
      'The user wants to book a flight to {destination} on {departure_date}, window seat.',
    )
    expect(
      await page.evaluate(
        `getComputedStyle(document.querySelector('section[aria-label="Preview"] pre')).fontFamily`,
      ),
    ).toMatch(/mono/iu)
    expect(await dialog.getByText('required', { exact: true }).count()).toBe(2)
    expect(await dialog.getByText('optional', { exact: true }).count()).toBe(1)
    await dialog.getByLabel('destination').fill('Oslo')
    await dialog.getByLabel('seat').selectOption('aisle')
    expect(await preview.textContent()).toBe(
      'The user wants to book a flight to Oslo on {departure_date}, aisle seat.',
    )
    await dialog.getByRole('button', { name: 'Run' }).click()
    await dialog.getByText('This is required.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it(`a tool test runs in a read-only chat with its calls, its answer and its statistics ${verifies('D47', 'D48', 'D49', 'D50', 'D54')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Travel`)
    await page.getByRole('button', { name: 'Test book_flight' }).click()
    await page.getByLabel('destination').fill('Oslo')
    await page.getByLabel('departure_date').fill('2026-12-01')
    await page.evaluate(
      `addEventListener('create-test-chat-tab', ({ detail }) => { window.opened = detail })`,
    )
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('read-only').waitFor()
    expect(await page.evaluate('window.opened')).toMatchObject({
      initialMessage: 'The user wants to book a flight to Oslo on 2026-12-01, window seat.',
      readOnly: true,
    })
    await page
      .getByRole('article')
      .getByText('The user wants to book a flight to Oslo on 2026-12-01')
      .waitFor()
    await page.getByRole('article').getByText('Your ticket is LH-0412').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('combobox').count()).toBe(0)
    await page.getByRole('treeitem', { name: 'look_up' }).waitFor()
    await page.getByRole('article').getByText('Reporter[1]', { exact: true }).click()
    await page.getByRole('article').getByText('A ferry and two gulls.').waitFor()
    await page.getByRole('tab', { name: 'Stats' }).click()
    await page.getByText('Tool calls').waitFor()
    const stats = page.getByRole('tabpanel', { name: 'Stats' })
    expect(await stats.textContent()).toMatch(/Modelscript\/team\.script\.yaml.*Tokens in.*Cost/u)
    await page.getByRole('tab', { name: 'Context' }).click()
    await page.getByText('not available; tools that require approval are not offered').waitFor()
  })

  it(`a tool test shows its activity while it runs ${verifies('D49')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Waiter`)
    await page.getByRole('button', { name: 'Test wait_long' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
    await page.getByText('read-only').waitFor()
    const status = page.getByRole('status')
    await status.getByText('Working').waitFor()
    expect(await status.count()).toBe(1)
  })

  it(`a tool test shows its prompt before the server has sent any event ${verifies('D49')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Waiter`)
    await page.getByRole('button', { name: 'Test wait_long' }).click()
    // leave the request without an answer until the page is closed
    await page.route(/\/api\/runs\//u, () => undefined)
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
    await page.getByText('read-only').waitFor()
    const [prompt] = await page.getByRole('article').locator('p').allTextContents()
    expect(prompt).toBe('Wait.')
  })

  it(`a tool test scrolls with new content ${verifies('D49')}`, async () => {
    const { url } = await serveTeam()
    const page = await openPage(`${url}/#/tools/Travel`, { viewport: { width: 1280, height: 260 } })
    await page.getByRole('button', { name: 'Test book_flight' }).click()
    await page.getByLabel('destination').fill('Oslo')
    await page.getByLabel('departure_date').fill('2026-12-01')
    await page.getByRole('button', { name: 'Run' }).click()
    const timeline = page.getByRole('article').getByRole('link', { name: 'Timeline' })
    await timeline.waitFor()
    await expect
      .poll(async () => (await timeline.boundingBox())?.y ?? Number.POSITIVE_INFINITY)
      .toBeLessThan(260)
  })
})
