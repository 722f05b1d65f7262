import path from 'node:path'
import { createHost } from '@troupe/host'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'

const folder = path.join(import.meta.dirname, '..')

it(`the lead calls New York three times and London once, through both hooks, and labels the answers ${verifies('B1', 'B3', 'B9', 'B11', 'B16', 'B18', 'B22')}`, async () => {
  const record = recordEvents()
  const host = await createHost({ cards: [folder], cwd: folder })
  try {
    const report = await host.run(undefined, 'What is new?', { onEvent: record.listener })
    expect(report.outcome).toBe('completed')
    expect(report.output.text?.trim().split('\n')).toEqual([
      'New York, Anthropic: sample update: integration tests green, review on Monday',
      'New York, evalstate/fast-agent: sample update: two pull requests wait for review',
      'New York, OpenAI: sample update: key rotation done, latency as before',
      'London, economics review: sample update: spending is below plan',
    ])
    expect(record.of('run-start').map((event) => event.instance)).toEqual([
      'PMO-orchestrator',
      'NY-Project-Manager[1]',
      'NY-Project-Manager[2]',
      'NY-Project-Manager[3]',
      'London-Project-Manager[4]',
    ])
    expect(record.of('log').filter((event) => event.text.startsWith('audit PMO-orchestrator'))).toHaveLength(
      4,
    )
  } finally {
    await host.close()
  }
})
