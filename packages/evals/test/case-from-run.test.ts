import type { JsonObject, Message, RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { load } from 'js-yaml'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addCase, caseFromRun, type CaseSource } from '../src/index.ts'
import { clerkRun } from './sample-report.ts'

const BASE = { runId: 'run_1', rootRunId: 'run_1', agent: 'clerk', instance: 'clerk' }

interface Call {
  readonly tool: string
  readonly args?: JsonObject
  readonly text: string
}

/** Returns the events of a run with these tool calls and this answer. */
function runWith({
  input = 'When are you open?',
  answer = 'We are open from nine to five.',
  value,
  calls = [],
}: {
  readonly input?: string
  readonly answer?: string
  readonly value?: object
  readonly calls?: readonly Call[]
}): readonly RunEvent[] {
  const output =
    value === undefined
      ? { format: 'text' as const, text: answer }
      : { format: 'json' as const, text: JSON.stringify(value), value: value as never }
  return [
    sampleEvent('run-start', { ...BASE, input }),
    ...calls.flatMap(({ tool, args = {}, text }, index) => {
      const call = { ...BASE, callId: `1.${index + 1}`, toolName: tool, source: 'mcp' as const }
      return [
        sampleEvent('tool-call', { ...call, args }),
        sampleEvent('tool-result', { ...call, content: [{ type: 'text', text }] }),
      ]
    }),
    sampleEvent('run-end', { ...BASE, output }),
  ]
}

function contentOf(source: CaseSource): Readonly<Record<string, unknown>> {
  return caseFromRun(source).content
}

describe('a case from a run', () => {
  it('a case has the input, the results of tools as stubs, and a check on the answer', () => {
    const calls = [{ tool: 'crm__find', args: { q: 'hours' }, text: '[{"open": "09:00"}]' }]
    expect(caseFromRun({ events: runWith({ calls }) })).toEqual({
      agent: 'clerk',
      id: 'when-are-you-open',
      content: {
        description: 'From run_1.',
        input: 'When are you open?',
        stubs: { tools: { crm__find: { return: [{ open: '09:00' }] } } },
        assert: [{ contains: 'We are open from nine to five.' }],
      },
    })
  })

  it('agents run again, and the tools of child runs are stubbed with their errors', () => {
    expect(contentOf({ events: clerkRun() })['stubs']).toEqual({
      tools: { crm__find: { error: 'Error: no shop' } },
    })
  })

  it('a tool with different results has a stub for each call, with its arguments as condition', () => {
    const calls = [
      { tool: 'time', args: { city: 'Oslo' }, text: '9:00' },
      { tool: 'time', args: { city: 'Rome', by: { regex: 'x' } }, text: '10:00' },
      { tool: 'time', args: { city: 'Oslo' }, text: '9:00' },
      { tool: 'same', args: { n: 1 }, text: 'ok' },
      { tool: 'same', args: { n: 2 }, text: 'ok' },
    ]
    expect(contentOf({ events: runWith({ calls }) })['stubs']).toEqual({
      tools: {
        time: [
          { args: { city: 'Oslo' }, return: '9:00' },
          { args: { city: 'Rome', by: { equals: { regex: 'x' } } }, return: '10:00' },
        ],
        same: { return: 'ok' },
      },
    })
  })

  it('a conversation becomes messages, without the calls and the system prompt', () => {
    const history: readonly Message[] = [
      { role: 'system', content: 'You are a clerk.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: {} }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Good day' }] },
    ]
    const content = contentOf({ events: runWith({}), history })
    expect(content).not.toHaveProperty('input')
    expect(content['messages']).toEqual([
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Good day' },
      { role: 'user', text: 'When are you open?' },
    ])
  })

  it('the check of a run that is labelled with thumbs down is negated, and the note is the description', () => {
    const label = { value: 'down', note: 'Wrong\nday' } as const
    expect(contentOf({ events: runWith({}), label })).toMatchObject({
      description: 'From run_1, labelled down: Wrong day',
      assert: [{ 'not-contains': 'We are open from nine to five.' }],
    })
    const value = { open: 9 }
    expect(contentOf({ events: runWith({ value }), label })['assert']).toEqual([{ 'not-equals': value }])
    expect(contentOf({ events: runWith({ value }) })['assert']).toEqual([{ equals: value }])
  })

  it('the check of a long answer compares its longest line up to a whole word', () => {
    const answer = `Well.\n${'Open from nine to five. '.repeat(20)}`
    const [check] = contentOf({ events: runWith({ answer }) })['assert'] as readonly { contains: string }[]
    expect(check?.contains.length).toBeLessThanOrEqual(200)
    expect(answer).toContain(check?.contains)
    expect(check?.contains).toMatch(/[a-z.]$/u)
  })

  it('the check of a failed run is that it has no problems', () => {
    const events = runWith({}).map((event) =>
      event.type === 'run-end' ? { ...event, outcome: 'failed' as const } : event,
    )
    expect(contentOf({ events })['assert']).toEqual(['no-problems'])
  })

  it('keys, tokens, email addresses and card numbers are redacted everywhere, and never expected', () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123'
    const mail = 'ann@example.com'
    const draft = caseFromRun({
      events: runWith({
        input: `Use ${token} for ${mail}`,
        answer: `Sent to ${mail} with card 4111 1111 1111 1111, thank you very much.`,
        calls: [
          { tool: 'send', args: { to: mail }, text: `{"key": "${token}"}` },
          { tool: 'send', args: { to: 'all' }, text: `sent to ${mail}` },
        ],
      }),
      history: [{ role: 'user', content: [{ type: 'text', text: `I am ${mail}, {{secret:CRM_KEY:2}}` }] }],
      label: { value: 'up', note: mail },
    })
    const text = JSON.stringify(draft)
    for (const secret of [token, mail, '4111', '{{secret']) expect(text).not.toContain(secret)
    expect(draft.id).toBe('use-for')
    expect(draft.content).toMatchObject({
      messages: [{ text: 'I am [redacted], [redacted:CRM_KEY]' }, { text: 'Use [redacted] for [redacted]' }],
      stubs: {
        tools: {
          send: [{ return: { key: '[redacted]' } }, { args: { to: 'all' }, return: 'sent to [redacted]' }],
        },
      },
      assert: [{ contains: ', thank you very much.' }],
    })
  })

  it('a run that has not ended, and one of which only metadata is stored, cannot become a case', () => {
    const events = runWith({})
    expect(() => caseFromRun({ events: events.slice(0, -1) })).toThrow('The run has not ended')
    expect(() => caseFromRun({ events: [] })).toThrow('The run has not ended')
    expect(() => caseFromRun({ events: runWith({ input: '' }) })).toThrow('Only metadata')
  })
})

