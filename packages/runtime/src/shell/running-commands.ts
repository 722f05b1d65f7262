import type { ProcessGroup } from '@troupe/process'

/** The running commands, so that the app can end them when it exits. */
export interface RunningCommands {
  add(group: ProcessGroup, ended: Promise<unknown>): void
  /** Waits for all running commands to end. */
  waitForAll(): Promise<void>
  /** Sends SIGKILL to all commands immediately. */
  kill(): void
}

/** Creates an empty set of running commands. */
export function createRunningCommands(): RunningCommands {
  const running = new Map<ProcessGroup, Promise<unknown>>()
  return {
    add(group, ended) {
      running.set(group, ended)
      const forget = (): void => void running.delete(group)
      ended.then(forget, forget)
    },
    waitForAll: async () => {
      await Promise.allSettled(running.values())
    },
    kill: () => {
      for (const group of running.keys()) group.signal('SIGKILL')
    },
  }
}
