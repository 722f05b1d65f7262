import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { execPath, kill } from 'node:process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { bundleForTests, type TestBundle } from '@troupe/tooling/bundle-for-tests'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

let bundle: TestBundle | undefined

/** Bundles the program of writers for the tests of a file. */
export function useWriters(): void {
  beforeAll(async () => {
    bundle = await bundleForTests(import.meta.dirname, { writer: 'writer-process.ts' })
  })
  afterAll(() => bundle?.remove())
}

/** An event that the listener of a writer received. */
interface PrintedEvent {
  readonly runId: string
  readonly seq: number
  /** The number of the event in its run. */
  readonly number: number
}

/** A process that writes the logs of some runs. */
export interface Writer {
  readonly process: ChildProcess
  readonly printed: readonly PrintedEvent[]
  /** Codes of the troubles of its store, and `over` for the end of each. */
  readonly troubles: readonly string[]
  /** Resolves once it has printed so many events. */
  hasPrinted(count: number): Promise<void>
  /** Stops it after its present entries. Resolves with its exit code. */
  finish(): Promise<number>
  kill(): Promise<void>
}

export function startWriter(
  url: string,
  run: { readonly rootRunId: string; readonly runIds: readonly string[]; readonly count?: number },
): Writer {
  const { rootRunId, runIds, count } = run
  const args = [join(bundle?.folder ?? '', 'dist/writer.js'), url, rootRunId, runIds.join(',')]
  if (count !== undefined) args.push(String(count))
  const child = spawn(execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed: PrintedEvent[] = []
  const troubles: string[] = []
  createInterface(child.stdout).on('line', (line) => {
    const [runId = '', seq = '', number] = line.split(' ')
    if (number === undefined) troubles.push(seq)
    else printed.push({ runId, seq: Number(seq), number: Number(number) })
  })
  return {
    process: child,
    printed,
    troubles,
    async hasPrinted(wanted) {
      while (printed.length < wanted) {
        if (child.exitCode !== null) throw new Error(`the writer has ended with ${child.exitCode}`)
        await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
      }
    },
    async finish() {
      child.kill('SIGTERM')
      const [code] = await once(child, 'close')
      return code as number
    },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** Returns true if a process is running. */
export function isRunning(pid: number): boolean {
  try {
    return kill(pid, 0)
  } catch {
    // there is no such process
    return false
  }
}
