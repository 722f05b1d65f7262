import { defineAgent, type AgentTool } from '@troupe/schema'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { readdir, stat } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const CARD = `---
# who this is
name: Travel
description: Books journeys.
mode: tools
model: passthrough
exports:
  tools:
    # the first one
    - name: book_flight
      description: Books a flight.
      parameters:
        type: object
        properties:
          to: { type: string, minLength: 2 } # a city
        required: [to]
      prompt: Book a flight to {to}.
---
Book what the user asks for.
`

const HOTEL: AgentTool = {
  name: 'book_hotel',
  description: 'Books a hotel.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  prompt: 'Book a hotel in {city}.',
}

interface Travel extends ServedTeam {
  readonly project: TempProject
  readonly path: string
  send(path: string, body?: unknown, method?: string): Promise<Response>
}

async function serveTravel(
  card = CARD,
  options: Partial<Parameters<typeof serveTeam>[0]> = {},
): Promise<Travel> {
  const project = await tempProject({ 'Travel.md': card })
  onTestFinished(() => project.remove())
  const team = await serveTeam({ cards: [project.path], ...options })
  const path = `${team.url}/api/agents/Travel/tools`
  return {
    ...team,
    project,
    path,
    send: (below, body, method = 'POST') =>
      fetch(`${path}${below}`, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
  }
}

describe('exported tools', () => {
  it('GET /api/agents/:agent/tools returns the tools of the card', async () => {
    const { path, project } = await serveTravel()
    const answer = await fetch(path)
    expect(await answer.json()).toMatchObject({
      agent: 'Travel',
      file: `${project.path}/Travel.md`,
      tools: [{ name: 'book_flight', prompt: 'Book a flight to {to}.' }],
    })
  })

  it(`an edited tool is written to the card, and its comments and prose are kept ${verifies('D43')}`, async () => {
    const { send, project, host } = await serveTravel()
    const { mode } = await stat(`${project.path}/Travel.md`)
    const answer = await send('', { tool: HOTEL })
    expect(answer.status).toBe(201)
    const text = await project.read('Travel.md')
    for (const line of [
      '# who this is',
      '# the first one',
      '# a city',
      'Book what the user asks for.',
      'book_hotel',
    ])
      expect(text).toContain(line)
    expect(host.definition('Travel').exports.tools.map(({ name }) => name)).toEqual([
      'book_flight',
      'book_hotel',
    ])
    expect(await readdir(project.path)).toEqual(['Travel.md'])
    expect((await stat(`${project.path}/Travel.md`)).mode).toBe(mode)
  })

  it('exported tools can be replaced, renamed and deleted', async () => {
    const { send, host } = await serveTravel()
    expect((await send('/book_flight', { tool: HOTEL }, 'PUT')).status).toBe(200)
    expect(host.definition('Travel').exports.tools).toEqual([HOTEL])
    expect((await send('/book_hotel', undefined, 'DELETE')).status).toBe(200)
    expect(host.definition('Travel').exports.tools).toEqual([])
  })

  it('a tool is not changed if the card has changed since it was read', async () => {
    const { send, path, project } = await serveTravel()
    const { version } = (await (await fetch(path)).json()) as { readonly version: string }
    const edited = CARD.replace('Books journeys.', 'Books all journeys.')
    await project.write('Travel.md', edited)
    const answer = await send('', { tool: HOTEL, version })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ error: { code: 'card_changed' } })
    expect(await project.read('Travel.md')).toBe(edited)
  })

  it('a tool that no client could call is rejected, and the card is not changed', async () => {
    const { send, project } = await serveTravel()
    const refusals = await Promise.all(
      [
        { tool: { ...HOTEL, name: 'book_flight' } },
        { tool: { ...HOTEL, prompt: 'In {nowhere}.' } },
        { tool: { ...HOTEL, parameters: { type: 'object', properties: { city: { type: 'sting' } } } } },
        { tool: { ...HOTEL, description: ' ' } },
        { tool: { ...HOTEL, extra: true } },
        { tool: HOTEL, version: 'another' },
      ].map(async (body) => {
        const answer = await send('', body)
        const { error } = (await answer.json()) as { readonly error: { readonly code: string } }
        return [answer.status, error.code]
      }),
    )
    expect(refusals).toEqual([
      [409, 'tool_name_conflict'],
      [400, 'template_unknown_placeholder'],
      [400, 'tool_schema_invalid'],
      [400, 'request_invalid'],
      [400, 'request_invalid'],
      [409, 'card_changed'],
    ])
    expect((await send('/none', { tool: HOTEL }, 'PUT')).status).toBe(404)
    expect(await project.read('Travel.md')).toBe(CARD)
  })

  it('simultaneous edits of tools are written one after the other', async () => {
    const { send, host } = await serveTravel()
    const names = Array.from({ length: 5 }, (_, index) => `tool_${index}`)
    const answers = await Promise.all(names.map((name) => send('', { tool: { ...HOTEL, name } })))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(host.definition('Travel').exports.tools.map(({ name }) => name)).toEqual(['book_flight', ...names])
  })

  it('the tools of an agent defined in code are read-only', async () => {
    const inCode = defineAgent({
      name: 'Travel',
      description: 'x',
      instruction: 'x',
      model: 'passthrough',
      mode: 'tools',
    })
    const { url } = await serveTeam({ cards: [inCode] })
    const told = (await (await fetch(`${url}/api/agents/Travel/tools`)).json()) as {
      readonly readOnly: string
    }
    expect(told.readOnly).toContain('in code')
  })

  it('only the operator can read, edit and try exported tools, and get the template', async () => {
    const guest = await serveTravel(CARD, { tokens: [{ token: 'the-token-of-ada', principal: 'ada' }] })
    const headers = { 'content-type': 'application/json', authorization: 'Bearer the-token-of-ada' }
    const body = JSON.stringify({ args: { to: 'Oslo' } })
    const answers = await Promise.all([
      fetch(guest.path, { headers }),
      fetch(`${guest.url}/api/agents/Travel/template`, { headers }),
      fetch(guest.path, { headers, method: 'POST', body: JSON.stringify({ tool: HOTEL }) }),
      fetch(`${guest.path}/book_flight/preview`, { headers, method: 'POST', body }),
      fetch(`${guest.path}/book_flight/test`, { headers, method: 'POST', body }),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(403)
      const text = await answer.text()
      expect(text).toContain('"card_read_only"')
      expect(text).not.toContain(guest.project.path)
      expect(text).not.toContain('Book a flight')
    }
    expect(await guest.project.read('Travel.md')).toBe(CARD)
  })

  it('other principals get agents and tools without the paths of cards and the origins of variables', async () => {
    const card = `---
name: Travel
description: Books journeys.
model: openai/m
limits:
  timeout: 30
---
Book.
`
    const project = await tempProject({
      'Travel.md': card,
      'troupe.env': 'OPENAI_API_KEY=sk-key-of-acme-123\n',
    })
    onTestFinished(() => project.remove())
    const { url } = await serveTeam({
      cards: [project.path],
      tokens: [{ token: 'the-token-of-ada', principal: 'ada' }, { token: 'token-of-the-operator' }],
    })
    const agents = async (token: string): Promise<string> =>
      (await fetch(`${url}/api/agents`, { headers: { authorization: `Bearer ${token}` } })).text()
    expect(await agents('token-of-the-operator')).toContain(project.path)
    const shown = await agents('the-token-of-ada')
    expect(shown).toContain('"name":"Travel"')
    expect(shown).not.toContain(project.path)
  })
})

