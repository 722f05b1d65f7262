import { systemClock } from '@troupe/core'
import { openOtlpTracer } from '@troupe/otel'
import { defineAgent, type RunOptions } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { type ReceivedSpan } from '@troupe/testkit/internal'
import { spanTree, startOtlpReceiver, tempProject, type OtlpReceiver } from '@troupe/testkit/internal'
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
    - fail: { status: 500 }
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

const CALLER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER_SPAN = '00f067aa0ba902b7'
const CALLER = { traceparent: `00-${CALLER_TRACE}-${CALLER_SPAN}-01`, tracestate: 'vendor=1' }

/** Returns the span of a name. Throws if there is another number of them. */
function spanNamed(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [span, ...others] = spans.filter((candidate) => candidate.name === name)
  if (span === undefined || others.length > 0) throw new Error(`not one span ${name}`)
  return span
}

/** Returns a card with a script of its own. */
function card(fields: string, instruction = 'Work.'): string {
  return `---\n${fields}\n---\n${instruction}`
}

describe('the trace of a run', () => {
  it('a run with parallel children, retried model calls and an approval is one tree of spans', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver)
    const report = await host.run(undefined, 'Go.', { approve })
    const spans = await host.send()
    expect(spanTree(spans)).toEqual(TREE)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(TREE.length)
    const root = spanNamed(spans, 'invoke_agent Lead')
    expect(root.traceId).toBe(report.runId.slice('run_'.length))
    expect(root.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'troupe.run.id': report.runId,
      'troupe.outcome': 'completed',
      'troupe.usage.model_calls': 6,
    })
    const retried = spans.find(({ attributes }) => attributes['troupe.attempts'] === 2)
    expect(retried).toMatchObject({
      name: 'chat team.yaml',
      kind: 'client',
      attributes: {
        'gen_ai.agent.name': 'Clerk',
        'gen_ai.provider.name': 'script',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.response.finish_reasons': ['stop'],
      },
      events: [{ name: 'troupe.model.retry' }],
      isError: false,
    })
  })

  it('a run sends metrics of its calls, and log records of retries that name their spans', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver)
    await host.run(undefined, 'Go.', { approve })
    const spans = await host.send()
    const chats = new Set(spans.flatMap(({ name, spanId }) => (name.startsWith('turn') ? spanId : [])))
    expect(receiver.logs).toHaveLength(2)
    for (const { name, severity, traceId, spanId } of receiver.logs) {
      expect({ name, severity, traceId }).toEqual({
        name: 'troupe.model.retry',
        severity: 'WARN',
        traceId: spans[0]?.traceId,
      })
      expect(chats).toContain(spanId)
    }
    const countOf = (name: string): number =>
      receiver.metrics
        .filter((metric) => metric.name === name)
        .reduce((sum, { count, sum: total }) => sum + (count ?? total), 0)
    expect({
      chats: countOf('gen_ai.client.inference.duration'),
      tools: countOf('gen_ai.execute_tool.duration'),
      runs: countOf('gen_ai.invoke_agent.duration'),
      output: countOf('gen_ai.client.inference.usage.output_tokens'),
    }).toEqual({ chats: 4, tools: 3, runs: 3, output: 27 })
  })

  it('a run that is suspended and resumed by another host keeps its trace, and links the resumed part', async () => {
    const receiver = await openReceiver()
    // both hosts use it
    const store = { ...memoryStore(), close: () => undefined }
    const folder = await tempProject(TEAM)
    onTestFinished(() => folder.remove())
    const options = { cards: [folder.path], cwd: folder.path, store }
    const first = await openTracedHost(receiver, options)
    await first.run(undefined, 'Go.', { runId: 'run_1', wait: true, traceContext: CALLER })
    const before = [...(await first.send())]
    expect(before.map(({ name }) => name)).not.toContain('invoke_agent Lead')
    const second = await openTracedHost(receiver, options)
    const [approval] = await second.approvals('run_1')
    await second.decide('run_1', approval?.approvalId ?? '', APPROVED)
    expect(await second.resume('run_1')).toMatchObject({ outcome: 'completed' })
    const spans = await second.send()
    expect(spanTree(spans, { caller: CALLER_SPAN })).toEqual(TREE)
    // the first host has sent its spans, so the second does not repeat them
    expect(spans).toHaveLength(TREE.length)
    const root = spanNamed(spans, 'invoke_agent Lead')
    expect({ traceId: root.traceId, parent: root.parentSpanId }).toEqual({
      traceId: CALLER_TRACE,
      parent: CALLER_SPAN,
    })
    expect(root.events.map(({ name }) => name)).toEqual(['troupe.run.waiting', 'troupe.run.resumed'])
    const followed = spans.flatMap(({ links }) => links.map(({ spanId }) => spanId))
    expect(followed).toEqual([spanNamed(spans, 'approval').spanId])
  })

  it('the runs of a composition are children of its run', async () => {
    const receiver = await openReceiver()
    const folder = await tempProject({
      'pair.md': card('name: Pair\ndefault: true\ntype: chain\nsequence: [./a.md, ./b.md]'),
      'a.md': card('name: A\nmodel: passthrough'),
      'b.md': card('name: B\nmodel: passthrough'),
    })
    onTestFinished(() => folder.remove())
    const host = await openTracedHost(receiver, { cards: [folder.path], cwd: folder.path })
    await host.run(undefined, 'Go.')
    expect(spanTree(await host.send())).toEqual([
      'invoke_agent Pair',
      '  invoke_agent A',
      '    turn 1',
      '      chat passthrough',
      '  invoke_agent B',
      '    turn 1',
      '      chat passthrough',
    ])
  })

  it('a replay is not traced, because the recorded run has the trace', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver)
    let recording = ''
    await host.run(undefined, 'Go.', { approve, record: (text) => void (recording = text) })
    expect(await host.replay(recording)).toMatchObject({ outcome: 'completed' })
    expect(await host.send()).toHaveLength(TREE.length)
  })

  it('a fork has a trace of its own, which is not that of the caller of the first run', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver, { store: memoryStore() })
    await host.run(undefined, 'Go.', { runId: 'run_1', approve, traceContext: CALLER })
    await host.fork('run_1', { at: '2', runId: 'run_2' })
    const spans = await host.send()
    const forked = spans.filter(({ traceId }) => traceId !== CALLER_TRACE)
    expect(spanNamed(forked, 'invoke_agent Lead').parentSpanId).toBeUndefined()
    expect(spanTree(forked).at(-1)).toBe('    chat team.yaml')
  })

  it('a caller that is not sampled gets no spans, and its metrics are still counted', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver)
    const traceContext = { traceparent: `00-${CALLER_TRACE}-${CALLER_SPAN}-00` }
    await host.run(undefined, 'Go.', { approve, traceContext })
    expect(await host.send()).toEqual([])
    expect(receiver.metrics.map(({ name }) => name)).toContain('gen_ai.invoke_agent.duration')
  })

  it('an invalid trace context of a caller is ignored', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver)
    await host.run(undefined, 'Go.', { approve, traceContext: { traceparent: `00-${'0'.repeat(32)}-x-01` } })
    expect(spanNamed(await host.send(), 'invoke_agent Lead').parentSpanId).toBeUndefined()
  })
})

