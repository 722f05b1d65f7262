import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createPlainReporter } from '../src/reporter/reporter.ts'
import { child, numbered, ROOT } from './events.ts'
import { testContext } from './test-context.ts'

const EVENTS = numbered([
  sampleEvent('run-start', ROOT),
  sampleEvent('turn-start', ROOT),
  sampleEvent('text-end', { ...ROOT, text: 'Let me\nsee.' }),
  sampleEvent('tool-call', { ...ROOT, callId: '1.2', toolName: 'agent__City', source: 'agent' }),
  sampleEvent('text-end', { ...child(2), text: 'It is five.' }),
  sampleEvent('tool-call', { ...child(2), toolName: 'clock__now', args: { zone: 'Paris' } }),
  sampleEvent('log', { ...child(2), text: 'one\u001B[2Jtwo' }),
  sampleEvent('turn-start', { ...ROOT, turn: 2 }),
  sampleEvent('text-end', { ...ROOT, text: 'Five.' }),
])

function print(verbose: boolean): readonly string[] {
  const context = testContext()
  const reporter = createPlainReporter(context.terminal.stderr, { verbose })
  for (const event of EVENTS) reporter.onEvent(event)
  reporter.end()
  return context.err().split('\n')
}

it(`the plain reporter prints a line per event, for children with tool name, index and run id ${verifies('C56', 'A23')}`, () => {
  expect(print(false)).toEqual([
    'Time root started: go',
    'Time says: Let me see.',
    'Time root calls agent__City {}',
    'child:agent__City[2] child-2 calls clock__now {"zone":"Paris"}',
    'child:agent__City[2] child-2 onetwo',
    '',
  ])
})

it(`the plain reporter shows the text of the root run except the answer, and of a child only its tools ${verifies('A51', 'A52', 'A57')}`, () => {
  const text = print(true).join('\n')
  expect(text).toContain('Time says: Let me see.\n')
  expect(text).toContain('calls clock__now')
  expect(text).not.toMatch(/five/iu)
})
