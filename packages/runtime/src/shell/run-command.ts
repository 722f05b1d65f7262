import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import {
  endProcessGroup,
  exitStatus,
  processGroup,
  spawnContained,
  type Containment,
  type ProcessGroup,
} from '@troupe/process'
import { errorMessage, troupeError, type Clock } from '@troupe/schema'
import { captureOutput, type CapturedOutput } from './captured-output.ts'

/**
 * Time (ms) to wait for output after a command has exited. Processes it left behind may hold its output open
 * forever.
 */
const OUTPUT_GRACE_MS = 250

/** A program and its arguments, which no shell interprets. */
interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly stdin?: string | undefined
}

/** Environment and limits of a command. */
interface CommandEnvironment {
  readonly cwd: string
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly running: RunningCommands
  readonly containment: Containment
}

/** The result of a command. */
export interface CommandResult {
  /** `null` if a signal ended it. */
  readonly exitCode: number | null
  readonly endedBy: string | null
  readonly isTimeout: boolean
  readonly stdout: CapturedOutput
  readonly stderr: CapturedOutput
}

/**
 * Runs a program and ends it, with everything it started, on exit, timeout or abort. If the containment is a
 * process group, processes that left the group survive. Throws `shell_failed` if the program does not start.
 */
export async function runCommand(command: Command, environment: CommandEnvironment): Promise<CommandResult> {
  const child = start(command, environment)
  const stdout = captureOutput()
  const stderr = captureOutput()
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  const spawned = waitForSpawn(child, command)
  const ended = endOf(child, environment.clock)
  if (child.pid === undefined) {
    await spawned
    throw troupeError('shell_failed', `${JSON.stringify(command.command)} did not start.`)
  }
  const group = processGroup(child.pid)
  const work = finish({ child, group, ended, environment })
  environment.running.add(group, work)
  child.stdin.end(command.stdin ?? '')
  const [isTimeout] = await Promise.all([work, spawned])
  const { code, signal } = exitStatus(
    { code: child.exitCode, signal: child.signalCode },
    environment.containment,
  )
  return { exitCode: code, endedBy: signal, isTimeout, stdout, stderr }
}

function start(
  { command, args }: Command,
  { cwd, env, containment }: CommandEnvironment,
): ChildProcessWithoutNullStreams {
  try {
    const child = spawnContained({ command, args, cwd, env }, containment)
    // A program may exit without reading its input.
    child.stdin.on('error', ignoreError)
    child.stdout.on('error', ignoreError)
    child.stderr.on('error', ignoreError)
    return child
  } catch (thrown) {
    throw startError(command, thrown)
  }
}

function ignoreError(): void {
  // Pipes break when a process ends; only its exit status matters.
}

function waitForSpawn(child: ChildProcessWithoutNullStreams, { command }: Command): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('spawn', resolve)
  child.once('error', (error) => reject(startError(command, error)))
  return promise
}

function startError(command: string, thrown: unknown): Error {
  const isMissing = (thrown as { readonly code?: unknown }).code === 'ENOENT'
  const why = isMissing ? 'the program or the working folder does not exist' : errorMessage(thrown)
  return troupeError('shell_failed', `${JSON.stringify(command)} cannot be started: ${why}.`, {
    fix: 'Pass the program name in `command` and each argument as an entry of `args`. For a command line, leave out `args`.',
    cause: thrown,
  })
}

/** Resolves when the output of the exited command is complete, or shortly after its exit. */
function endOf(child: ChildProcessWithoutNullStreams, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let cancel: (() => void) | undefined
  child.once('exit', () => {
    cancel = clock.after(OUTPUT_GRACE_MS, resolve)
  })
  child.once('close', () => {
    cancel?.()
    resolve()
  })
  return promise
}

/** Waits for exit, timeout or abort, then ends the process group. Returns true on timeout. */
async function finish(parts: {
  readonly child: ChildProcessWithoutNullStreams
  readonly group: ReturnType<typeof processGroup>
  readonly ended: Promise<void>
  readonly environment: CommandEnvironment
}): Promise<boolean> {
  const { child, group, ended, environment } = parts
  const { clock, signal, timeoutMs } = environment
  const stopped = Promise.withResolvers<'timeout' | 'aborted'>()
  const onAbort = (): void => stopped.resolve('aborted')
  const cancel = clock.after(timeoutMs, () => stopped.resolve('timeout'))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const why = await Promise.race([ended, stopped.promise])
  cancel()
  signal.removeEventListener('abort', onAbort)
  await endProcessGroup(group, { clock })
  child.stdout.destroy()
  child.stderr.destroy()
  return why === 'timeout'
}

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
