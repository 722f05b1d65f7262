import { systemClock } from '@troupe/core'
import { openOtlpTracer } from '@troupe/otel'
import { defineAgent, type RunOptions } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import {
  scriptedModel,
  spanTree,
  startOtlpReceiver,
  tempProject,
  type OtlpReceiver,
  type ReceivedSpan,
} from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'

const APPROVED = { decision: 'approved' } as const

async function openReceiver(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver()
  onTestFinished(() => receiver.stop())
  return receiver
}

/** Opens a host that sends to the receiver. `send` closes it and returns the spans. */
async function openTracedHost(
  receiver: OtlpReceiver,
  options: Partial<HostOptions>,
): Promise<Host & { send(): Promise<readonly ReceivedSpan[]> }> {
  const warnings: string[] = []
  const tracer = await openOtlpTracer({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    onWarning: (message) => warnings.push(message),
  })
  const host = await createHost({
    cards: [],
    config: false,
    cwd: import.meta.dirname,
    random: () => 0,
    ...options,
    ...(tracer === undefined ? {} : { tracer }),
  })
  onTestFinished(() => host.close())
  return Object.assign(host, {
    async send() {
      await host.close()
      expect({ faults: receiver.faults, warnings }).toEqual({ faults: [], warnings: [] })
      return receiver.spans
    },
  })
}

const TEAM = {
  'lead.md': `---
name: Lead
default: true
agents: [./clerk.md]
functionTools: [tools.mjs:send]
requiresApproval: [send]
model: script/team.yaml
---
Lead.`,
  'clerk.md': `---
name: Clerk
description: Counts.
model: script/team.yaml
---
Count.`,
  'tools.mjs': `export function send({ to }) { return 'sent to ' + to }
send.description = 'Sends.'
send.inputSchema = { type: 'object', properties: { to: { type: 'string' } } }`,
  'team.yaml': `agents:
  Lead:
    - call:
        - { tool: agent__Clerk, args: { text: the secret of one } }
        - { tool: agent__Clerk, args: { text: two } }
        - { tool: send, args: { to: Ada } }
    - say: All done.
  Clerk:
    - fail: { status: 429 }
    - { say: Counted., usage: { input: 10, output: 5 } }
`,
}

const TREE = [
  'invoke_agent Lead',
  '  turn 1',
  '    chat team.yaml',
  '    execute_tool agent__Clerk',
  '      invoke_agent Clerk',
  '        turn 1',
  '          chat team.yaml',
  '    execute_tool agent__Clerk',
  '      invoke_agent Clerk',
  '        turn 1',
  '          chat team.yaml',
  '    execute_tool send',
  '      approval',
  '  turn 2',
  '    chat team.yaml',
]

async function openTeam(
  receiver: OtlpReceiver,
  options: Partial<HostOptions> = {},
): ReturnType<typeof openTracedHost> {
  const folder = await tempProject(TEAM)
  onTestFinished(() => folder.remove())
  return openTracedHost(receiver, { cards: [folder.path], cwd: folder.path, ...options })
}

function memoryStore(): RunStore {
  return createMemoryStore({ clock: systemClock })
}

const approve: RunOptions['approve'] = async () => APPROVED

describe('the trace of a run', () => {
  it('a run with parallel children, retried model calls and an approval is one tree of spans', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver)
    const report = await host.run(undefined, 'Go.', { approve })
    expect(report.outcome).toBe('completed')
    const spans = await host.send()
    expect(spanTree(spans)).toEqual(TREE)
    console.log(
      JSON.stringify(spans, null, 1),
      JSON.stringify(receiver.logs),
      JSON.stringify(receiver.metrics),
    )
  })
})
