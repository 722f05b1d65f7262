import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createHost, type Host } from '@troupe/host'
import {
  defineAgent,
  defineTool,
  type AgentDefinition,
  type JsonObject,
  type RunReport,
  type ToolHook,
} from '@troupe/schema'
import { scriptedModel, type ScriptedModel } from '@troupe/testkit'
import { deferred, recordEvents, tempProject, verifies, type EventRecord } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = path.join(import.meta.dirname, '../../../..')

interface Played {
  readonly report: RunReport
  readonly record: EventRecord
  readonly host: Host
}

/** Runs the first of several agents; each plays the model `m/<its name>`. */
async function play(
  agents: readonly AgentDefinition[],
  models: Readonly<Record<string, ScriptedModel>>,
): Promise<Played> {
  const record = recordEvents()
  const host = await createHost({
    cards: [...agents],
    entry: agents[0]?.name ?? '',
    cwd: root,
    config: false,
    models: Object.fromEntries(Object.entries(models).map(([name, model]) => [`m/${name}`, model])),
  })
  onTestFinished(() => host.close())
  return { report: await host.run(undefined, 'question', { onEvent: record.listener }), record, host }
}

const agent = (name: string, more: Partial<Parameters<typeof defineAgent>[0]> = {}): AgentDefinition =>
  defineAgent({ instruction: `You are ${name}.`, model: `m/${name}`, ...more, name })

const ask = (child: string, text: string) => ({ tool: `agent__${child}`, args: { text } })

