import { ApiError, createClient, type TroupeClient } from '@troupe/client'
import { defineAgent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import type { ServerToken } from '../src/index.ts'
import { PARROT, serveTeam, type TeamToServe } from './support/serve-team.ts'

const TOKENS: readonly ServerToken[] = [
  { token: 'token-of-ada-0001', principal: 'ada', role: 'operator' },
  { token: 'token-of-ben-0001', principal: 'ben' },
  { token: 'token-of-vic-0001', principal: 'ben', role: 'viewer' },
  { token: 'token-of-eve-0001', principal: 'eve' },
]

async function serveToAll(team: Partial<TeamToServe> = {}) {
  const served = await serveTeam({ cards: [PARROT], tokens: TOKENS, ...team })
  const as = (name: string): TroupeClient => createClient({ url: served.url, token: `token-of-${name}-0001` })
  return { ...served, ada: as('ada'), ben: as('ben'), vic: as('vic'), eve: as('eve') }
}

/** Resolves with the status and code of a request that must fail. */
async function refusal(request: Promise<unknown>): Promise<unknown> {
  const thrown: unknown = await request.then(
    () => 'it succeeded',
    (reason: unknown) => reason,
  )
  return thrown instanceof ApiError ? [thrown.status, thrown.code] : thrown
}

describe('labels', () => {
  it('a label is set, replaced and removed, is part of the run, and changes no event', async () => {
    const { ben, store } = await serveToAll()
    const { runId } = await ben.run('Parrot', 'Hi')
    const events = await store.events(runId)
    const labelled = await ben.runs.label(runId, { value: 'down', note: 'Not polite.' })
    expect(labelled).toMatchObject({ runId, label: { value: 'down', note: 'Not polite.' } })
    expect(await ben.runs.get(runId)).toEqual(labelled)
    expect((await ben.runs.label(runId, { value: 'up' })).label).toEqual({ value: 'up' })
    expect((await ben.runs.unlabel(runId)).label).toBeUndefined()
    expect((await ben.runs.unlabel(runId)).label).toBeUndefined()
    expect(await store.events(runId)).toEqual(events)
  })

  it('GET /api/runs lists the runs with a label, alone and with other filters', async () => {
    const { ben } = await serveToAll()
    const ids: string[] = []
    for (const input of ['one', 'two', 'three']) ids.push((await ben.run('Parrot', input)).runId)
    const [one = '', two = '', three = ''] = ids
    await ben.runs.label(one, { value: 'down' })
    await ben.runs.label(two, { value: 'up' })
    await ben.runs.label(three, { value: 'down', note: 'No.' })
    const list = async (query: Parameters<typeof ben.runs.list>[0]): Promise<unknown> =>
      (await ben.runs.list(query)).runs.map(({ input, label }) => [input, label])
    expect(await list({ label: 'down' })).toEqual([
      ['three', { value: 'down', note: 'No.' }],
      ['one', { value: 'down' }],
    ])
    expect(await list({ label: 'up' })).toEqual([['two', { value: 'up' }]])
    expect(await list({ label: 'down', q: 'one' })).toEqual([['one', { value: 'down' }]])
    expect(await list({ label: 'up', state: 'failed' })).toEqual([])
  })

  it('only the owner of a run and an operator can label it, and a viewer cannot', async () => {
    const { ada, ben, vic, eve } = await serveToAll()
    const { runId } = await ben.run('Parrot', 'Hi')
    expect(await refusal(eve.runs.label(runId, { value: 'up' }))).toEqual([404, 'run_unknown'])
    expect(await refusal(eve.runs.unlabel(runId))).toEqual([404, 'run_unknown'])
    expect(await refusal(eve.runs.label('run_none', { value: 'up' }))).toEqual([404, 'run_unknown'])
    expect(await refusal(vic.runs.label(runId, { value: 'up' }))).toEqual([403, 'role_required'])
    expect((await ben.runs.get(runId)).label).toBeUndefined()
    await ada.runs.label(runId, { value: 'up' })
    expect((await vic.runs.get(runId)).label).toEqual({ value: 'up' })
    expect(await refusal(vic.runs.unlabel(runId))).toEqual([403, 'role_required'])
  })

  it('a label of a run that is not stored is refused with the reason', async () => {
    const card = { name: 'Secret', description: 's', instruction: 's', model: 'passthrough' }
    const { ben } = await serveToAll({ cards: [defineAgent({ ...card, store: 'none' })] })
    const { runId } = await ben.run('Secret', 'Hi')
    await expect(ben.runs.label(runId, { value: 'up' })).rejects.toMatchObject({
      code: 'run_unknown',
      message: `The run ${runId} is not stored, so it cannot have a label.`,
    })
  })

  it.each([
    [{ value: 'good' }, 'value: '],
    [{}, 'value is missing'],
    [{ value: 'up', note: 'x'.repeat(1001) }, 'note: '],
    [{ value: 'up', by: 'ben' }, 'by'],
  ])('a label of the form %o is refused with the field', async (body, field) => {
    const { ben } = await serveToAll()
    const { runId } = await ben.run('Parrot', 'Hi')
    await expect(ben.runs.label(runId, body as { value: 'up' })).rejects.toMatchObject({
      code: 'request_invalid',
      message: expect.stringContaining(field) as string,
    })
  })
})
