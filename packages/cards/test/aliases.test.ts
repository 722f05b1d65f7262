import { AGENT_KEYS, LIMIT_KEYS } from '@troupe/schema/agent-keys'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard } from '../src/index.ts'
import { errorsOf, parse } from './card-text.ts'

const snake = (key: string): string => key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

describe('snake case', () => {
  it.each(AGENT_KEYS.filter((key) => /[A-Z]/u.test(key)))(
    `snake case is accepted for every key: %s ${verifies('R4')}`,
    (key) => {
      const { problems, report } = parse(`${snake(key)}: 1`)
      expect(problems.map((problem) => problem.code)).not.toContain('card_unknown_key')
      expect(report).toContainEqual({ key: snake(key), status: 'translated', to: key })
    },
  )

  it.each(LIMIT_KEYS.filter((key) => /[A-Z]/u.test(key)))(
    `snake case is accepted for every limit, inside of \`limits\` and mostly outside: %s ${verifies('R4')}`,
    (key) => {
      const inside = parse(`limits: {${snake(key)}: 3}`)
      expect(inside.report).toContainEqual({
        key: `limits.${snake(key)}`,
        status: 'translated',
        to: `limits.${key}`,
      })
      if (key === 'maxTokens') return
      for (const spelling of [key, snake(key)]) {
        expect(parse(`${spelling}: 3`).report).toContainEqual({
          key: spelling,
          status: 'translated',
          to: `limits.${key}`,
        })
      }
    },
  )

  it('snake case is accepted in other mappings', () => {
    const card = parse(
      [
        'description: d',
        'context: {keep_turns: 3}',
        'display: {max_instances: 7}',
        'loop_hooks: {before_model: a.ts:b}',
        'mcp_servers: {time: {command: x, requires_approval: true, tool_timeout_sec: 5}}',
      ].join('\n'),
    )
    expect(card.problems).toEqual([])
    expect(card.definition).toMatchObject({
      context: { keepTurns: 3 },
      display: { maxInstances: 7 },
      loopHooks: { beforeModel: 'a.ts:b' },
      mcpServers: { time: { requiresApproval: true, toolTimeout: 5000 } },
    })
    expect(card.report.map(({ key }) => key)).toContain('mcp_servers.time.tool_timeout_sec')
  })

  it('snake case is not converted where the author chooses the keys', () => {
    const card = parse(
      'description: d\ntools: {max_turns: [x]}\ninput: {schema: {type: object, max_turns: 1}}',
    )
    expect(card.definition?.tools.servers).toEqual({ max_turns: ['x'] })
    expect(card.definition?.input.schema).toEqual({ type: 'object', max_turns: 1 })
  })
})

describe('the spellings of the documents', () => {
  const limits = (yaml: string): unknown => parse(`description: d\n${yaml}`).definition?.limits

  it(`alternative spellings are translated to limits ${verifies('R4', 'C26')}`, () => {
    expect(limits('max_parallel: 2')).toMatchObject({ maxParallel: 2 })
    expect(limits('maxToolTurns: 6')).toMatchObject({ maxTurns: 6 })
    expect(limits('limits: {max_tool_turns: 6}')).toMatchObject({ maxTurns: 6 })
    expect(limits('parallelToolCalls: false')).toMatchObject({ parallelToolCalls: false })
    expect(limits('llmTimeout: 2m')).toMatchObject({ llmTimeout: 120_000 })
    expect(limits('request_params: {max_iterations: 5, use_history: false}')).toMatchObject({ maxTurns: 5 })
  })

  it.each([
    ['child_timeout_sec: 120', 120_000],
    ['child_timeout_sec: 0.5', 500],
    ['child_timeout_sec: "120"', 120_000],
    ['child_timeout_sec: 2m', 120_000],
    ['childTimeoutSec: 7', 7000],
    ['limits: {child_timeout_sec: 3}', 3000],
    ['limits: {childTimeout: 3}', 3],
    ['limits: {childTimeout: "3 s"}', 3000],
  ])(
    `alternative spellings with seconds in their name are converted to milliseconds: %s ${verifies('R4')}`,
    (yaml, milliseconds) => {
      expect(limits(yaml)).toMatchObject({ childTimeout: milliseconds })
    },
  )

  it('alternative spellings are translated to settings and schemas', () => {
    const card = parse(
      'description: d\nmodels: [a/b, c/d]\ntool_only: true\ntool_input_schema: {type: object}\nrequest_params: {temperature: 0.1, maxTokens: 50}',
    )
    expect(card.definition).toMatchObject({
      model: ['a/b', 'c/d'],
      hidden: true,
      input: { format: 'json', schema: { type: 'object' } },
      settings: { temperature: 0.1, maxOutputTokens: 50 },
    })
  })

  it('keys without effect are ignored with a reason', () => {
    const card = parse('$schema: ./card.schema.json\nuse_history: true\nschema_version: 1\ndescription: d')
    expect(card.problems).toEqual([])
    expect(card.report).toMatchObject([
      { key: '$schema', status: 'ignored', reason: 'only editors use it' },
      { key: 'use_history', status: 'ignored' },
      { key: 'schema_version', status: 'ignored' },
      { key: 'description', status: 'honoured' },
    ])
  })

  it('functions in Python files are reported with the modules that are loaded instead', () => {
    const card = parse(
      'description: d\nfunction_tools: [tools.py:redact, a.ts:b]\nloopHooks: {onEnd: end.py:done}',
    )
    expect(card.definition?.functionTools).toEqual(['tools.py:redact', 'a.ts:b'])
    const noted = card.report.filter(({ reason }) => reason?.includes('.mjs') === true)
    expect(noted.map(({ key, status }) => [key, status])).toEqual([
      ['function_tools.0', 'honoured'],
      ['loopHooks.onEnd', 'honoured'],
    ])
  })
})

