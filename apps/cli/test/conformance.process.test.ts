import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordFigures } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runServerSuite } from './conformance/run-suite.ts'
import { toNodeArgs, watchProgram, type Program } from './start-program.ts'

const TEAM = fileURLToPath(new URL('conformance/team', import.meta.url))
const EXPECTED_FAILURES = fileURLToPath(new URL('conformance/expected-failures.yml', import.meta.url))
/** The built program, which is tested with `CONFORMANCE=all`; otherwise the sources are tested. */
const BUILT = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
const isWhole = process.env['CONFORMANCE'] === 'all'
const TIMEOUT = 300_000

const BOTH = [
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'resources-list',
  'completion-complete',
]
const NEWER = [
  ...BOTH,
  'caching',
  'sep-2164-resource-not-found',
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
]
const OLDER = [
  ...BOTH,
  'logging-set-level',
  'tools-call-with-logging',
  'dns-rebinding-protection',
  'server-initialize',
  'ping',
  'server-session-lifecycle',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
]

describe('the official conformance suite', () => {
  it.for([
    ['troupe mcp', '2026-07-28', NEWER],
    ['troupe mcp', '2025-11-25', OLDER],
    ['troupe serve', '2026-07-28', NEWER],
    ['troupe serve', '2025-11-25', OLDER],
  ] as const)(
    'the official conformance suite has no unexpected failures for %s and %s',
    { timeout: TIMEOUT },
    async ([command, revision, musts], { task }) => {
      const server = startServer(command)
      const report = await runServerSuite(await addressOf(server, command), revision)
      expect(report.passed).toEqual(expect.arrayContaining([...musts]))
      expect(report.text).toContain('Baseline check passed')
      expect(report.exitCode).toBe(0)
      server.process.kill('SIGTERM')
      expect(await server.ends()).toEqual([143, null])
      recordFigures(task, { [`MCP ${revision}: scenarios passed by \`${command}\``]: report.passed.length })
    },
  )

  it('the list of expected conformance failures names only features that an agent does not have', () => {
    const [, ...names] = readFileSync(EXPECTED_FAILURES, 'utf8').split(/^ {2}- /mu)
    const absent =
      /resources-(?:read|templates-read|subscribe|unsubscribe)|prompts-get-(?:embedded-resource|with-image)|non-tool-request|sampling|roots/u
    const needsModels = ['multiple-input-requests', 'capability-check', 'undeclared-capability']
    const others = names.filter(
      (name) => !absent.test(name) && !needsModels.some((part) => name.includes(part)),
    )
    expect(others).toEqual([])
  })
})

/** Serves the folder of cards and functions in a process of its own. */
function startServer(command: 'troupe mcp' | 'troupe serve'): Program {
  const words = command === 'troupe mcp' ? ['mcp', '.', '--http'] : ['serve', '.']
  const program = isWhole ? [BUILT] : toNodeArgs()
  const folder = mkdtempSync(join(tmpdir(), 'troupe-suite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = ['--store', join(folder, 'runs.db')]
  return watchProgram(
    spawn(process.execPath, [...program, ...words, '--port', '0', ...store], {
      cwd: TEAM,
      env: { PATH: process.env['PATH'], HOME: TEAM },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/** Returns the address of the entry's tools. */
async function addressOf(server: Program, command: 'troupe mcp' | 'troupe serve'): Promise<string> {
  const said = (): string => `${server.out()}${server.err()}`
  await server.until(() => /http:\S+\n/u.test(said()))
  const [origin] = /http:\/\/[\d.:]+/u.exec(said()) ?? ['']
  return `${origin}${command === 'troupe mcp' ? '/mcp' : '/mcp/agents/Suite'}`
}