describe('an agent that calls agents', () => {
  it(`an agent declares its children by a list alone, and children are agents that also run by themselves ${verifies('A3', 'A9')}`, async () => {
    const child = agent('Child')
    const models = {
      Child: scriptedModel(() => ({ text: 'I am the child.' })),
      Parent: scriptedModel([{ calls: [ask('Child', 'x')] }, { text: 'done' }]),
    }
    const { host, report } = await play([agent('Parent', { agents: [child] }), child], models)
    expect(report.output.text).toBe('done')
    expect((await host.run('Child', 'alone')).output.text).toBe('I am the child.')
  })

  it(`an agent opens each child from the same definition, model and settings, with one user message and nothing else ${verifies('A18', 'A47', 'C2')}`, async () => {
    const child = scriptedModel(() => ({ text: 'ok' }))
    const { record } = await play([agent('Parent', { agents: [agent('Child', { temperature: 0.5 })] })], {
      Parent: scriptedModel([{ calls: [ask('Child', 'one'), ask('Child', 'two')] }, { text: 'done' }]),
      Child: child,
    })
    const [, first, second] = record.of('run-start')
    expect(first?.definition).toEqual(second?.definition)
    expect(child.calls.map((call) => call.options.temperature)).toEqual([0.5, 0.5])
    expect(child.calls.map((call) => call.prompt)).toEqual(
      ['one', 'two'].map((text) => [
        { role: 'system', content: 'You are Child.' },
        { role: 'user', content: [{ type: 'text', text }] },
      ]),
    )
  })

  it(`an agent runs child calls and other calls of one turn together and keeps their order ${verifies('A28', 'A29', 'A59', 'A60', 'A63', 'A72', 'A73', 'A74')}`, async () => {
    const gate = deferred()
    const wait = defineTool({
      name: 'wait',
      description: 'Waits for the child.',
      execute: async () => {
        await gate.promise
        return 'waited'
      },
    })
    const child = scriptedModel(() => {
      gate.resolve()
      return { text: 'child done' }
    })
    const parent = scriptedModel([
      { calls: [{ tool: 'wait', args: {} }, ask('Child', 'x'), { tool: 'agent__Nobody', args: {} }] },
      { text: 'done' },
    ])
    const { record } = await play([agent('Parent', { agents: [agent('Child')], functionTools: [wait] })], {
      Parent: parent,
      Child: child,
    })
    const calls = record.of('tool-call').filter((event) => event.depth === 0)
    expect(calls.map((event) => [event.callId, event.toolName, event.args, event.childInstance])).toEqual([
      ['1.1', 'wait', {}, undefined],
      ['1.2', 'agent__Child', { text: 'x' }, 'Child[1]'],
      ['1.3', 'agent__Nobody', {}, undefined],
    ])
    const outcomes = new Map(record.of('tool-result').map((event) => [event.callId, event.outcome]))
    expect(Object.fromEntries(outcomes)).toEqual({ '1.1': 'completed', '1.2': 'completed', '1.3': 'failed' })
    expect(JSON.stringify(parent.calls[1]?.prompt.at(-1))).toMatch(/waited.*child done.*Unknown agent-tool/u)
  })

  it(`an agent lists its children as tools, and calls them sequentially or in parallel in the same way ${verifies('A81', 'A82')}`, async () => {
    const events = async (...turns: readonly (readonly string[])[]): Promise<readonly unknown[]> => {
      const { record, report } = await play([agent('Parent', { agents: [agent('Child')] })], {
        Parent: scriptedModel([
          ...turns.map((texts) => ({ calls: texts.map((text) => ask('Child', text)) })),
          { text: 'done' },
        ]),
        Child: scriptedModel(() => ({ text: 'ok' })),
      })
      expect(report.outcome).toBe('completed')
      return record.of('tool-result').map((event) => [event.toolName, event.outcome, event.content])
    }
    const oneByOne = await events(['one'], ['two'], ['three'])
    expect(oneByOne).toEqual(
      Array.from({ length: 3 }, () => ['agent__Child', 'completed', [{ type: 'text', text: 'ok' }]]),
    )
    expect(await events(['one', 'two', 'three'])).toEqual(oneByOne)
  })

  it(`an agent puts the results and all errors of a turn into one message by correlation id ${verifies('A75', 'A78', 'R7')}`, async () => {
    const breaks = defineTool({
      name: 'breaks',
      description: 'Breaks.',
      execute: () => {
        throw new Error('the tool broke')
      },
    })
    const works = defineTool({ name: 'works', description: 'Works.', execute: () => 'the tool worked' })
    const parent = scriptedModel([
      {
        calls: [
          { tool: 'breaks', args: {} },
          ask('Bad', 'x'),
          { tool: 'works', args: {} },
          ask('Good', 'x'),
          { tool: 'nobody', args: {} },
        ],
      },
      { text: 'done' },
    ])
    const children = [agent('Bad', { limits: { maxRetries: 0 } }), agent('Good')]
    const { record } = await play([agent('Parent', { agents: children, functionTools: [breaks, works] })], {
      Parent: parent,
      Bad: scriptedModel([{ error: new TypeError('the model broke') }]),
      Good: scriptedModel([{ text: 'the child answered' }]),
    })
    const messages = (parent.calls[1]?.prompt ?? []).flatMap((message) =>
      message.role === 'tool' ? [message.content] : [],
    )
    expect(messages).toHaveLength(1)
    expect(messages[0]?.map((part) => JSON.stringify(part))).toEqual([
      expect.stringContaining('the tool broke'),
      expect.stringContaining('agent__Bad'),
      expect.stringContaining('the tool worked'),
      expect.stringContaining('the child answered'),
      expect.stringContaining('nobody'),
    ])
    const resultOf = new Map(record.of('tool-result').map((event) => [event.callId, event.outcome]))
    expect(record.of('tool-call').map(({ callId }) => resultOf.get(callId))).toEqual([
      'failed',
      'failed',
      'completed',
      'completed',
      'failed',
    ])
  })

  it(`usage has the same form for a run, for an agent and for the total ${verifies('A76')}`, async () => {
    const { report, record } = await play([agent('Parent', { agents: [agent('Child')] })], {
      Parent: scriptedModel([{ calls: [ask('Child', 'x'), ask('Child', 'y')] }, { text: 'done' }]),
      Child: scriptedModel(() => ({ text: 'ok' })),
    })
    const { byAgent, ...total } = report.usage
    const fields = Object.keys(total).toSorted()
    expect(Object.values(byAgent).map((row) => Object.keys(row).toSorted())).toEqual([fields, fields])
    const ofRuns = record.of('run-end').map(({ usage }) => Object.keys(usage).toSorted().join(' '))
    expect(ofRuns).toHaveLength(3)
    expect(new Set(ofRuns).size).toBe(1)
  })

  it(`an agent enforces the limits of each child separately ${verifies('C27')}`, async () => {
    const loop = scriptedModel(() => ({ calls: [{ tool: 'again', args: {} }], text: 'still at it' }))
    const again = defineTool({ name: 'again', description: 'Again.', execute: () => 'again' })
    const { record } = await play(
      [
        agent('Parent', {
          agents: [agent('Short', { functionTools: [again], limits: { maxTurns: 1 } })],
          limits: { maxTurns: 5 },
        }),
      ],
      { Parent: scriptedModel([{ calls: [ask('Short', 'x')] }, { text: 'continued' }]), Short: loop },
    )
    expect(record.of('run-end').map((event) => [event.instance, event.outcome, event.error?.code])).toEqual([
      ['Short[1]', 'partial', 'turns_exceeded'],
      ['Parent', 'completed', undefined],
    ])
    // its one turn, and one without tools to end with an answer
    expect(record.of('turn-start').filter((event) => event.instance === 'Short[1]')).toHaveLength(2)
  })

  it(`an agent receives the JSON of a child as JSON ${verifies('C24', 'C29')}`, async () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' } },
    }
    const results: unknown[] = []
    const look: ToolHook = async (_ctx, args, callNext) => {
      const result = await callNext(args)
      results.push(result.structured)
      return result
    }
    await play(
      [
        agent('Parent', {
          agents: [agent('Child', { output: { format: 'json', schema } })],
          toolHooks: [look],
        }),
      ],
      {
        Parent: scriptedModel([{ calls: [ask('Child', 'x')] }, { text: 'done' }]),
        Child: scriptedModel([{ text: '{"city": "Oslo"}' }]),
      },
    )
    expect(results).toEqual([{ city: 'Oslo' }])
  })
})

