import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SUITE = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const EXPECTED_FAILURES = fileURLToPath(new URL('expected-failures.yml', import.meta.url))

/** The suite's report on a server. */
export interface SuiteReport {
  /** 0 if exactly the expected scenarios fail. */
  readonly exitCode: number | null
  /** The scenarios without a failure. */
  readonly passed: readonly string[]
  readonly text: string
}

/** The suite waits half a second for some answers, which a busy machine may miss. */
const ATTEMPTS = 3

/** Runs the scenarios that a protocol revision requires of servers against the server at `url`. */
export async function runServerSuite(url: string, revision: string): Promise<SuiteReport> {
  for (let attempt = 1; ; attempt += 1) {
    const report = await runOnce(url, revision)
    if (report.exitCode === 0 || attempt === ATTEMPTS) return report
  }
}

async function runOnce(url: string, revision: string): Promise<SuiteReport> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-suite-'))
  const words = ['server', '--url', url, '--requirements', revision]
  const files = ['--expected-failures', EXPECTED_FAILURES, '-o', folder]
  const suite = spawn(process.execPath, [SUITE, ...words, ...files], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const exitCode = await new Promise<number | null>((resolve) => suite.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
  const passed = [...text.matchAll(/^✓ (\S+): \d+ passed, 0 failed$/gmu)].map(([, name]) => name ?? '')
  return { exitCode, passed, text }
}
