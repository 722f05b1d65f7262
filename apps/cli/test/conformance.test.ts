import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runServerSuite } from './conformance/run-suite.ts'
import { startProgram } from './start-program.ts'

const TEAM = fileURLToPath(new URL('conformance/team', import.meta.url))
const TIMEOUT = 120_000
const TOOLS = ['tools-list', 'tools-call-simple-text', 'tools-call-error', 'tools-call-with-progress']

describe('the official conformance suite, against `troupe mcp --http`', () => {
  it.each([
    [
      '2026-07-28',
      [
        ...TOOLS,
        'dns-rebinding-protection',
        'json-schema-2020-12',
        'http-header-validation',
        'http-custom-header-server-validation',
        'input-required-result-basic-elicitation',
        'input-required-result-request-state',
        'input-required-result-multi-round',
        'input-required-result-tampered-state',
        'input-required-result-missing-input-response',
        'input-required-result-ignore-extra-params',
      ],
    ],
    [
      '2025-11-25',
      [
        ...TOOLS,
        'dns-rebinding-protection',
        'server-initialize',
        'ping',
        'server-session-lifecycle',
        'tools-call-elicitation',
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
      ],
    ],
  ])(
    'finds nothing that fails and should not, of %s',
    async (revision, musts) => {
      const server = startProgram(['mcp', 'suite.md', '--http', '--port', '0', '--no-store'], TEAM)
      await server.says('/mcp\n')
      const url = /http:\S+/u.exec(server.err())?.[0] ?? ''
      const report = await runServerSuite(url, revision)
      expect(report.passed).toEqual(expect.arrayContaining(musts))
      expect(report.exitCode).toBe(0)
      server.process.kill('SIGTERM')
      expect(await server.ends()).toEqual([143, null])
    },
    TIMEOUT,
  )
})