describe('adding a case to a file', () => {
  const draft = caseFromRun({ events: runWith({}) })

  it('a new file has the agent and the case, with a hint at the check', () => {
    expect(addCase(undefined, draft, 'cases.yaml')).toEqual({
      id: 'when-are-you-open',
      text: `\
# Run these cases with \`troupe eval\`.

agent: clerk
cases:
  - id: when-are-you-open
    description: From run_1.
    input: When are you open?
    assert:
      # A starting point. Say what a good answer must contain.
      - contains: We are open from nine to five.
`,
    })
  })

  it('an existing file keeps its comments and cases, and the id of the new case is unique', () => {
    const before = `\
# our cases
agent: clerk
defaults: {repeat: 5}  # enough

cases:
- id: when-are-you-open # the first
  input: "When?"
  assert: [no-problems]
  # the second
- {id: when-are-you-open-2, input: x, assert: [no-problems]}

# about judges
calibration: []
`
    const { id, text } = addCase(before, draft, 'cases.yaml')
    expect(id).toBe('when-are-you-open-3')
    const [head = '', tail = ''] = text.split(/^- id: when-are-you-open-3\n(?: .*\n)+/mu)
    expect(head + tail).toBe(before)
    const { cases } = load(text) as { readonly cases: readonly object[] }
    expect(cases).toHaveLength(3)
    expect(cases[2]).toEqual({ id, ...draft.content })
    expect(addCase(before.replaceAll('\n', '\r\n'), draft, 'c.yaml').text).toBe(text.replaceAll('\n', '\r\n'))
  })

  it.each([
    ['agent: other\ncases: []', 'the file has cases for other, but the run is one of clerk'],
    ['name: x', 'the file has no `agent`'],
    ['- a', 'the file has no `agent`'],
    ['agent: [', 'the file cannot be read as YAML'],
    ['agent: clerk\ncases: many', '`cases` is not a list'],
  ])('the file %j is refused with the reason', (text, message) => {
    expect(() => addCase(text, draft, 'cases.yaml')).toThrow(`cases.yaml: ${message}`)
  })

  it('a file that names its agent by a path, or that has no case yet, is accepted', () => {
    for (const text of ['agent: ./clerk.md\ncases: []\n', 'agent: clerk\n', 'agent: clerk\ncases:\n', ''])
      expect(load(addCase(text, draft, 'c.yaml').text)).toMatchObject({
        cases: [{ id: 'when-are-you-open' }],
      })
  })

  it('every case is read back as it was made, whatever the run contains', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        'yes',
        '0x1',
        '2020-01-01',
        '- a',
        '# b',
        '{{x}}',
        '&a',
        '*a',
        '!!js x',
        '"',
        "'",
        ' ',
        '\n \n',
        '%',
        '<<',
      ),
    )
    const call = fc.record({ tool: text, args: fc.dictionary(text, text), text })
    fc.assert(
      fc.property(text, text, fc.array(call, { maxLength: 3 }), (input, answer, calls) => {
        fc.pre(input.trim() !== '')
        const made = caseFromRun({ events: runWith({ input, answer, calls }) })
        const first = addCase(undefined, made, 'c.yaml')
        const second = addCase(first.text, made, 'c.yaml')
        const { cases } = load(second.text) as { readonly cases: readonly object[] }
        expect(cases).toEqual([
          { id: first.id, ...made.content },
          { id: second.id, ...made.content },
        ])
        expect(second.id).not.toBe(first.id)
      }),
    )
  })

  it('characters that YAML does not allow are left out', () => {
    const made = caseFromRun({ events: runWith({ input: 'a\u0000\u001B\u009F\uD800\uFFFEb' }) })
    expect(load(addCase(undefined, made, 'c.yaml').text)).toMatchObject({ cases: [{ input: 'ab' }] })
  })
})