describe('the content of traces', () => {
  it('without `telemetry.content`, no text of a run is sent', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver)
    await host.run(undefined, 'Go to Paris.', { approve })
    await host.send()
    for (const text of ['Paris', 'the secret of one', 'Counted', 'All done', 'sent to Ada'])
      expect(receiver.bodies.join('\n')).not.toContain(text)
  })

  it('with `telemetry.content`, inputs, outputs, arguments and results are sent without secrets', async () => {
    const receiver = await openReceiver()
    const secret = 'ghp_0123456789abcdef'
    const host = await openTeam(receiver, {
      config: { telemetry: { content: true } },
      envOverrides: { GITHUB_TOKEN: secret },
    })
    await host.run(undefined, `Go to Paris with ${secret}.`, { approve })
    const spans = await host.send()
    expect(receiver.bodies.join('\n')).not.toContain(secret)
    expect(spanNamed(spans, 'invoke_agent Lead').attributes).toMatchObject({
      'gen_ai.input.messages': JSON.stringify([
        {
          role: 'user',
          parts: [{ type: 'text', content: 'Go to Paris with [redacted:GITHUB_TOKEN].' }],
        },
      ]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: 'All done.' }] },
      ]),
    })
    expect(spanNamed(spans, 'execute_tool send').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"to":"Ada"}',
      'gen_ai.tool.call.result': 'sent to Ada',
    })
  })

  it('an agent that stores only metadata sends no text, even with `telemetry.content`', async () => {
    const receiver = await openReceiver()
    const folder = await tempProject({ 'a.md': card('name: A\nmodel: passthrough\nstore: metadata') })
    onTestFinished(() => folder.remove())
    const host = await openTracedHost(receiver, {
      cards: [folder.path],
      cwd: folder.path,
      config: { telemetry: { content: true } },
    })
    await host.run(undefined, 'Go to Paris.')
    expect(await host.send()).toHaveLength(3)
    expect(receiver.bodies.join('\n')).not.toContain('Paris')
  })

  it('without `telemetry.turns`, model calls and tool calls are children of the run', async () => {
    const receiver = await openReceiver()
    const host = await openTeam(receiver, { config: { telemetry: { turns: false } } })
    await host.run(undefined, 'Go.', { approve })
    expect(spanTree(await host.send())).toEqual([
      'invoke_agent Lead',
      '  chat team.yaml',
      '  execute_tool agent__Clerk',
      '    invoke_agent Clerk',
      '      chat team.yaml',
      '  execute_tool agent__Clerk',
      '    invoke_agent Clerk',
      '      chat team.yaml',
      '  execute_tool send',
      '    approval',
      '  chat team.yaml',
    ])
  })
})

