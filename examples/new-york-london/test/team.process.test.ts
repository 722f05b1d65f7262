import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createHost } from '@troupe/host'
import { isJsonObject, type JsonObject } from '@troupe/schema'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { askTeam, orchestrator } from '../team.ts'

const folder = path.join(import.meta.dirname, '..')
const env = { PATH: process.env['PATH'] }
const config = await patientConfig()
const bothTimes =
  /New York: It is \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(America\/New_York\)\. London: It is \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(Europe\/London\)\./u

describe('the time team', () => {
  it(`the time team answers with both times of the MCP server, from cards ${verifies('A1', 'A2', 'A6', 'A33', 'A34', 'B6', 'B8', 'B10', 'C1', 'C8')}`, async () => {
    const record = recordEvents()
    const host = await createHost({ cards: [folder], cwd: folder, env, config })
    try {
      const report = await host.run(undefined, 'What time is it in New York and London?', {
        onEvent: record.listener,
      })
      expect(report.output.text).toMatch(bothTimes)
      expect(Object.keys(report.usage.byAgent).toSorted()).toEqual([
        'London-Time',
        'NY-Time',
        'time-orchestrator',
      ])
      const order = record.events
        .filter((event) => (event.type === 'run-start' || event.type === 'run-end') && event.depth === 1)
        .map((event) => event.type)
      expect(order).toEqual(['run-start', 'run-start', 'run-end', 'run-end'])
    } finally {
      await host.close()
    }
  })

  it(`the time team answers the same from TypeScript ${verifies('A31', 'A35', 'B2')}`, async () => {
    const report = await askTeam('What time is it in New York and London?', { env, config })
    expect(report.output.text).toMatch(bothTimes)
    expect(report.outcome).toBe('completed')
  })

  it(`the time team has the same definitions in its cards and in TypeScript ${verifies('A35')}`, async () => {
    const teams = await Promise.all(
      [folder, orchestrator].map(async (cards) => {
        const host = await createHost({ cards: [cards], cwd: folder, env })
        const { agents, entry } = host.plan()
        const definitions = agents.map(({ name, children }) => {
          // the source of a definition differs, and its digest covers everything
          const { source: _, digest: __, agents: ___, ...fields } = host.definition(name)
          return [name, { children, fields }] as const
        })
        await host.close()
        return { entry, definitions: Object.fromEntries(definitions) }
      }),
    )
    expect(teams[1]).toEqual(teams[0])
  })
})

/** Returns the configuration of the sample with a longer start timeout for busy machines. */
async function patientConfig(): Promise<JsonObject> {
  const config = JSON.parse(await readFile(path.join(folder, 'troupe.json'), 'utf8')) as JsonObject
  const { mcpServers } = config
  const tm = isJsonObject(mcpServers) && isJsonObject(mcpServers['tm']) ? mcpServers['tm'] : {}
  return { ...config, mcpServers: { tm: { ...tm, startTimeout: '10m' } } }
}
