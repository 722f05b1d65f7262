import type { RunEvent } from '@troupe/schema'
import { spanTree, startOtlpReceiver } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newDatabase, openServer } from './support/cluster.ts'
import { fanOutTeam } from './support/fan-out.ts'
import { startFleet } from './support/worker-fleet.ts'

const CHILDREN = 6
const CALLER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER_SPAN = '00f067aa0ba902b7'

const CHILD = [
  '    execute_tool agent__Clerk',
  '      invoke_agent Clerk',
  '        turn 1',
  '          chat script.yaml',
  '          execute_tool stamp',
  '        turn 2',
  '          chat script.yaml',
]
const TREE = [
  'invoke_agent Lead',
  '  turn 1',
  '    chat script.yaml',
  ...Array.from({ length: CHILDREN }, () => CHILD).flat(),
  '  turn 2',
  '    chat script.yaml',
]

describe.skipIf(!HAS_POSTGRES)(`the trace of a run on workers${POSTGRES_NOTE}`, { timeout: 120_000 }, () => {
  it('the spans of all workers are one tree, although both are killed', async () => {
    const receiver = await startOtlpReceiver()
    onTestFinished(() => receiver.stop())
    const url = await newDatabase()
    const team = await fanOutTeam(CHILDREN, { waitMs: 300 })
    const fleet = await startFleet(url, {
      folder: team.folder,
      count: 2,
      slots: 4,
      env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces` },
    })
    const server = await openServer(url, { cards: ['.'], cwd: team.folder })
    let kills = 0
    // by then, one child has ended and has no process that would resume it
    const onEvent = ({ type, agent }: RunEvent): void => {
      if (kills > 0 || type !== 'tool-result' || agent !== 'Lead') return
      for (const choice of [0, 0.99]) if (fleet.killOne(() => choice)) kills += 1
    }
    const traceContext = { traceparent: `00-${CALLER_TRACE}-${CALLER_SPAN}-01` }
    const report = await server.run('Lead', 'Go.', { onEvent, traceContext })
    expect({ outcome: report.outcome, kills }).toEqual({ outcome: 'completed', kills: 2 })
    const received = (): number => new Set(receiver.spans.map(({ spanId }) => spanId)).size
    await expect.poll(received, { timeout: 20_000 }).toBe(TREE.length)
    expect(receiver.faults).toEqual([])
    expect(spanTree(receiver.spans, { caller: CALLER_SPAN })).toEqual(TREE)
    expect(receiver.spans[0]?.traceId).toBe(CALLER_TRACE)
  })
})