describe('an alias and its key', () => {
  it.each([
    ['max_parallel: 3\nlimits: {maxParallel: 4}', '2:1', 'max_parallel', 'limits.maxParallel'],
    ['limits: {maxParallel: 4}\nmax_parallel: 3', '3:1', 'max_parallel', 'limits.maxParallel'],
    ['limits:\n  maxTurns: 3\n  maxToolTurns: 4', '4:3', 'limits.maxToolTurns', 'limits.maxTurns'],
    ['max_turns: 3\nmaxToolTurns: 4', '3:1', 'maxToolTurns', 'max_turns'],
    ['tool_hooks: [a.ts:b]\ntoolHooks: [a.ts:c]', '2:1', 'tool_hooks', 'toolHooks'],
    [
      'child_timeout_sec: 120\nlimits: {childTimeout: 120}',
      '2:1',
      'child_timeout_sec',
      'limits.childTimeout',
    ],
  ])(
    `an alias and its key with different values are an error: %j ${verifies('R4')}`,
    (yaml, place, alias, key) => {
      expect(errorsOf(parse(yaml))).toEqual([
        `${place} card_alias_conflict \`${alias}\` and \`${key}\` are the same key but have different values.`,
      ])
    },
  )

  it.each([
    'max_parallel: 3\nlimits: {maxParallel: 3}',
    'child_timeout_sec: 120\nlimits: {childTimeout: 2m}',
    'child_timeout_sec: 120\nchild_timeout: 120s\nlimits: {childTimeout: 120000}',
    'tool_hooks: [{use: x, a: 1, b: 2}]\ntoolHooks: [{b: 2, a: 1, use: x}]',
  ])('an alias and its key may have the same value: %j', (yaml) => {
    expect(errorsOf(parse(yaml))).toEqual([])
  })
})

describe('the compositions of fast-agent', () => {
  it.each([
    [
      'type: chain\nsequence: [a, b]\ncumulative: true',
      { type: 'chain', composition: { sequence: ['a', 'b'], cumulative: true } },
      [],
    ],
    [
      'type: parallel\nfan_out: [a, b]\nfan_in: c\ninclude_request: true',
      { type: 'parallel', composition: { fanOut: ['a', 'b'], fanIn: 'c', includeRequest: true } },
      [],
    ],
    [
      'type: orchestrator\nagents: [a]\nplan_type: full\nplan_iterations: -1',
      { type: 'orchestrator', agents: ['a'], composition: { planIterations: -1 } },
      ['plan_type'],
    ],
    [
      'type: evaluator_optimizer\ngenerator: a\nevaluator: b\nmin_rating: 8\nmax_refinements: 2\nrefinement_instruction: x',
      {
        type: 'evaluator_optimizer',
        composition: {
          generator: 'a',
          evaluator: 'b',
          minRating: '8',
          maxRefinements: 2,
          refinementInstruction: 'x',
        },
      },
      [],
    ],
  ])(
    `compositions of fast-agent are read as they are and need no prompt: %s ${verifies('R20')}`,
    (yaml, definition, ignored) => {
      const card = parseCard(`---\ndescription: d\n${yaml}\n---\n`, { path: 'c.md' })
      expect(card.problems).toEqual([])
      expect(card.definition).toMatchObject({ ...definition, instruction: '' })
      const told = card.report.filter(({ status }) => status === 'ignored')
      expect(told.map(({ key }) => key)).toEqual(ignored)
    },
  )

  it('compositions of fast-agent may have keys without a value, as its dumps do', () => {
    const card = parse('description: d\nhistory_mode: null\nchild_timeout_sec: null')
    expect(card.problems).toEqual([])
    expect(card.report).toContainEqual({
      key: 'history_mode',
      status: 'ignored',
      reason: 'it has no value',
    })
    expect(parse('description: d\nhistoryMode: null').problems[0]?.code).toBe('card_bad_value')
  })
})
