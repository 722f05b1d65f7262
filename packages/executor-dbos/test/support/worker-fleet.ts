import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import type { JsonObject } from '@troupe/schema'
import { inject, onTestFinished } from 'vitest'

/** Worker processes, each of which is started again when it ends, as a service manager would do. */
export interface WorkerFleet {
  /** Pids of the workers that have printed `ready`. */
  readonly ready: () => readonly number[]
  /** Number of starts. */
  readonly starts: () => number
  /** Returns everything that the workers printed, without `ready`. */
  readonly printed: () => string
  /** Kills a ready worker with SIGKILL, chosen by `random`. Returns false if none is ready. */
  readonly killOne: (random: () => number) => boolean
  readonly stop: () => Promise<void>
}

/** Starts workers on a folder of cards. They end with the test. */
export async function startFleet(
  url: string,
  {
    folder,
    count,
    slots = 16,
    config = false,
    env = {},
  }: {
    readonly folder: string
    readonly count: number
    readonly slots?: number
    readonly config?: JsonObject | false
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<WorkerFleet> {
  const running = new Map<ChildProcess, boolean>()
  let isStopping = false
  let starts = 0
  let printed = ''
  const waiting = new Set<() => void>()

  function start(): void {
    starts += 1
    const child = spawn(
      process.execPath,
      ['--no-deprecation', inject('worker'), url, folder, String(slots), JSON.stringify(config)],
      {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: join(dirname(inject('worker')), 'compiled'),
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    running.set(child, false)
    const read = (data: Buffer): void => {
      const text = data.toString()
      if (text.includes('ready\n')) running.set(child, true)
      printed += text.replace('ready\n', '')
      for (const wake of waiting) wake()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', () => {
      running.delete(child)
      if (!isStopping) start()
    })
  }

  const fleet: WorkerFleet = {
    ready: () => [...running].flatMap(([{ pid }, isReady]) => (isReady && pid !== undefined ? [pid] : [])),
    starts: () => starts,
    printed: () => printed,
    killOne: (random) => {
      const victims = [...running].flatMap(([child, isReady]) => (isReady ? [child] : []))
      return victims[Math.floor(random() * victims.length)]?.kill('SIGKILL') === true
    },
    stop: async () => {
      isStopping = true
      await Promise.all(
        Array.from(running.keys(), async (child) => {
          const ended = once(child, 'exit')
          child.kill('SIGKILL')
          await ended
        }),
      )
    },
  }
  onTestFinished(fleet.stop)
  for (let index = 0; index < count; index += 1) start()
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (fleet.ready().length < count) return
      waiting.delete(check)
      resolve()
    }
    waiting.add(check)
    check()
  })
  return fleet
}
