import { createClient } from '@troupe/client'
import { defineAgent, defineTool, type ContentPart } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serveTeam } from './support/serve-team.ts'

const PARTS: readonly ContentPart[] = [
  { type: 'text', text: '<p>Hi</p><LINK rel=preconnect href=https://evil.example>', mediaType: 'text/html' },
  { type: 'data', base64: Buffer.from('%PDF-1.7').toString('base64'), mediaType: 'application/pdf' },
  { type: 'data', base64: 'AAEC', mediaType: 'text/html\r\nx: y' },
  { type: 'data', base64: 'AAEC', mediaType: 'image/png' },
  { type: 'text', text: 'plain' },
]

const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  input: z.object({}),
  execute: () => ({ outcome: 'completed', content: PARTS }),
})
const drawer = defineAgent({
  name: 'drawer',
  description: 'Draws.',
  instruction: 'Draw.',
  functionTools: [draw],
  model: 'test/drawer',
})

const TOKENS = [
  { token: 'token-of-ada-0001', principal: 'ada' },
  { token: 'token-of-ben-0001', principal: 'ben' },
]

async function serveContent() {
  const model = scriptedModel([{ calls: [{ tool: 'draw', args: {} }] }, { text: 'Done.' }])
  const { url } = await serveTeam({ cards: [drawer], models: { drawer: model }, tokens: TOKENS })
  const client = createClient({ url, token: 'token-of-ada-0001' })
  const { runId } = await client.run('drawer', 'Draw.')
  const { events } = await client.runs.events(runId)
  const seq = events.find(({ type }) => type === 'tool-result')?.seq ?? 0
  const get = (path: string, name = 'ada'): Promise<Response> =>
    fetch(`${url}/api/runs/${runId}/content/${path}`, { headers: { 'x-api-key': `token-of-${name}-0001` } })
  return { seq, get }
}

describe('content of tool results', () => {
  it('each part is returned with its type, and with a policy that lets it do nothing', async () => {
    const { seq, get } = await serveContent()
    const found = await Promise.all(PARTS.map((_, index) => get(`${seq}/${index}`)))
    const picture = found[3]
    expect(
      found.map(({ headers }) => [headers.get('content-type'), headers.get('content-disposition')]),
    ).toEqual([
      ['text/html; charset=utf-8', 'inline'],
      ['application/pdf', 'attachment'],
      ['application/octet-stream', 'attachment'],
      ['image/png', 'inline'],
      ['text/plain; charset=utf-8', 'inline'],
    ])
    for (const { headers } of found) {
      expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/u)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect(await picture?.bytes()).toEqual(new Uint8Array([0, 1, 2]))
  })

  it('a page has no links that would connect to another host', async () => {
    const { seq, get } = await serveContent()
    expect(await (await get(`${seq}/0`)).text()).toBe(
      '<p>Hi</p><x-link rel=preconnect href=https://evil.example>',
    )
  })

  it('the content of a run is returned only to those who may read the run, and other content is not found', async () => {
    const { seq, get } = await serveContent()
    const paths = [`${seq}/9`, `${seq + 1}/0`, `${seq}/x`, '0/0', '-1/0', `${'9'.repeat(20)}/0`]
    expect(await Promise.all(paths.map(async (path) => (await get(path)).status))).toEqual(
      paths.map(() => 404),
    )
    expect((await get(`${seq}/0`, 'ben')).status).toBe(404)
    expect((await get(`${seq}/0`, 'eve')).status).toBe(401)
  })
})
