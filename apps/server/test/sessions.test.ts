import { ApiError, createClient, type TroupeClient } from '@troupe/client'
import { defineAgent, messageText } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import type { ServerToken } from '../src/index.ts'
import { slowAgent } from './support/slow-agent.ts'
import { PARROT, serveTeam, type TeamToServe } from './support/serve-team.ts'

const TOKENS: readonly ServerToken[] = [
  { token: 'token-of-ben-0001', principal: 'ben' },
  { token: 'token-of-vic-0001', principal: 'ben', role: 'viewer' },
  { token: 'token-of-eve-0001', principal: 'eve', role: 'operator' },
]

async function serveToAll(team: Partial<TeamToServe> = {}) {
  const served = await serveTeam({ cards: [PARROT], tokens: TOKENS, ...team })
  const as = (name: string): TroupeClient => createClient({ url: served.url, token: `token-of-${name}-0001` })
  return { ...served, ben: as('ben'), vic: as('vic'), eve: as('eve') }
}

/** Resolves with the status and code of a request that must fail. */
async function refusal(request: Promise<unknown>): Promise<unknown> {
  const thrown: unknown = await request.then(
    () => 'it succeeded',
    (reason: unknown) => reason,
  )
  return thrown instanceof ApiError ? [thrown.status, thrown.code] : thrown
}

async function titles(
  client: TroupeClient,
  query: Parameters<TroupeClient['sessions']['list']>[0] = {},
): Promise<readonly string[]> {
  return (await client.sessions.list(query)).sessions.map(({ name, title }) => name ?? title)
}

describe('the list of conversations', () => {
  it('conversations are listed with the newest run first, each once, in pages', async () => {
    const { ben } = await serveToAll()
    for (const session of ['a', 'b', 'c', 'a']) await ben.run('Parrot', `Hi ${session}`, { session })
    await ben.run('Parrot', 'no conversation')
    expect(await titles(ben)).toEqual(['Hi a', 'Hi c', 'Hi b'])
    const first = await ben.sessions.list({ limit: 2 })
    expect(first.sessions.map(({ sessionId }) => sessionId)).toEqual(['a', 'c'])
    const second = await ben.sessions.list({
      limit: 2,
      ...(first.next === undefined ? {} : { before: first.next }),
    })
    expect(second.sessions.map(({ sessionId }) => sessionId)).toContain('b')
    expect(second.next).toBeUndefined()
  })

  it('a search finds conversations by any message and by name, in any letter case', async () => {
    const { ben } = await serveToAll()
    await ben.run('Parrot', 'Plan a trip', { session: 'a' })
    await ben.run('Parrot', 'to the Harbour', { session: 'a' })
    await ben.run('Parrot', 'Count ships', { session: 'b' })
    await ben.sessions.change('b', { name: 'Old HARBOUR' })
    expect(await titles(ben, { q: 'harbour' })).toEqual(['Old HARBOUR', 'Plan a trip'])
    expect(await titles(ben, { q: 'count' })).toEqual(['Old HARBOUR'])
    expect(await titles(ben, { q: 'nothing' })).toEqual([])
    expect(await titles(ben, { agent: 'Other' })).toEqual([])
  })

  it('an unknown position is refused with the parameter', async () => {
    const { ben } = await serveToAll()
    await expect(ben.sessions.list({ before: 'run_none' })).rejects.toMatchObject({
      code: 'request_invalid',
      message: 'before: there is no run run_none.',
    })
  })
})

