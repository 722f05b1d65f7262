import type { EvalReports, StoredReport } from '@troupe/evals'
import { createClient } from '@troupe/client'
import { troupeError, type RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { PARROT, serveTeam } from './support/serve-team.ts'

const USAGE = { inputTokens: 10, outputTokens: 2, cost: null, durationMs: 40 }
const TOTALS: StoredReport['variants'][number]['totals'] = {
  passed: 1,
  failed: 1,
  errors: 0,
  rate: 0.5,
  interval: [0.1, 0.9],
  usage: USAGE,
  modelCalls: { asked: 2, recorded: 0 },
}
const REPORT: StoredReport = {
  version: 1,
  id: 'first',
  createdAt: '2026-10-01T08:00:00.000Z',
  agent: 'Parrot',
  cardDigest: 'd1ge57',
  caseFiles: ['answers.eval.yaml'],
  runIds: ['run_1'],
  variants: [
    {
      cases: [
        {
          id: 'hours',
          repeats: [
            { index: 0, status: 'passed', runId: 'run_1', checks: [], usage: USAGE, recorded: false },
          ],
          totals: TOTALS,
        },
      ],
      totals: TOTALS,
    },
  ],
}
const EVENTS = [
  { ...sampleEvent('run-start', { runId: 'run_1', input: 'Hi.' }), seq: 1 },
] as readonly RunEvent[]

const reports: EvalReports = {
  list: async () => [
    {
      id: 'first',
      createdAt: REPORT.createdAt,
      agent: 'Parrot',
      cardDigest: 'd1ge57',
      caseFiles: REPORT.caseFiles,
      variants: [{ totals: TOTALS }],
    },
  ],
  async read(id, { base } = {}) {
    if (base === 'other') throw troupeError('eval_invalid', 'other has none of the cases.')
    return id === 'first' ? REPORT : undefined
  },
  events: async (_, runId) => (runId === 'run_1' ? EVENTS : undefined),
}

it('operators list the reports of evaluations, read one, and read the events of a run', async () => {
  const { url } = await serveTeam({ cards: [PARROT], evals: reports })
  const client = createClient({ url })
  expect((await client.evals.list()).reports).toEqual(await reports.list())
  expect(await client.evals.get('first')).toEqual(REPORT)
  expect((await client.evals.events('first', 'run_1')).events).toEqual(EVENTS)
})

it('unknown reports and runs are not found, and reports that cannot be compared are a wrong request', async () => {
  const { url } = await serveTeam({ cards: [PARROT], evals: reports })
  const client = createClient({ url })
  await expect(client.evals.get('second')).rejects.toMatchObject({ code: 'report_unknown', status: 404 })
  await expect(client.evals.events('first', 'run_2')).rejects.toMatchObject({
    code: 'run_unknown',
    status: 404,
  })
  await expect(client.evals.get('first', { base: 'other' })).rejects.toMatchObject({
    code: 'eval_invalid',
    status: 400,
  })
})

it('callers who are not operators see no reports', async () => {
  const tokens = [{ token: 'token-of-ada-12345', principal: 'ada', role: 'user' as const }]
  const { url } = await serveTeam({ cards: [PARROT], evals: reports, tokens })
  const client = createClient({ url, token: 'token-of-ada-12345' })
  expect(await client.evals.list()).toEqual({ reports: [] })
  await expect(client.evals.get('first')).rejects.toMatchObject({ code: 'operator_required', status: 403 })
  await expect(client.evals.events('first', 'run_1')).rejects.toMatchObject({ code: 'operator_required' })
})

it('a server without reports has an empty list', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  expect(await createClient({ url }).evals.list()).toEqual({ reports: [] })
})
