import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SUITE = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const CLIENT = fileURLToPath(new URL('client.ts', import.meta.url))
/** Long, because every scenario has its own client and all of them start at once. */
const SCENARIO_TIMEOUT = 120_000

/** The suite's report on this client. */
export interface SuiteReport {
  /** 0 if no scenario fails unexpectedly. */
  readonly exitCode: number | null
  /** The passed scenarios; empty for a run of one scenario. */
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  readonly text: string
}

/** Runs the official conformance suite against the client of this package; `args` select the scenarios. */
export async function runSuite(args: readonly string[]): Promise<SuiteReport> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-suite-'))
  const command = `"${process.execPath}" --conditions=@troupe/source --no-warnings "${CLIENT}"`
  const words = ['client', '--command', command, '--timeout', String(SCENARIO_TIMEOUT), '-o', folder, ...args]
  const suite = spawn(process.execPath, [SUITE, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const exitCode = await new Promise<number | null>((resolve) => suite.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
  return { exitCode, passed: scenarios(text, '✓'), failed: scenarios(text, '✗'), text }
}

function scenarios(text: string, mark: '✓' | '✗'): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${mark} `) && line.includes(' passed, '))
    .map((line) => line.slice(2, line.indexOf(':')))
}