describe('changes of a conversation', () => {
  it('a conversation gets a name, loses it, and moves to the archive and back', async () => {
    const { ben } = await serveToAll()
    await ben.run('Parrot', 'Hi', { session: 'a/b #1' })
    expect(await ben.sessions.change('a/b #1', { name: '  Trip ' })).toEqual({
      sessionId: 'a/b #1',
      name: 'Trip',
      archived: false,
      branches: [],
    })
    expect(await titles(ben)).toEqual(['Trip'])
    await ben.sessions.change('a/b #1', { archived: true })
    expect([await titles(ben), await titles(ben, { archived: 'true' })]).toEqual([[], ['Trip']])
    await ben.sessions.change('a/b #1', { archived: false, name: '' })
    expect([await titles(ben), await titles(ben, { archived: 'true' })]).toEqual([['Hi'], []])
  })

  it('a deleted conversation and its runs are gone, and others stay', async () => {
    const { ben } = await serveToAll()
    const { runId } = await ben.run('Parrot', 'Hi', { session: 'a' })
    await ben.run('Parrot', 'Stay', { session: 'b' })
    await ben.sessions.delete('a')
    expect(await titles(ben)).toEqual(['Stay'])
    expect(await refusal(ben.runs.get(runId))).toEqual([404, 'run_unknown'])
    expect(await refusal(ben.sessions.delete('a'))).toEqual([404, 'session_unknown'])
  })

  it('a conversation with an active run is not deleted', async () => {
    const slow = slowAgent()
    const { ben } = await serveToAll(slow)
    const { runId } = await ben.start('Slow', 'Hi', { session: 'a' })
    expect(await refusal(ben.sessions.delete('a'))).toEqual([409, 'session_busy'])
    await ben.cancel(runId)
    await ben.sessions.delete('a')
    expect(await titles(ben)).toEqual([])
  })

  it('only the owner sees and changes a conversation, and a viewer only sees it', async () => {
    const { ben, vic, eve } = await serveToAll()
    await ben.run('Parrot', 'Hi', { session: 'a' })
    expect(await titles(eve)).toEqual([])
    expect(await refusal(eve.sessions.get('a'))).toEqual([404, 'session_unknown'])
    expect(await refusal(eve.sessions.change('a', { name: 'Mine' }))).toEqual([404, 'session_unknown'])
    expect(await refusal(eve.sessions.delete('a'))).toEqual([404, 'session_unknown'])
    expect(await titles(vic)).toEqual(['Hi'])
    expect(await refusal(vic.sessions.change('a', { name: 'Mine' }))).toEqual([403, 'role_required'])
    expect(await refusal(vic.sessions.delete('a'))).toEqual([403, 'role_required'])
    expect(await titles(ben)).toEqual(['Hi'])
  })

  it.each([
    [{}, 'Send `name`, `archived` or both.'],
    [{ name: 'x'.repeat(201) }, 'name: '],
    [{ archived: 'yes' }, 'archived: '],
    [{ title: 'x' }, 'title'],
  ])('a change of the form %o is refused with the field', async (body, field) => {
    const { ben } = await serveToAll()
    await ben.run('Parrot', 'Hi', { session: 'a' })
    await expect(ben.sessions.change('a', body as { name: string })).rejects.toMatchObject({
      code: 'request_invalid',
      message: expect.stringContaining(field) as string,
    })
  })
})

