import type { ApprovalRequest } from '@troupe/schema'
import { expect, it } from 'vitest'
import { waitingLines } from '../src/reporter/waiting.ts'
import { createStyle } from '../src/terminal/terminal.ts'

const REQUEST = { rootRunId: 'run_1', approvalId: 'a1', instance: 'lead', toolName: 'save', args: {} }

it('the commands that answer open approvals and questions start with npx if npx runs the program', () => {
  const requests = [
    REQUEST,
    { ...REQUEST, asks: { question: 'Which city?' } },
  ] as unknown as ApprovalRequest[]
  const lines = (env: Readonly<Record<string, string>>): string =>
    waitingLines(requests, { env, style: createStyle(false) }).join('\n')
  expect(lines({})).toContain('  decide troupe runs approve run_1 a1 ')
  expect(lines({})).toContain('  answer troupe runs answer run_1 a1 "…"')
  expect(lines({ npm_command: 'exec' })).toContain('  decide npx troupe runs approve run_1 a1 ')
  expect(lines({ npm_command: 'exec' })).toContain('  answer npx troupe runs answer run_1 a1 "…"')
})
