import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { recordFigures, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runSuite } from './conformance/run-suite.ts'

const EXPECTED_FAILURES = fileURLToPath(new URL('conformance/expected-failures.yml', import.meta.url))
const TIMEOUT = 300_000

describe('the official conformance suite', () => {
  it.each([
    ['2026-07-28', 'tools_call'],
    ['2026-07-28', 'sep-2322-client-request-state'],
    ['2026-07-28', 'auth/authorization-server-migration'],
    ['2025-11-25', 'tools_call'],
    ['2025-11-25', 'elicitation-sep1034-client-defaults'],
    ['2025-11-25', 'auth/scope-step-up'],
  ])(
    `the official conformance suite accepts the client, of %s: %s ${verifies('C35')}`,
    async (revision, scenario) => {
      const report = await runSuite(['--spec-version', revision, '--scenario', scenario])
      expect(report.exitCode).toBe(0)
    },
    TIMEOUT,
  )
})

/** The complete suite takes a minute of both cores: `pnpm conformance`. */
describe.runIf(process.env['CONFORMANCE'] === 'all')('the complete official conformance suite', () => {
  const extensions = [...readFileSync(EXPECTED_FAILURES, 'utf8').matchAll(/^ {2}- (.+)$/gmu)].map(
    ([, name]) => name ?? '',
  )

  it.for(['2026-07-28', '2025-11-25'])(
    'the client passes every conformance scenario that %s requires',
    { timeout: TIMEOUT },
    async (revision, { task }) => {
      const report = await runSuite(['--requirements', revision])
      expect(report.exitCode).toBe(0)
      expect(report.failed.toSorted()).toEqual(extensions.toSorted())
      recordFigures(task, { [`MCP ${revision}: scenarios passed by the client`]: report.passed.length })
    },
  )

  it(
    'the client passes all other conformance scenarios except for the extensions that the docs name',
    async () => {
      const report = await runSuite(['--suite', 'all', '--expected-failures', EXPECTED_FAILURES])
      expect(report.exitCode).toBe(0)
    },
    TIMEOUT,
  )
})