describe('branches of a conversation', () => {
  const historian = scriptedModel((prompt) => ({
    text: prompt
      .filter(({ role }) => role === 'user')
      .map(messageText)
      .join(' | '),
  }))
  const agent = defineAgent({
    name: 'Historian',
    description: 'h',
    instruction: 'h',
    model: 'test/historian',
  })
  const team = { cards: [agent, PARROT], models: { historian } }

  it('a message that replaces another starts a branch with the messages before it', async () => {
    const { ben } = await serveToAll(team)
    const one = await ben.run('Historian', 'one', { session: 'a' })
    const two = await ben.run('Historian', 'two', { session: 'a' })
    await ben.run('Historian', 'three', { session: 'a' })
    const branch = await ben.run('Historian', 'TWO', { session: 'b', replaces: two.runId })
    expect(branch.output.text).toBe('one | TWO')
    const again = await ben.run('Historian', 'Two!', { session: 'c', replaces: branch.runId })
    expect(again.output.text).toBe('one | Two!')
    const first = await ben.run('Historian', 'ONE', { session: 'd', replaces: one.runId })
    expect(first.output.text).toBe('ONE')
    expect((await ben.run('Historian', 'more', { session: 'b' })).output.text).toBe('one | TWO | more')
    const { branches } = await ben.sessions.get('c')
    expect(branches.toSorted((x, y) => x.sessionId.localeCompare(y.sessionId))).toEqual([
      { sessionId: 'b', branchOf: { sessionId: 'a', runId: two.runId } },
      { sessionId: 'c', branchOf: { sessionId: 'a', runId: two.runId } },
      { sessionId: 'd', branchOf: { sessionId: 'a', runId: one.runId } },
    ])
  })

  it('a conversation and its branches are one entry of the list, and are named and deleted together', async () => {
    const { ben } = await serveToAll(team)
    const one = await ben.run('Historian', 'one', { session: 'a' })
    await ben.run('Historian', 'ONE', { session: 'b', replaces: one.runId })
    const listed = async (): Promise<unknown> =>
      (await ben.sessions.list()).sessions.map(({ sessionId, name, title }) => [sessionId, name, title])
    expect(await listed()).toEqual([['b', undefined, 'one']])
    await ben.sessions.change('b', { name: 'Trip' })
    await ben.run('Historian', 'more', { session: 'a' })
    expect(await listed()).toEqual([['a', 'Trip', 'one']])
    await ben.sessions.delete('a')
    expect(await listed()).toEqual([])
    expect(await refusal(ben.sessions.get('b'))).toEqual([404, 'session_unknown'])
  })

  it('a branch needs a run of the caller and of the same agent, and a new conversation', async () => {
    const { ben, eve } = await serveToAll(team)
    const one = await ben.run('Historian', 'one', { session: 'a' })
    const two = await ben.run('Historian', 'two', { session: 'a' })
    const branch = { session: 'b', replaces: two.runId }
    expect(await refusal(eve.run('Historian', 'x', branch))).toEqual([404, 'run_unknown'])
    expect(await refusal(ben.run('Parrot', 'x', branch))).toEqual([409, 'session_mismatch'])
    for (const replaces of [one.runId, two.runId]) {
      const same = ben.start('Historian', 'x', { session: 'a', replaces })
      expect(await refusal(same)).toEqual([409, 'session_mismatch'])
    }
    expect((await ben.sessions.get('a')).branches).toEqual([])
  })
})

describe('files of a message', () => {
  const seen: unknown[] = []
  const viewer = scriptedModel((prompt) => {
    seen.push(prompt.at(-1)?.content)
    return { text: 'seen' }
  })
  const agent = defineAgent({ name: 'Viewer', description: 'v', instruction: 'v', model: 'test/viewer' })
  const team = { cards: [agent], models: { viewer } }
  const PIXEL = { mediaType: 'image/png' as const, data: 'iVBORw0KGgo=', filename: 'pixel.png' }

  it('images and texts are sent to the model with the message, also of one that replaces it', async () => {
    const { ben } = await serveToAll(team)
    const note = { mediaType: 'text/plain' as const, data: btoa('remember'), filename: 'note.txt' }
    const { runId } = await ben.run('Viewer', 'Look', { session: 'a', attachments: [PIXEL, note] })
    await ben.run('Viewer', 'Look again', { session: 'b', replaces: runId })
    const files = [
      {
        type: 'file',
        mediaType: 'image/png',
        data: { type: 'data', data: PIXEL.data },
        filename: 'pixel.png',
      },
      { type: 'text', text: 'note.txt:\n\nremember' },
    ]
    expect(seen).toEqual([
      [{ type: 'text', text: 'Look' }, ...files],
      [{ type: 'text', text: 'Look again' }, ...files],
    ])
  })

  it.each([
    [[{ ...PIXEL, mediaType: 'image/svg+xml' }], 'attachments.0.mediaType: must be one of text/plain'],
    [[{ ...PIXEL, data: 'not base64!' }], 'attachments.0.data: must be base64'],
    [[{ ...PIXEL, path: '/etc/passwd' }], 'path'],
    [Array.from({ length: 21 }, () => PIXEL), 'attachments: '],
  ])('a file that no agent accepts is refused with the field (%#)', async (attachments, message) => {
    const { ben } = await serveToAll(team)
    await expect(
      ben.run('Viewer', 'Look', { attachments: attachments as (typeof PIXEL)[] }),
    ).rejects.toMatchObject({
      code: 'request_invalid',
      message: expect.stringContaining(message) as string,
    })
  })
})