describe('the trace context of MCP calls', () => {
  it('an MCP server gets the context of the tool span with each call, and only if the run is traced', async () => {
    const receiver = await openReceiver()
    const folder = await tempProject({ 'server.mjs': META_SERVER })
    onTestFinished(() => folder.remove())
    const agent = defineAgent({
      name: 'A',
      instruction: 'Call.',
      model: 'test/a',
      mcpServers: { srv: { command: 'node', args: ['server.mjs'] } },
    })
    const model = scriptedModel((prompt) =>
      prompt.at(-1)?.role === 'tool' ? { text: 'done' } : { calls: [{ tool: 'srv__meta' }] },
    )
    const options = { cards: [agent], cwd: folder.path, models: { 'test/a': model } }
    const content = { config: { telemetry: { content: true } } }
    const traced = await openTracedHost(receiver, { ...options, ...content })
    await traced.run('A', 'Go.', { traceContext: CALLER })
    const { spanId, attributes } = spanNamed(await traced.send(), 'execute_tool srv__meta')
    expect(attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'troupe.tool.server': 'srv' })
    expect(JSON.parse(String(attributes['gen_ai.tool.call.result']))).toMatchObject({
      traceparent: `00-${CALLER_TRACE}-${spanId}-01`,
      tracestate: 'vendor=1',
    })
    const untraced = await createHost({ ...options, config: false })
    onTestFinished(() => untraced.close())
    const { content: result } = await untraced.callTool('A', 'srv__meta', {})
    expect(JSON.stringify(result)).not.toContain('traceparent')
  })
})

/** An MCP server whose tool returns the \`_meta\` of its call. */
const META_SERVER = `
import { createInterface } from 'node:readline'
const tools = [{ name: 'meta', description: 'Returns metadata.', inputSchema: { type: 'object' } }]
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'meta', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ _meta = {} }) => ({ content: [{ type: 'text', text: JSON.stringify(_meta) }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = Object.hasOwn(answers, method) ? { result: answers[method](params) } : { error: { code: -32601, message: 'unknown' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`
