import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs commands one after another. An abort of `signal` ends the active one. */
export interface CommandRunner {
  /** Runs a command with the output of this process. Rejects if it exits with an error. */
  (command: string, args: readonly string[], cwd: string): Promise<void>
}

/** Creates a runner whose commands end with `signal`. */
export function createCommandRunner(signal: AbortSignal): CommandRunner {
  return async (command, args, cwd) => {
    signal.throwIfAborted()
    const child = spawn(command, args, { cwd, stdio: 'inherit' })
    const end = (): void => void child.kill()
    signal.addEventListener('abort', end)
    try {
      const [code, cause] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
      signal.throwIfAborted()
      if (code !== 0)
        throw new Error(`${command} ${args.join(' ')} ended with ${code ?? cause ?? 'an error'}.`)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
}
