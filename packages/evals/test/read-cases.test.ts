import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readCases, type CaseFiles } from '../src/index.ts'

describe('readCases', () => {
  it('a complete case file is read with its defaults and all forms of checks', async () => {
    const { files, problems } = await read(`
agent: guide
defaults: { repeat: 5, timeout: 60s, budget: 0.05 }
cases:
  - id: opening-hours
    input: When are you open?
    stubs: { tools: { crm__find: { return: [] } } }
    assert:
      - contains: nine
      - { type: json-path, path: '$.hours[0].open', equals: '09:00' }
      - { type: tool-calls, order: [crm__find, agent__clerk], args: { text: { regex: hours } }, count: { max: 2 } }
      - { type: not-tool-called, value: mail__send }
      - { type: agents, used: [clerk] }
      - { type: cost, max: 0.01 }
      - { type: latency, max: 2s }
      - { type: judge, agent: grader, rubric: Names the hours and nothing else., gate: false }
      - { type: javascript, value: ./check.ts }
      - no-problems
      - not-regex: 'ten|eleven'
      - judge: { agent: grader, rubric: Is polite. }
        gate: false
`)
    expect(problems).toEqual([])
    const [evalCase] = files[0]?.cases ?? []
    expect(evalCase).toMatchObject({ id: 'opening-hours', repeat: 5, timeout: 60_000, budget: 0.05 })
    expect(evalCase?.stubs.get('crm__find')).toEqual([{ return: [] }])
    expect(evalCase?.checks.map(({ fields, not, gate }) => [fields.type, not, gate])).toEqual([
      ['contains', false, true],
      ['json-path', false, true],
      ['tool-calls', false, true],
      ['tool-called', true, true],
      ['agents', false, true],
      ['cost', false, true],
      ['latency', false, true],
      ['judge', false, false],
      ['javascript', false, true],
      ['no-problems', false, true],
      ['regex', true, true],
      ['judge', false, false],
    ])
    expect(evalCase?.checks[6]?.fields).toEqual({ type: 'latency', max: 2000 })
  })

  it('variables fill in the input, the messages and the checks', async () => {
    const { files } = await read(`
agent: guide
cases:
  - id: a
    vars: { city: Rome, count: 2 }
    messages: [{ role: user, text: 'To {{city}}.' }, { role: assistant, text: Yes? }, { role: user, text: '{{ count }} tickets' }]
    assert: [{ contains: '{{city}}' }]
`)
    expect(files[0]?.cases[0]).toMatchObject({
      input: '2 tickets',
      earlier: [
        { role: 'user', text: 'To Rome.' },
        { role: 'assistant', text: 'Yes?' },
      ],
      checks: [{ fields: { value: 'Rome' } }],
    })
  })

  it.each([
    ['an unknown key', 'agnet: guide', '1:1 unknown key `agnet`; did you mean `agent`?'],
    ['an unknown key of a case', 'inptu: hi', '5:5 unknown key `inptu`; did you mean `input`?'],
    [
      'an unknown check',
      'assert: [{ contians: nine }]',
      '5:16 unknown check `contians`; did you mean `contains`?',
    ],
    [
      'an unknown key of a check',
      'assert: [{ type: cost, maxi: 1 }]',
      '5:28 cost: unknown key `maxi`; did you mean `max`?',
    ],
    ['a check without bounds', 'assert: [{ type: cost }]', '5:14 cost: set `max`, `min` or both'],
    ['a wrong type', 'repeat: many', '5:5 cases.0.repeat: invalid input: expected number, received string'],
    [
      'a hostile pattern',
      'assert: [{ regex: "(?=a)b" }]',
      '5:14 regex: the regular expression `(?=a)b` is not valid, too long, or uses lookarounds or backreferences, which are not supported',
    ],
    [
      'a variable without a value',
      'vars: {}\n    description: "{{x}}"\n    input: "{{x}}"',
      '7:5 {{x}} is not in `vars`',
    ],
    [
      'a file outside of the folder',
      'files: [../secret.txt]',
      '5:13 ../secret.txt is not a file in the folder of the case file',
    ],
    ['a schema that is not one', 'assert: [{ json-schema: { type: txet } }]', '5:14 json-schema: '],
    ['a wrong JSONPath', 'assert: [{ type: json-path, path: "hours[" }]', '5:14 json-path: '],
    ['a stub without an answer', 'stubs: { tools: { a: {} } }', '5:23 cases.0.stubs.tools.a: '],
  ])('%s is reported with its position', async (_, line, expected) => {
    const isTop = line.startsWith('agnet')
    const own = line.includes('input:') || line.startsWith('inptu') ? '' : '    input: hi\n'
    const checks = line.startsWith('assert') ? '' : '    assert: [{ contains: a }]\n'
    const text = isTop
      ? `${line}\ncases: [{ id: a, input: hi, assert: [no-problems] }]\n`
      : `agent: guide\n\ncases:\n  - id: a\n    ${line}\n${own}${checks}`
    const { files, problems } = await read(text)
    expect(files).toEqual([])
    expect(problems.map(({ line: row, column, message }) => `${row}:${column} ${message}`)).toContainEqual(
      expect.stringContaining(expected),
    )
  })

  it('a key of the prototype is not a check', async () => {
    const { problems } = await read(
      'agent: a\ncases: [{ id: a, input: b, assert: [constructor, { toString: 1 }] }]\n',
    )
    expect(problems.map(({ message }) => message)).toEqual([
      'unknown check `constructor`',
      'unknown check `toString`',
    ])
  })

  it('the same id in two files of a folder is an error', async () => {
    const one = 'agent: a\ncases: [{ id: a, input: b, assert: [no-problems] }]\n'
    const folder = await tempProject({ 'one.eval.yaml': one, 'two.eval.yaml': one, 'other.yaml': ': : :' })
    onTestFinished(() => folder.remove())
    const { problems } = readCases('.', folder.path)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ line: 2, column: 11 })
    expect(problems[0]?.message).toContain('also in')
  })

  it('invalid YAML and a missing file are problems, not exceptions', async () => {
    const { problems } = await read('agent: [')
    expect(problems).toHaveLength(1)
    expect(readCases('missing.yaml', '/').problems).toHaveLength(1)
  })
})

async function read(text: string): Promise<CaseFiles> {
  const folder = await tempProject({ 'team/cases.eval.yaml': text, 'secret.txt': 'no' })
  onTestFinished(() => folder.remove())
  return readCases('team/cases.eval.yaml', folder.path)
}