describe('trial of an exported tool', () => {
  it(`a preview shows the prompt with placeholders for missing values ${verifies('D46')}`, async () => {
    const { send } = await serveTravel()
    const answer = await send('/book_flight/preview', { args: {} })
    const told = (await answer.json()) as { readonly prompt: string; readonly problems: readonly string[] }
    expect(told.prompt).toBe('Book a flight to {to}.')
    expect(told.problems).toHaveLength(1)
  })

  it('a trial rejects invalid arguments, and valid ones start a run that can be watched', async () => {
    const { send, url } = await serveTravel()
    expect((await send('/book_flight/test', { args: { to: 'O' } })).status).toBe(400)
    expect((await send('/none/test', { args: {} })).status).toBe(404)
    const unconfigured = await send('/book_flight/test', { args: { to: 'Oslo' }, model: 'openai/any' })
    expect(await unconfigured.json()).toMatchObject({ error: { code: 'model_unknown' } })
    const answer = await send('/book_flight/test', { args: { to: 'Oslo' } })
    expect(answer.status).toBe(202)
    const { runId, prompt } = (await answer.json()) as { readonly runId: string; readonly prompt: string }
    expect(prompt).toBe('Book a flight to Oslo.')
    const events = await (
      await fetch(`${url}/api/runs/${runId}/events`, { headers: { accept: 'text/event-stream' } })
    ).text()
    expect(events).toContain('"outcome":"completed"')
  })
})

describe('card template', () => {
  it(`the template of an agent is its card with all keys filled in ${verifies('C71')}`, async () => {
    const { url } = await serveTravel()
    const { template } = (await (await fetch(`${url}/api/agents/Travel/template`)).json()) as {
      readonly template: string
    }
    expect(template).toContain('name: Travel # (card)')
    expect((await fetch(`${url}/api/agents/Nobody/template`)).status).toBe(404)
  })
})