it(`a missing child is reported before any model call, and children run within the limits of concurrency, depth and budget ${verifies('C6', 'C86')}`, async () => {
  const grandchild = agent('Grand')
  const child = agent('Child', { agents: [grandchild] })
  const team = agent('Parent', { agents: [child], limits: { maxParallel: 1, maxDepth: 1 } })
  const childModel = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool' ? { text: 'without it' } : { calls: [ask('Grand', 'x')] },
  )
  const parentModel = () =>
    scriptedModel([{ calls: [ask('Child', 'one'), ask('Child', 'two')] }, { text: 'done' }])
  const { record, report } = await play([team], {
    Parent: parentModel(),
    Child: childModel,
    Grand: scriptedModel([]),
  })
  expect(report.outcome).toBe('completed')
  expect(record.of('tool-queued')).toHaveLength(1)
  expect(record.of('tool-result').flatMap((event) => event.error?.code ?? [])).toEqual([
    'depth_exceeded',
    'depth_exceeded',
  ])

  const host = await createHost({
    cards: [team],
    cwd: root,
    config: false,
    models: { 'm/Parent': parentModel(), 'm/Child': childModel, 'm/Grand': childModel },
  })
  onTestFinished(() => host.close())
  const poor = await host.run(undefined, 'question', { budget: { maxTokens: 10 } })
  expect(poor).toMatchObject({ outcome: 'budget', error: { class: 'budget', code: 'budget_exceeded' } })

  const broken = await createHost({
    cards: [agent('Alone', { agents: ['Nobody'] })],
    cwd: root,
    config: false,
  })
  onTestFinished(() => broken.close())
  expect(broken.plan().problems.map((problem) => problem.code)).toContain('agent_unknown')
})

describe('the packages', () => {
  it(`the packages keep the engine free of cards, configuration, registry and surfaces ${verifies('C13', 'C36', 'C39')}`, async () => {
    const dependencies = async (name: string): Promise<readonly string[]> => {
      const text = await readFile(path.join(root, 'packages', name, 'package.json'), 'utf8')
      const { dependencies: all } = JSON.parse(text) as {
        readonly dependencies: Readonly<Record<string, string>>
      }
      return Object.keys(all).filter((dependency) => dependency.startsWith('@troupe/'))
    }
    expect(await dependencies('core')).toEqual([
      '@troupe/env',
      '@troupe/hooks',
      '@troupe/schema',
      '@troupe/tools',
    ])
    expect(await dependencies('env')).toEqual(['@troupe/schema'])
    expect(await dependencies('registry')).toEqual(['@troupe/core', '@troupe/schema', '@troupe/tools'])
  })

  it(`the packages separate running agents from showing them: only events connect the two ${verifies('A88', 'A4')}`, async () => {
    const dependencies = async (folder: string): Promise<readonly string[]> => {
      const text = await readFile(path.join(root, folder, 'package.json'), 'utf8')
      const { dependencies: all } = JSON.parse(text) as {
        readonly dependencies: Readonly<Record<string, string>>
      }
      return Object.keys(all)
    }
    expect(await dependencies('packages/timeline')).toEqual(['@troupe/schema', 'diff'])
    for (const runtime of ['core', 'hooks', 'registry', 'host', 'mcp', 'tools'])
      expect(await dependencies(`packages/${runtime}`)).not.toContain('@troupe/timeline')
  })

  it(`the packages document why a call opens a session of its own ${verifies('A25')}`, async () => {
    const note = await readFile(path.join(root, 'docs/design/isolation.md'), 'utf8')
    expect(note).toContain('There is deliberately no mode in which calls share a child')
  })
})

it(`functions of the same name from files of the same name are loaded separately ${verifies('B25')}`, async () => {
  const folders = await Promise.all(
    ['first', 'second'].map(async (word) => {
      const project = await tempProject({
        'tools.ts': `export function say(): string { return '${word}' }\nsay.description = 'Says it.'\n`,
        'A.md': '---\ndescription: a\nmodel: m/A\nfunctionTools: [tools.ts:say]\n---\nSay it.\n',
      })
      onTestFinished(() => project.remove())
      return project.path
    }),
  )
  const answers = await Promise.all(
    folders.map(async (folder) => {
      const model = scriptedModel([{ calls: [{ tool: 'say', args: {} }] }, { text: 'ok' }])
      const host = await createHost({ cards: [folder], cwd: folder, config: false, models: { 'm/A': model } })
      onTestFinished(() => host.close())
      await host.run(undefined, 'go')
      return JSON.stringify(model.calls[1]?.prompt.at(-1))
    }),
  )
  expect(answers[0]).toContain('first')
  expect(answers[1]).toContain('second')
})
