import type { ProcessGroup } from '@troupe/process'

/** The commands that run: an app that ends takes them with it. */
export interface RunningCommands {
  add(group: ProcessGroup, ended: Promise<unknown>): void
  /** Waits for those that are being ended. */
  settled(): Promise<void>
  /** SIGKILL to all, now. */
  kill(): void
}

/** None yet. */
export function createRunningCommands(): RunningCommands {
  const running = new Map<ProcessGroup, Promise<unknown>>()
  return {
    add(group, ended) {
      running.set(group, ended)
      const forget = (): void => void running.delete(group)
      ended.then(forget, forget)
    },
    settled: async () => {
      await Promise.allSettled(running.values())
    },
    kill: () => {
      for (const group of running.keys()) group.signal('SIGKILL')
    },
  }
}
