import { sampleEvent, verifies } from '@troupe/testkit'
import { expect, it } from 'vitest'
import { createPlainReporter } from '../src/reporter/plain.ts'
import { child, numbered, ROOT } from './events.ts'
import { testContext } from './test-context.ts'

function print(verbose: boolean): string {
  const context = testContext()
  const reporter = createPlainReporter(context.terminal.stderr, { verbose })
  const events = numbered([
    sampleEvent('run-start', ROOT),
    sampleEvent('text-end', { ...ROOT, text: 'Let me see.' }),
    sampleEvent('tool-call', { ...child(2), toolName: 'clock__now', args: { zone: 'Paris' } }),
    sampleEvent('text-end', { ...child(2), text: 'It is\nfive.' }),
    sampleEvent('log', { ...child(2), text: 'one\u001B[2Jtwo' }),
  ])
  for (const event of events) reporter.onEvent(event)
  return context.err()
}

it(`prints a line for each event, children with their tool name, index and run id ${verifies('C56', 'A23')}`, () => {
  expect(print(false).split('\n')).toEqual([
    'Time root started: go',
    'child:agent__City[2] child-2 calls clock__now {"zone":"Paris"}',
    'child:agent__City[2] child-2 onetwo',
    '',
  ])
})

it(`adds what the root says when it is verbose, but never the chat of a child ${verifies('A51', 'A52', 'A57')}`, () => {
  const text = print(true)
  expect(text).toContain('Time says: Let me see.\n')
  expect(text).toContain('calls clock__now')
  expect(text).not.toContain('five')
})
