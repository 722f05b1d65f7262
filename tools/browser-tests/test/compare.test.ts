import { randomUUID } from 'node:crypto'
import { createHost, type Host } from '@troupe/host'
import { defineAgent, defineTool, messageText, type Clock, type Message } from '@troupe/schema'
import { createServer } from '@troupe/server'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

const look = defineTool({
  name: 'look',
  description: 'Looks at a place.',
  input: z.object({ place: z.string() }),
  effect: 'read',
  execute: ({ place }) =>
    `${place}: ${place.includes('market') ? 'eleven stalls, all of them open' : 'nothing new'}.`,
})

/** Number of calls in each turn of the surveyor. */
const CALLS_PER_TURN = 30

/** Looks at as many places as the message says, such as `1200 north`. */
function survey(prompt: readonly Message[]): ScriptedStep {
  const [count = '0', side = ''] = messageText(prompt.find(({ role }) => role === 'user') as Message).split(
    ' ',
  )
  const turns = prompt.filter(({ role }) => role === 'assistant').length
  const places = Array.from({ length: CALLS_PER_TURN }, (_, index) => turns * CALLS_PER_TURN + index)
  if (turns * CALLS_PER_TURN >= Number(count)) return { text: `Surveyed the ${side}.` }
  return {
    calls: places.map((place) => ({
      tool: 'look',
      args: { place: place % 400 === 7 ? `place ${place} of the ${side}` : `place ${place}` },
    })),
  }
}

/** Asks two scouts, and in the evening a third one. */
function lead(prompt: readonly Message[]): ScriptedStep {
  const input = messageText(prompt.find(({ role }) => role === 'user') as Message)
  if (prompt.some(({ role }) => role === 'tool'))
    return {
      text: input.includes('evening')
        ? 'The harbour is quiet and the market is full of people.'
        : 'The harbour is quiet and the market is empty.',
    }
  const places = input.includes('evening')
    ? ['the harbour', 'the old market', 'the station']
    : ['the harbour', 'the old bridge']
  return { calls: places.map((text) => ({ tool: 'agent__Scout', args: { text: `Look at ${text}.` } })) }
}

function scout(prompt: readonly Message[]): ScriptedStep {
  const input = messageText(prompt.find(({ role }) => role === 'user') as Message)
  const result = prompt.find(({ role }) => role === 'tool')
  if (result === undefined) return { calls: [{ tool: 'look', args: { place: input.slice(8, -1) } }] }
  return { text: `I looked at ${input.slice(8)}` }
}

async function serveSurvey(): Promise<{ readonly url: string; readonly host: Host }> {
  const agent = (name: string, more: object): ReturnType<typeof defineAgent> =>
    defineAgent({ name, description: name, instruction: `You are ${name}.`, model: `test/${name}`, ...more })
  const store = createMemoryStore({ clock: CLOCK })
  const host = await createHost({
    cards: [
      agent('Lead', { agents: ['Scout'], default: true }),
      agent('Scout', {}),
      agent('Surveyor', { limits: { maxTurns: 100 } }),
    ],
    tools: { Scout: [look], Surveyor: [look] },
    models: {
      'test/Lead': scriptedModel(lead),
      'test/Scout': scriptedModel(scout),
      'test/Surveyor': scriptedModel(survey),
    },
    config: false,
    cwd: import.meta.dirname,
    store,
  })
  const server = await createServer({
    host,
    store,
    port: 0,
    clock: CLOCK,
    newId: randomUUID,
    page: inject('page'),
  })
  onTestFinished(async () => {
    await server.close()
    await host.close()
  })
  return { url: server.url, host }
}

describe.skipIf(CHROMIUM === undefined)(`comparison of two runs${CHROMIUM_NOTE}`, () => {
  it('two runs of the list are compared call by call, with keys for the differences', async () => {
    const { url, host } = await serveSurvey()
    await host.run('Lead', 'What is new in the morning?', { runId: 'run_morning' })
    await host.run('Lead', 'What is new in the evening?', { runId: 'run_evening' })
    const page = await openPage(`${url}/#/runs`)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('checkbox').first().check()
    await page.getByRole('checkbox').nth(1).check()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('5 rows differ').waitFor()
    expect(page.url()).toContain('#/compare/run_morning/run_evening')
    const rows = page.getByRole('option')
    await expect.poll(() => rows.count()).toBe(7)
    await page.keyboard.press('n')
    const selected = page.locator('[role=option][aria-selected=true]')
    expect(await selected.textContent()).toContain('the old bridge')
    const details = page.getByRole('region', { name: 'Details' })
    await expect.poll(() => details.locator('del').first().textContent()).toContain('bridge')
    await expect.poll(() => details.locator('ins').first().textContent()).toContain('market')
    await page.keyboard.press('p')
    expect(await selected.textContent()).toContain('What is new in the morning?')
    await page.getByRole('button', { name: 'Only differences' }).click()
    await expect.poll(() => rows.count()).toBe(5)
  })

  it('only the visible rows of 1,200 calls are rendered, and the next difference is scrolled into view', async () => {
    const { url, host } = await serveSurvey()
    await host.run('Surveyor', '1200 north', { runId: 'run_north' })
    await host.run('Surveyor', '1200 south', { runId: 'run_south' })
    const page = await openPage(`${url}/#/compare/run_north/run_south`)
    await page.getByText('4 rows differ').waitFor()
    expect(await page.getByRole('option').count()).toBeLessThan(60)
    const selected = page.locator('[role=option][aria-selected=true]')
    for (const place of [7, 407, 807]) {
      await page.keyboard.press('n')
      await expect.poll(() => selected.textContent()).toContain(`place ${place} of the north`)
      expect(await selected.isVisible()).toBe(true)
    }
    await page.getByRole('button', { name: 'Only differences' }).click()
    expect(await page.getByRole('option').count()).toBe(4)
  })

  it('a retry is compared with the run that it repeats, and an unknown run is reported', async () => {
    const { url, host } = await serveSurvey()
    await host.run('Lead', 'What is new in the morning?', { runId: 'run_first' })
    const answer = await fetch(`${url}/api/runs/run_first/retry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const { runId } = (await answer.json()) as { readonly runId: string }
    const page = await openPage(`${url}/#/runs/${runId}`, {}, { mayTell: /404/u })
    await page.getByRole('button', { name: 'Compare with…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('origin').waitFor()
    await dialog.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('0 rows differ').waitFor()
    await page.getByRole('button', { name: 'Only differences' }).click()
    await page.getByText('No differences').waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
    await page.goto(`${url}/#/compare/run_first/run_missing`)
    await page.getByText('The server has no run run_missing').waitFor()
  })
})
