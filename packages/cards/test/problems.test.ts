import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard } from '../src/index.ts'
import { errorsOf, parse } from './card-text.ts'

describe('an unknown key', () => {
  it.each([
    ['descripton: x', 'description'],
    ['Description: x', 'description'],
    ['modle: x', 'model'],
    ['agnets: []', 'agents'],
    ['tool-hooks: []', 'toolHooks'],
    ['tool_hook: []', 'toolHooks'],
    ['child_timeout_secs: 3', 'limits.childTimeout'],
    ['max_display_instance: 3', 'display.maxInstances'],
    ['keepTurns: 3', 'context.keepTurns'],
    ['prompt: x', 'instruction'],
    ['timeout: 3', 'limits.timeout'],
  ])('an unknown key has a position and an explanation: %s', (line, near) => {
    const key = line.slice(0, line.indexOf(':'))
    expect(errorsOf(parse(`usage: x\n${line}`))).toEqual([
      `3:1 card_unknown_key Unknown key \`${key}\`; did you mean \`${near}\`?`,
    ])
  })

  it.each([
    ['limits:\n  maxTurn: 3', '4:3', 'limits.maxTurn', 'limits.maxTurns'],
    ['limits: {maxTurns: 3, hook_timout: 3}', '3:23', 'limits.hook_timout', 'limits.hookTimeout'],
    ['limits:\n    model: x', '4:5', 'limits.model', 'model'],
    ['"input":\n  "shema": {}', '4:3', 'input.shema', 'input.schema'],
    ['mcpServers:\n  a:\n    url: x\n    header: {}', '6:5', 'mcpServers.a.header', 'mcpServers.a.headers'],
    [
      'exports:\n  skills:\n    - id: a\n      name: b\n      descripion: c\n      description: d',
      '7:7',
      'exports.skills.0.descripion',
      'exports.skills.0.description',
    ],
  ])('an unknown key in a mapping or list has a position: %s', (yaml, place, key, near) => {
    expect(errorsOf(parse(`usage: x\n${yaml}`))).toEqual([
      `${place} card_unknown_key Unknown key \`${key}\`; did you mean \`${near}\`?`,
    ])
  })

  it.each([
    ['transport', 'type'],
    ['uri', 'url'],
    ['cmd', 'command'],
  ])('an MCP server key of another product is explained by the key of Troupe: %s', (key, near) => {
    expect(errorsOf(parse(`mcpServers: {a: {command: node, ${key}: stdio}}`))).toEqual([
      expect.stringContaining(`Unknown key \`mcpServers.a.${key}\`; did you mean \`mcpServers.a.${near}\`?`),
    ])
  })

  it('an unknown key has no suggestion if no known key is close', () => {
    expect(errorsOf(parse('zebra: x'))).toEqual(['2:1 card_unknown_key Unknown key `zebra`.'])
  })

  it.each(['constructor', 'toString', 'prototype', '<<'])(
    'a property that every object inherits is an unknown key: %s',
    (key) => {
      expect(errorsOf(parse(`${key}: x`))).toEqual([`2:1 card_unknown_key Unknown key \`${key}\`.`])
    },
  )
})

