import path from 'node:path'
import type { RunEvent, ToolHook } from '@troupe/schema'
import { collectRun, scriptedModel } from '@troupe/testkit'
import { createHost, defineAgent } from 'troupe'
import { expect, it, onTestFinished } from 'vitest'
import { approveAbove } from '../hooks/approve-by-rule.ts'
import { auditCalls } from '../hooks/audit.ts'
import { cacheReads } from '../hooks/cache.ts'
import { dryRun } from '../hooks/dry-run.ts'
import { oneRefundPerHour } from '../hooks/rate-limit.ts'
import { hideCustomers } from '../hooks/redact.ts'
import { retryReads } from '../hooks/retry.ts'
import { guardOrders } from '../hooks/schema-guard.ts'
import { findOrder, refund, stock } from '../shop.ts'

type Call = readonly [tool: string, args?: Readonly<Record<string, string | number>>]

/** Returns the events of a run that makes these calls, one after the other. */
async function callWith(hook: ToolHook, calls: readonly Call[]): Promise<readonly RunEvent[]> {
  const steps = calls.map(([tool, args = {}]) => ({ calls: [{ tool, args }] }))
  const clerk = defineAgent({
    name: 'clerk',
    instruction: 'Help.',
    model: 'test/model',
    functionTools: [findOrder, refund, stock],
    toolHooks: [hook],
  })
  const host = await createHost({
    cards: [clerk],
    config: false,
    env: {},
    models: { 'test/model': scriptedModel([...steps, { text: 'Done.' }]) },
  })
  onTestFinished(() => host.close())
  return (await collectRun(host.stream('clerk', 'Go.'))).events
}

const results = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'tool-result'
      ? [event.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  )

const FIND: Call = ['findOrder', { number: '7' }]
const REFUND: Call = ['refund', { amount: 50 }]

it.each<readonly [string, ToolHook, readonly Call[], readonly RegExp[]]>([
  [
    'redact hides email addresses and customer numbers',
    hideCustomers,
    [FIND],
    [/"customer":"\[redacted\]","email":"\[redacted\]"/u],
  ],
  [
    'rate limit refuses the second refund',
    oneRefundPerHour,
    [REFUND, REFUND],
    [/^refunded 50/u, /rate limit of 1 call/u],
  ],
  ['retry repeats a call that only reads', retryReads, [['stock']], [/^5 pieces$/u]],
  [
    'dry run makes no refund, but reads',
    dryRun,
    [REFUND, FIND],
    [/^Dry run: refund was not called with \{"amount":50\}/u, /ada@example/u],
  ],
  [
    'approve by rule stops a large refund only',
    approveAbove({ euros: 100 }),
    [REFUND, ['refund', { amount: 500 }]],
    [/^refunded 50/u, /requires approval/u],
  ],
  [
    'schema guard replaces an invalid order by an error',
    guardOrders,
    [FIND, ['findOrder', { number: '13' }]],
    [/ada@example/u, /invalid order: .*expected number/su],
  ],
])('%s', async (_title, hook, calls, expected) => {
  const texts = results(await callWith(hook, calls))
  expect(texts).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as string))
})

it('cache makes an equal call only once', async () => {
  const events = await callWith(cacheReads, [FIND, FIND])
  expect(events.filter(({ type }) => type === 'tool-start')).toHaveLength(1)
  expect(new Set(results(events)).size).toBe(1)
})

it('audit logs the outcome of a call, but not its arguments', async () => {
  const lines = (await callWith(auditCalls, [FIND])).flatMap((event) =>
    event.type === 'log' ? [event.text] : [],
  )
  expect(lines).toEqual([expect.stringMatching(/"tool":"findOrder".*"outcome":"completed"/u)])
  expect(lines[0]).not.toContain('"7"')
})

it('the card that combines the hooks has no problems', async () => {
  const host = await createHost({ cards: [path.join(import.meta.dirname, '..')], env: {} })
  onTestFinished(() => host.close())
  expect(host.plan().problems).toEqual([])
})
