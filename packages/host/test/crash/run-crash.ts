import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { bundleForTests, type TestBundle } from '@troupe/tooling/bundle-for-tests'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { CrashSite } from './crash-team.ts'

let bundle: TestBundle | undefined

/** Bundles the program for the tests of a file. */
export function useCrashProgram(): void {
  beforeAll(async () => {
    bundle = await bundleForTests(import.meta.dirname, { program: 'crash-program.ts' })
  })
  afterAll(() => bundle?.remove())
}

/** When the process dies: at a failpoint, or the given ms after it emitted the event with this `seq`. */
export type Death = { readonly point: string } | { readonly seq: number; readonly afterMs: number }

/** Runs the program until it has ended or is dead. Gives its exit code or the signal that ended it. */
export async function runProgram(site: CrashSite, death?: Death): Promise<number | NodeJS.Signals> {
  const point = death !== undefined && 'point' in death ? [death.point] : []
  const child = spawn(
    execPath,
    [join(bundle?.folder ?? '', 'dist/program.js'), JSON.stringify(site), ...point],
    // compiled once for all of them
    { stdio: ['ignore', 'pipe', 'inherit'], env: { NODE_COMPILE_CACHE: join(site.folder, '../compiled') } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  let seq = 0
  child.stdout.on('data', (lines) => (seq = Number(String(lines).trimEnd().split('\n').at(-1))))
  if (death !== undefined && 'seq' in death) {
    while (seq < death.seq && child.exitCode === null)
      await Promise.race([once(child.stdout, 'data'), closed])
    await Promise.race([wait(death.afterMs), closed])
    child.kill('SIGKILL')
  }
  const [code, signal] = await closed
  return signal ?? code ?? -1
}