describe('a bad value', () => {
  it.each([
    [
      'limits: {toolTimeout: soon}',
      '`limits.toolTimeout` must be a number of ms or text such as "120s" or "5m", not the text "soon".',
    ],
    ['version: v1', '`version` must be text of the form `1.4.0` (semver), not the text "v1".'],
    [
      'reasoning: hard',
      '`reasoning` must be one of provider-default, none, minimal, low, medium, high, xhigh, max, or a number of tokens, not the text "hard".',
    ],
    ['minRating: [a]', '`minRating` must be a rating such as `GOOD`, or a number, not a list.'],
    ['limits: {maxTurns: ten}', '`limits.maxTurns` must be a number, not the text "ten".'],
    ['limits: {maxTurns: 0}', '`limits.maxTurns` must be at least 1, not 0.'],
    ['limits: {maxTurns: 1.5}', '`limits.maxTurns` must be a whole number, not 1.5.'],
    ['limits: []', '`limits` must be a mapping, not a list.'],
    ['model: 3', '`model` must be text such as `openai/gpt-5-mini`, or a list of such texts, not 3.'],
    [
      'mode: tool',
      '`mode` must be one of interactive, autonomous, tools, not the text "tool"; did you mean `tools`?',
    ],
    ['historyMode: none', '`historyMode` must be one of scratch, fork, fork_and_merge, not the text "none".'],
    ['default: yes', '`default` must be true or false, not the text "yes".'],
    ['servers:', '`servers` has no value; set one or remove the key.'],
    ['servers: time', '`servers` must be a list, not the text "time".'],
    [
      'name: a/b',
      '`name` is not valid: a name must not contain / \\ * ? [ ] { } or control characters, or start or end with a space.',
    ],
    [
      'toolHooks: [{used: x}]',
      '`toolHooks.0` must be text of the form `module.ts:function`, the name of a stock hook, or a mapping with `use`, not a mapping.',
    ],
    [
      'mcpServers: {a: {url: x, headers: {authorization: 12345678}}}',
      '`mcpServers.a.headers.authorization` must be text, not a number.',
    ],
  ])('a bad value is reported with the expected value: %s', (yaml, message) => {
    expect(parse(yaml).problems.filter((problem) => problem.severity === 'error')).toMatchObject([
      { code: 'card_bad_value', message, line: 2 },
    ])
  })

  it(`a bad agent type is reported with the known types ${verifies('R20')}`, () => {
    expect(errorsOf(parse('type: worker'))).toEqual([
      '2:1 card_bad_value `type` must be one of agent, chain, parallel, router, orchestrator, evaluator_optimizer, voting, not the text "worker".',
    ])
  })

  it('a bad value is reported under the name that was written', () => {
    expect(errorsOf(parse('child_timeout_sec: soon\nloop_hooks:\n  before_model: 3'))).toMatchObject(
      [
        /^2:1 card_bad_value `child_timeout_sec` must be/u,
        /^4:3 card_bad_value `loop_hooks.before_model` must be/u,
      ].map((pattern) => expect.stringMatching(pattern)),
    )
  })

  it(`code that can only be named in a file is a bad value ${verifies('B17')}`, () => {
    const yaml = [
      'agents: [{name: x, digest: y, instruction: z}]',
      'functionTools: [{execute: x, inputSchema: {}}]',
      'loopHooks: {onEnd: {a: b}}',
    ].join('\n')
    expect(errorsOf(parse(yaml))).toEqual([
      '2:10 card_bad_value `agents.0` must be the name or the path of an agent, not a mapping or a list.',
      '3:17 card_bad_value `functionTools.0` must be text of the form `module.ts:function`, or a mapping with it as `use`, not a mapping or a list.',
      '4:13 card_bad_value `loopHooks.onEnd` must be text of the form `module.ts:function`, not a mapping or a list.',
    ])
  })
})

describe('all problems of a card', () => {
  it('all problems of a card are reported in the order of the file', () => {
    const card = parse('max_parallel: 3\nmodle: x\nlimits:\n  maxTurns: 0\n  maxParallel: 4\ninstruction: x')
    expect(card.definition).toBeUndefined()
    expect(card.problems.map(({ code, line }) => `${line} ${code}`)).toEqual([
      '1 card_no_description',
      '2 card_alias_conflict',
      '3 card_unknown_key',
      '5 card_bad_value',
      '7 card_two_instructions',
    ])
  })

  it('all problems of a card have the file and a fix', () => {
    const [problem] = parse('description: d\n- x').problems
    expect(problem).toMatchObject({ code: 'card_bad_yaml', file: '/team/agent.md', line: 3 })
    expect(problem?.fix).toContain('Correct the YAML')
  })

  it('problems of a card are only counted beyond one hundred', () => {
    const yaml = Array.from({ length: 150 }, (_, index) => `zebra${index}: x`).join('\n')
    const card = parse(`description: d\n${yaml}`)
    expect(card.problems).toHaveLength(101)
    expect(card.problems.at(-1)?.message).toBe('There are 50 more problems.')
  })

  it('a problem of the file name has no position in the file', () => {
    const card = parseCard('---\nusage: x\n---\nhi', { path: '/team/a[1].md' })
    expect(errorsOf(card)).toEqual([
      '1:1 card_bad_value The file name results in the agent name "a[1]", which is not valid.',
    ])
    expect(parseCard('---\nname: b\n---\nhi', { path: '/team/a[1].md' }).definition?.name).toBe('b')
  })
})

describe('YAML that is not supported', () => {
  it.each([
    ['agents:\n  a: &x {usage: y}\n', 'Repeat the value wherever it is needed.'],
    ['usage: a\n---\nusage: b\n', 'Put each document into its own file.'],
    ['usage: !include a.md\n', expect.stringContaining('Write the value itself. ')],
    ['usage: a\n{% if b %}\nmodel: c\n{% endif %}\n', expect.stringContaining('inside text')],
  ])('unsupported YAML is reported with a fix: %j', (text, fix) => {
    expect(parseCard(text, { path: '/team/agent.yaml' }).problems).toMatchObject([
      { code: 'card_bad_yaml', fix },
    ])
  })
})

