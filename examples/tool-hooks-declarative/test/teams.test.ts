import path from 'node:path'
import { createHost } from '@troupe/host'
import type { RunOptions, RunReport } from '@troupe/schema'
import { recordEvents, verifies, type EventRecord } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { askDesk } from '../mixed_tools_and_hooks/team.ts'

const examples = path.join(import.meta.dirname, '..')
const env = { PATH: process.env['PATH'] }

async function ask(
  card: string,
  question: string,
  options: RunOptions = {},
): Promise<{ readonly report: RunReport; readonly record: EventRecord }> {
  const cards = path.join(examples, card)
  const record = recordEvents()
  const host = await createHost({ cards: [cards], cwd: examples, env })
  try {
    expect(host.plan().problems).toEqual([])
    return { report: await host.run(undefined, question, { ...options, onEvent: record.listener }), record }
  } finally {
    await host.close()
  }
}

/** Returns the texts of a tool's results, in order. */
function resultsOf(record: EventRecord, tool: string): readonly string[] {
  return record
    .of('tool-result')
    .filter((event) => event.toolName === tool)
    .map((event) =>
      event.content.map((part) => (part.type === 'text' ? part.text : part.mediaType)).join(' '),
    )
}

/** Returns the answer, the results of two tools as the model read them, and the audit log. */
function summary(report: RunReport, record: EventRecord): object {
  const audited = record.of('log').map((event) => JSON.parse(event.text) as Record<string, string>)
  return {
    answer: report.output.text?.trim().split('\n'),
    found: resultsOf(record, 'catalogue__find_books'),
    reader: resultsOf(record, 'readerOf'),
    audited: new Set(audited.map((line) => `${line['tool']} ${line['outcome']}`)),
  }
}

const expected = {
  answer: ['The Kitchen Garden is reserved for Ada.', 'Error: Books of shelf R are read in the house.'],
  found: ['The Kitchen Garden (G); The Walled Garden (R)'],
  reader: ['Card 7 is that of Ada, [redacted].'],
  audited: new Set([
    'catalogue__find_books completed',
    'readerOf completed',
    'agent__recommender completed',
    'reserve completed',
    'reserve denied',
  ]),
}

describe('mixed tools and hooks', () => {
  it(`a card combines a server, functions, an agent and hooks ${verifies('B1', 'B3', 'B6', 'B7', 'B8', 'B9', 'B51')}`, async () => {
    const { report, record } = await ask('mixed_tools_and_hooks', 'A garden book, please')
    expect(summary(report, record)).toEqual(expected)
  })

  it(`a team in TypeScript takes functions and hooks as values ${verifies('B2', 'B17', 'B21', 'B45', 'B51')}`, async () => {
    const record = recordEvents()
    const report = await askDesk('A garden book, please', { env, onEvent: record.listener })
    expect(summary(report, record)).toEqual(expected)
  })
})

describe('agents as tools, extended with hooks', () => {
  it(`hooks approve, shorten, limit and sign calls of agents ${verifies('B36', 'B42', 'B51', 'B53')}`, async () => {
    const asked: (string | undefined)[] = []
    const { report } = await ask('agents_as_tools_extended', 'The news', {
      approve: ({ reason }) => {
        asked.push(reason)
        return { decision: 'approved' }
      },
    })
    const lines = (report.output.text ?? '').split('\n')
    expect(lines.slice(0, 4)).toEqual([
      'The harbour ',
      '(by agent__reporter)',
      'The theatre',
      '(by agent__reporter)',
    ])
    expect(lines[4]).toContain('rate limit of 2 calls per 3600000 ms reached')
    expect(asked).toEqual(['A reporter costs money.', 'A reporter costs money.'])
  })
})

describe('function tools', () => {
  it(`function tools run in the main thread and in a thread of their own ${verifies('B7', 'B27', 'B53')}`, async () => {
    const { report } = await ask('function_tools/counter.md', 'How many words are these?')
    expect(report.output.text).toBe('Words: 5. Primes up to a million: 78498.')
  })
})

describe('loop hooks', () => {
  it(`loop hooks change the messages of one model call, and run at the end ${verifies('B49', 'B53')}`, async () => {
    const { report, record } = await ask('loop_hooks/clerk.md', 'Good morning')
    expect(report.output.text).toBe('Please, and thank you.')
    expect(record.of('log').map((event) => event.text)).toEqual(['clerk is done after 1 turn: completed'])
  })
})
