import { stripVTControlCharacters } from 'node:util'
import type { RunEvent, RunReport, Usage } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import {
  accountsOf,
  emptyTimeline,
  formatTokens,
  reduceTimeline,
  type LogRecord,
  type Timeline,
} from '@troupe/timeline'
import { describe, expect, it } from 'vitest'
import { panelLines } from '../src/reporter/panel.ts'
import { createStyle } from '../src/terminal/terminal.ts'
import { NESTED_TEAM } from './deep-team.ts'
import { troupe } from './team.ts'

const AGENTS = ['Top', 'Middle', 'Leaf'] as const
const ANSWER = 'saw a1, saw a2 and saw b1, saw b2'

async function run(...options: readonly string[]): Promise<{ readonly out: string; readonly err: string }> {
  const { code, out, err } = await troupe(['run', 'team', 'go', ...options], NESTED_TEAM)
  expect(code).toBe(0)
  return { out: out(), err: err() }
}

async function runEvents(): Promise<readonly RunEvent[]> {
  const { out } = await run('--events')
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent)
}

function fold(events: readonly RunEvent[]): Timeline {
  return events.reduce(reduceTimeline, emptyTimeline())
}

/** Returns the model calls, tool calls, and input and output tokens, as every surface shows them. */
function numbersOf(usage: Usage): readonly number[] {
  return [usage.modelCalls, usage.toolCalls, usage.input, usage.output]
}

