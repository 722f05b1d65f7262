import { assert, json, oneof, property, string } from 'fast-check'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { TroupeError } from '@troupe/schema'
import { parseScript } from '../src/script/parse-script.ts'

function errorOf(text: string): TroupeError | undefined {
  try {
    parseScript(text, 'team/script.yaml')
    return undefined
  } catch (error) {
    if (TroupeError.isInstance(error)) return error
    throw error
  }
}

describe('parseScript', () => {
  it('parseScript reads agents, steps and rules', () => {
    const script = parseScript(
      `
agents:
  time-orchestrator:
    - call: [{tool: agent__NY-Time, args: {text: now}}, {tool: agent__London-Time}]
    - say: 'New York {{results.0.text}}'
  NY-Time:
    - fail: {status: 429, retryAfter: 1s}
    - {say: 42, delay: 50ms, usage: {input: 10, output: 5}}
rules:
  - {when: '^hi', say: hello}
`,
      'script.yaml',
    )

    expect(script.agents.get('time-orchestrator')).toEqual([
      {
        call: [
          { tool: 'agent__NY-Time', args: { text: 'now' } },
          { tool: 'agent__London-Time', args: {} },
        ],
      },
      { say: 'New York {{results.0.text}}' },
    ])
    expect(script.agents.get('NY-Time')).toEqual([
      { fail: { status: 429, retryAfter: 1000 } },
      { say: '42', delay: 50, usage: { input: 10, output: 5 } },
    ])
    expect(script.rules).toEqual([{ when: /^hi/u, say: 'hello' }])
  })

  it.each([
    ['agents: {A: [{say: hi}, {sya: hi}]}', 'agents.A, step 2: unknown key "sya"; did you mean "say"?'],
    [
      'agents: {A: [{when: hi, say: hi}]}',
      'agents.A, step 1: key "when" is not allowed here; it belongs to a rule in `rules`',
    ],
    [
      'rules: [{when: hi, tool: x}]',
      'rules, rule 1: key "tool" is not allowed here; it belongs to an entry of `call`',
    ],
    ['agents: {A: [{call: [{tool: x}, {tol: x}]}]}', 'agents.A, step 1, call 2'],
    ['agents: {A: [{call: []}]}', 'agents.A, step 1, call'],
    ['agents: {A: [{call: [{tool: x, args: [1]}]}]}', 'call 1 args: expected a map of arguments'],
    ['agents: {A: [{delay: 1s}]}', 'a step needs `say`, `call` or `fail`'],
    ['agents: {A: [{say: hi, fail: {status: 500}}]}', 'a step with `fail` cannot have `say` or `call`'],
    ['agents: {A: [{fail: {status: 200}}]}', 'agents.A, step 1, fail status'],
    ['agents: {A: [{fail: {retryAfter: 1s}}]}', 'agents.A, step 1, fail status'],
    ['agents: {A: [{say: hi, delay: soon}]}', 'agents.A, step 1, delay: expected a number of ms'],
    ['agents: {A: [{say: hi, usage: {input: -1}}]}', 'agents.A, step 1, usage input'],
    ['agents: {A: {say: hi}}', 'agents.A'],
    ["agents: {A: [{say: '{{result.0.text}}'}]}", 'agents.A, step 1: unknown placeholder {{result.0.text}}'],
    ["rules: [{when: '(', say: hi}]", 'rules, rule 1, when: not a regular expression'],
    ['rules: [{say: hi}]', 'rules, rule 1, when'],
    [
      "rules: [{when: x, call: [{tool: t, args: {a: ['{{x}}']}}]}]",
      'rules, rule 1: unknown placeholder {{x}}',
    ],
    ['agent: {}', 'unknown key "agent"; did you mean "agents"?'],
    ['{}', 'a script needs `agents`, `rules` or both'],
    ['- say: hi', 'team/script.yaml'],
    ['', 'team/script.yaml'],
    ['agents: {A: [{say: hi}', 'line 1, column'],
    ['agents: {}\nagents: {}', 'line 2, column 1'],
  ])(`parseScript says where %j is wrong ${verifies('C34')}`, (text, message) => {
    const error = errorOf(text)
    expect(error?.code).toBe('model_script_invalid')
    expect(error?.message).toContain(message)
    expect(error?.message).toMatch(/^team\/script\.yaml: /u)
  })

  it('parseScript reads agents with the names of object members', () => {
    const script = parseScript('agents: {toString: [{say: a}], constructor: [{say: b}]}', 'f')

    expect(script.agents.get('toString')).toEqual([{ say: 'a' }])
    expect(script.agents.get('valueOf')).toBeUndefined()
  })

  it('parseScript refuses any invalid text with its own error', () => {
    assert(
      property(oneof(string(), json()), (text) => {
        expect(['model_script_invalid', undefined]).toContain(errorOf(text)?.code)
      }),
    )
  })
})
