import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createHost } from '@troupe/host'
import { defineAgent, defineTool } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { CLOCK, serveHost } from './support/served-team.ts'

/** Folder for a screenshot of each view, for review. */
const PICTURES = join(import.meta.dirname, '../pictures')

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

const ROOMS = [
  { const: 'std', title: 'Standard room' },
  { const: 'sea', title: 'Room with a view of the sea' },
]
const EXTRAS = [
  { const: 'brk', title: 'Breakfast' },
  { const: 'pkg', title: 'Parking' },
  { const: 'pet', title: 'A dog comes along' },
]

/** The kinds of choices that servers of MCP ask for. */
const FORM = {
  type: 'object',
  properties: {
    room: { type: 'string', oneOf: ROOMS, description: 'The room of the first night.' },
    board: { type: 'string', enum: ['hb', 'fb'], enumNames: ['Half board', 'Full board'], default: 'hb' },
    extras: { type: 'array', items: { anyOf: EXTRAS }, minItems: 1, maxItems: 2 },
    days: { type: 'array', items: { type: 'string', enum: ['Friday', 'Saturday'] } },
  },
  required: ['room', 'extras'],
} as const

/** Serves an agent whose tool asks with a form. */
async function serveHotel(): Promise<{ readonly url: string; answers(): readonly unknown[] }> {
  const answers: unknown[] = []
  const book = defineTool({
    name: 'book',
    description: 'Finds a room.',
    input: z.object({}),
    // The page can answer only questions of tools that may be called again.
    effect: 'read',
    execute: async (_input, context) => {
      const answer = await context.ask({ question: 'Which room do you want?', form: FORM })
      if (answer.answered) answers.push(answer.values)
      return 'Booked.'
    },
  })
  const store = createMemoryStore({ clock: CLOCK })
  const host = await createHost({
    cards: [defineAgent({ name: 'Hotel', description: 'Books.', instruction: 'Book.', model: 'test/hotel' })],
    config: false,
    cwd: import.meta.dirname,
    store,
    tools: { Hotel: [book] },
    models: {
      'test/hotel': scriptedModel([{ calls: [{ tool: 'book', args: {} }] }, { text: 'Good night.' }]),
    },
  })
  const { url } = await serveHost({ host, store })
  return { url, answers: () => answers }
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

describe.skipIf(CHROMIUM === undefined)(`form with choices${CHROMIUM_NOTE}`, () => {
  for (const [width, colorScheme] of [
    [390, 'light'],
    [1280, 'dark'],
  ] as const)
    it(`a form shows the titles of its choices and answers with their values, at ${width} pixels in the ${colorScheme} theme`, async () => {
      const { url, answers } = await serveHotel()
      const page = await openPage(`${url}/#/chat/Hotel`, {
        colorScheme,
        viewport: { width, height: 844 },
        reducedMotion: 'reduce',
        hasTouch: width === 390,
        isMobile: width === 390,
      })
      await page.getByRole('textbox', { name: 'Message to' }).fill('A room.')
      await page.getByRole('button', { name: 'Send' }).click()
      const card = page.getByRole('region', { name: 'Approvals' })
      await card.getByRole('button', { name: 'Answer', exact: true }).click()
      await card.getByText('This is required.').first().waitFor()
      await card.getByLabel('room').selectOption('Room with a view of the sea')
      await card.getByText('default: Half board').waitFor({ state: 'attached' })
      await card.getByRole('checkbox', { name: 'A dog comes along' }).check()
      await card.getByRole('checkbox', { name: 'Breakfast' }).check()
      await card.getByRole('checkbox', { name: 'Saturday' }).check()
      expect(await violationsOf(page)).toEqual([])
      const { height = 0 } = (await card.getByText('Breakfast').locator('..').boundingBox()) ?? {}
      expect(height).toBeGreaterThanOrEqual(width === 390 ? 44 : 28)
      await card.screenshot({ path: join(PICTURES, `form-${width}-${colorScheme}.png`) })
      await card.getByRole('button', { name: 'Answer', exact: true }).click()
      await expect.poll(answers).toEqual([{ room: 'sea', extras: ['brk', 'pet'], days: ['Saturday'] }])
    })
})
