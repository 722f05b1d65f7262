import path from 'node:path'
import { createHost } from '@troupe/host'
import type { RunEvent, RunReport } from '@troupe/schema'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '..')

async function ask(
  folder: string,
  input: string,
): Promise<{ readonly report: RunReport; readonly events: readonly RunEvent[] }> {
  const cwd = path.join(root, folder)
  const host = await createHost({ cards: [cwd], cwd, config: false })
  const record = recordEvents()
  try {
    expect(host.plan().problems).toEqual([])
    return { report: await host.run(undefined, input, { onEvent: record.listener }), events: record.events }
  } finally {
    await host.close()
  }
}

/** Returns the instances that ran, in the order of their starts. */
function instances(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'run-start' ? [event.instance] : []))
}

describe(`cards in the style of fast-agent ${verifies('R20')}`, () => {
  it('a chain reads a page and posts about it', async () => {
    const { report, events } = await ask('chain', 'The page')
    expect(report).toMatchObject({
      outcome: 'completed',
      output: { text: 'Tonight: The page tells of a museum that opens at night.' },
    })
    expect(instances(events)).toEqual(['post_writer', 'url_fetcher[1]', 'social_media[1]'])
  })

  it('three reviewers work in parallel, and the grader reads all of them', async () => {
    const { report, events } = await ask('parallel', 'The moon rose. Then the moon rose.')
    expect(report.outcome).toBe('completed')
    expect(report.output.text).toMatch(
      /^Grade B\.\nThe request was:\nThe moon rose[\s\S]*comma[\s\S]*twice[\s\S]*lively$/u,
    )
    expect(instances(events)).toEqual([
      'story_review',
      'proofreader[1]',
      'fact_checker[2]',
      'style_enforcer[3]',
      'grader[1]',
    ])
  })

  it('a router sends each request to the agent that fits', async () => {
    const capital = await ask('router', 'What is the capital of France?')
    expect(capital.report.output.text).toBe('Paris.')
    expect(instances(capital.events)).toEqual(['route', 'general_assistant[1]'])
    const code = await ask('router', 'function find() {}')
    expect(code.report.output.text).toBe('It is a binary search: function find() {}')
  })

  it('an orchestrator plans twice and sums up', async () => {
    const { report, events } = await ask('orchestrator', 'Grade story.md')
    expect(report.outcome).toBe('completed')
    expect(report.output.text).toMatch(/^The report is written\.\nproofreader answered:\nno mistakes/u)
    expect(instances(events)).toEqual(['orchestrate', 'finder[1]', 'proofreader[1]', 'writer[2]'])
    expect(Object.values(report.usage.byAgent).map(({ modelCalls }) => modelCalls)).toEqual([3, 1, 1, 1])
  })

  it('an evaluator has a letter rewritten until it is excellent', async () => {
    const { report, events } = await ask('evaluator', 'A letter for a bridge builder')
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Dear Ada, I build bridges.' } })
    expect(instances(events)).toHaveLength(5)
  })
})