describe('YAML that is not a card', () => {
  it.each([
    ['a: 1\na: 2', '3:1 card_bad_yaml This is not valid YAML: duplicated mapping key.'],
    ['a: b: c', '2:5 card_bad_yaml This is not valid YAML: bad indentation of a mapping entry.'],
    ['a: [1', '2:6 card_bad_yaml'],
    [
      'a: &x 1\nb: *x',
      '2:4 card_bad_yaml This is not valid YAML: anchors and aliases (&name, *name) are not allowed.',
    ],
    [
      'a: 1\nb: *x',
      '3:4 card_bad_yaml This is not valid YAML: anchors and aliases (&name, *name) are not allowed.',
    ],
    [
      'a: !!js/function x',
      '2:4 card_bad_yaml This is not valid YAML: unknown scalar tag !<tag:yaml.org,2002:js/function>.',
    ],
    ['a: !!timestamp 2026-01-01', '2:4 card_bad_yaml'],
    ['a: !own x', '2:4 card_bad_yaml'],
    ['"__proto__": {a: 1}', '2:2 card_bad_yaml This is not valid YAML: the key `__proto__` is not allowed.'],
    [
      'limits: {"\\x5f_proto__": 1}',
      '2:11 card_bad_yaml This is not valid YAML: the key `__proto__` is not allowed.',
    ],
    ['? [a]\n: b', '1:1 card_bad_yaml'],
    [
      '- a\n- b',
      '1:1 card_syntax A card must be a mapping of keys (`key: value`), not a list or a single value.',
    ],
    ['just text', '1:1 card_syntax'],
    ['a: "\u0000"', '2:5 card_bad_yaml'],
  ])('invalid YAML is reported with a position: %j', (yaml, problem) => {
    const errors = errorsOf(parse(yaml))
    expect(errors).toHaveLength(1)
    expect(errors[0]?.slice(0, problem.length)).toBe(problem)
  })

  it.each([
    ['no closing fence', '---\nname: x\n', '1:1 card_syntax'],
    ['a longer closing fence', '---\nname: x\n----\nhi', '3:1 card_syntax'],
    ['a closing fence with text', '---\nname: x\n--- # end\nhi', '3:1 card_syntax'],
    ['two documents in data', 'a: 1\n---\nb: 2\n', '3:1 card_bad_yaml'],
  ])('bad front matter fences are reported: %s', (name, text, problem) => {
    const path = name.endsWith('data') ? '/t/a.yaml' : '/t/a.md'
    expect(errorsOf(parseCard(text, { path }))).toMatchObject([expect.stringContaining(problem)])
  })

  it.each([
    ['lines', `---\n${'#\n'.repeat(2001)}---\nhi`],
    ['bytes', `---\nusage: ${'x'.repeat(64 * 1024)}\n---\nhi`],
    ['bytes in UTF-8', `---\nusage: ${'ö'.repeat(33 * 1024)}\n---\nhi`],
    ['blank lines', `---\n${`${' '.repeat(99)}\n`.repeat(50)}---\nhi`],
    ['characters in the file', 'x'.repeat(1024 * 1024 + 1)],
    ['bytes in the file', 'ö'.repeat(600 * 1024)],
    ['values', `---\nagents: [${'a,'.repeat(21_000)}]\n---\nhi`],
  ])('a card that is too large is rejected before it is parsed: %s', (_what, text) => {
    const card = parseCard(text, { path: '/t/a.md' })
    expect(card.problems).toMatchObject([{ code: 'card_too_large', severity: 'error' }])
  })

  it('a mistake in a JSON card is reported', () => {
    const parseJson = (text: string): readonly string[] => errorsOf(parseCard(text, { path: '/t/a.json' }))
    expect(parseJson('{"instruction": "x",\n "model": 3,}')).toMatchObject([
      expect.stringMatching(/^2:13 card_syntax This is not valid JSON: /u),
    ])
    expect(parseJson('instruction: x')).toMatchObject([expect.stringContaining('card_syntax')])
    expect(parseJson('[]')).toMatchObject([expect.stringContaining('card_syntax')])
    expect(parseJson('{"instruction": "x", "modle": "y"}')).toEqual([
      '1:22 card_unknown_key Unknown key `modle`; did you mean `model`?',
    ])
    expect(parseJson('{"instruction": "x", "instruction": "y"}')).toMatchObject([
      expect.stringContaining('duplicated mapping key'),
    ])
  })
})