describe('a team three levels deep', () => {
  it(`the usage of each agent is the same in --events, --json and the table ${verifies('A4', 'A12', 'A13', 'A24', 'C53')}`, async () => {
    const [events, json, plain] = await Promise.all([runEvents(), run('--json'), run()])
    const accounts = accountsOf(events)
    const expected = new Map(accounts.byAgent.map((row) => [row.agent, numbersOf(row.usage)]))
    expect(Object.fromEntries(expected)).toEqual({
      Top: [2, 2, 3000, 300],
      Middle: [4, 4, 1400, 140],
      Leaf: [8, 4, 120, 12],
    })

    const { usage } = JSON.parse(json.out) as RunReport
    expect(Object.keys(usage.byAgent)).toHaveLength(AGENTS.length)
    for (const agent of AGENTS) {
      const row = usage.byAgent[agent]
      expect([row?.modelCalls, row?.toolCalls, row?.inputTokens, row?.outputTokens]).toEqual(
        expected.get(agent),
      )
    }
    const total = numbersOf(accounts.total)
    expect([usage.modelCalls, usage.toolCalls, usage.inputTokens, usage.outputTokens]).toEqual(total)

    for (const [index, name] of [...AGENTS, 'total'].entries()) {
      const cells = plain.err
        .trim()
        .split('\n')
        .at(index - 4)
        ?.split(/\s{2,}/u)
      const [models = 0, tools = 0, input = 0, output = 0] = expected.get(name) ?? total
      const runs = [1, 2, 4, 7][index]
      expect(cells?.slice(0, 6).join(' ').split(/\s+/u)).toEqual(
        [name, runs, models, tools, formatTokens(input), formatTokens(output)].map(String),
      )
    }
    expect(json.out + plain.err.slice(plain.err.indexOf('\n\n'))).not.toMatch(/(?:Middle|Leaf)\[/u)
  })

  it(`every run-end has the usage of its run and of the runs below it ${verifies('C53', 'C86', 'A89')}`, async () => {
    const events = await runEvents()
    const { byInstance } = accountsOf(events)
    const own = new Map(byInstance.map((row) => [row.runId, row]))
    for (const end of events.filter((event) => event.type === 'run-end')) {
      const below = byInstance.filter((row) => isBelow(row.runId, end.runId))
      const sum = below.map((row) => numbersOf(row.usage)).reduce((a, b) => a.map((n, i) => n + (b[i] ?? 0)))
      expect(numbersOf(end.usage)).toEqual(sum)
      const row = own.get(end.runId)
      expect([row?.endedAt, row?.durationMs]).toEqual([end.time, end.durationMs])
    }
    expect(byInstance).toHaveLength(7)

    function isBelow(runId: string | undefined, top: string): boolean {
      return runId !== undefined && (runId === top || isBelow(own.get(runId)?.parentRunId, top))
    }
  })

  it(`a nested team is shown with an index per instance and an indent per level ${verifies('A8', 'A65', 'A70', 'A90')}`, async () => {
    const timeline = fold(await runEvents())
    const lines = panelLines(timeline, { now: 0, tick: 0, columns: 80, style: createStyle(false) })
    expect(lines.map((line) => line.replace(/\s+\d.*/u, ''))).toEqual([
      '✓ Top',
      '  ✓ Middle[1] a',
      '    ✓ Leaf[1] a1',
      '    ✓ Leaf[2] a2',
      '  ✓ Middle[2] b',
      '    ✓ Leaf[1] b1',
      '    ✓ Leaf[2] b2',
    ])
  })

  it(`--verbose ends with the history of every call, with child runs between the sections of their call ${verifies('A79', 'A80', 'A90', 'A92')}`, async () => {
    const { out, err } = await run('--verbose')
    expect(out).toBe(`${ANSWER}\n`)
    const [, history = '', instances = ''] = stripVTControlCharacters(err).split('\n\n')
    expect(history.replaceAll(/ \([^)]*\)/gu, '').split('\n')).toEqual([
      'Top  Completed',
      '  tool-> agent__Middle[1] {"text":"a"}',
      '    Middle[1]  Completed',
      ...leafHistory(1, 'a1'),
      ...leafHistory(2, 'a2'),
      '  result-> agent__Middle[1] Completed: saw a1, saw a2',
      '  tool-> agent__Middle[2] {"text":"b"}',
      '    Middle[2]  Completed',
      ...leafHistory(1, 'b1'),
      ...leafHistory(2, 'b2'),
      '  result-> agent__Middle[2] Completed: saw b1, saw b2',
    ])
    expect(instances.split('\n').map((line) => line.split(/ {2,}/u).slice(0, 3).join('|'))).toEqual([
      'instance|outcome|started',
      expect.stringMatching(/^Top\|Completed\|/u),
      ...[1, 2].flatMap((middle) => [
        expect.stringMatching(new RegExp(`^\\|Middle\\[${middle}\\]\\|Completed`, 'u')),
        expect.stringMatching(/^\|Leaf\[1\]\|Completed/u),
        expect.stringMatching(/^\|Leaf\[2\]\|Completed/u),
      ]),
    ])
  })

  it(`--log-format json prints records with the standard fields, which separate the calls of all instances ${verifies('A91', 'A23')}`, async () => {
    const { out, err } = await run('--log-format', 'json')
    expect(out).toBe(`${ANSWER}\n`)
    const records = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogRecord)
    const looks = records.filter((record) => record.event === 'tool-call' && record.tool_name === 'look')
    expect(new Set(looks.map((record) => record.agent_name))).toEqual(new Set(['Leaf']))
    expect(looks.map((record) => record.instance_name).toSorted()).toEqual([
      'Leaf[1]',
      'Leaf[1]',
      'Leaf[2]',
      'Leaf[2]',
    ])
    expect(new Set(looks.map((record) => record.correlation_id)).size).toBe(4)
    expect(records.filter((record) => record.event === 'run-end')).toHaveLength(7)
    expect(records.every((record) => record.level === 'info')).toBe(true)
  })
})

function leafHistory(index: number, text: string): readonly string[] {
  return [
    `      tool-> agent__Leaf[${index}] {"text":"${text}"}`,
    `        Leaf[${index}]  Completed`,
    `          tool-> look {"at":"${text}"}`,
    `          result-> look Completed: saw ${text}`,
    `      result-> agent__Leaf[${index}] Completed: saw ${text}`,
  ]
}
