import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { constants as osConstants, platform } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

/**
 * How a child process is kept together with everything it starts. `namespace`: in a Linux PID namespace that the kernel ends with the
 * process itself and with this program, so nothing can leave it. `group`: in a process group, which a descendant leaves with `setsid`.
 */
export interface Containment {
  readonly kind: 'namespace' | 'group'
  /** Why there is no namespace. */
  readonly reason?: string
  /** The program and arguments that run another program inside the namespace; empty for `group`. */
  readonly wrapper: readonly string[]
}

/** Process groups, on any machine. */
export const PROCESS_GROUPS: Containment = { kind: 'group', wrapper: [] }

/** A program and what it runs with. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>
}

/** How a process ended: one of the two is null. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

/**
 * The first process of a namespace. It ignores SIGTERM, which the tool itself receives as a member of the same group, returns the
 * tool's exit code, and gives what the tool leaves running a second between SIGTERM and the end of the namespace. The first line keeps
 * `kill -1` from ever running outside a namespace. The shell's own notes about signals do not reach the tool's stderr.
 */
const INIT = `[ $$ = 1 ] || exit 125
trap : HUP INT TERM
exec 3>&2 2>/dev/null
(exec "$@" 2>&3 3>&-)
r=$?
kill -s TERM -- -1 || exit $r
for i in 1 2 3 4 5 6 7 8 9 10; do
  kill -s 0 -- -1 || exit $r
  sleep 0.1
done
exit $r`

const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

/** Root needs no user namespace, in which other users' files would have no owner. `/proc` of its own is left out where it cannot be mounted. */
const NAMESPACES = [
  ['--mount-proc'],
  ['--map-current-user', '--mount-proc'],
  [],
  ['--map-current-user'],
] as const

const PROBE_TIMEOUT = 5_000
const TIMED_OUT = `no answer within ${PROBE_TIMEOUT / 1_000} s`

/**
 * Returns a function that finds out once, at its first call, what this machine offers. It never rejects. An answer that did not come
 * in time is asked for again at the next call.
 */
export function createContainmentProbe(): () => Promise<Containment> {
  let found: Promise<Containment> | undefined
  return () => {
    found ??= probe(() => (found = undefined))
    return found
  }
}

async function probe(onTimeout: () => void): Promise<Containment> {
  if (platform() !== 'linux') return group('PID namespaces exist only on Linux')
  const names = ['setpriv', 'unshare', 'sh'] as const
  const [setpriv, unshare, shell] = names.map((name) =>
    FOLDERS.map((folder) => join(folder, name)).find(isExecutable),
  )
  if (setpriv === undefined || unshare === undefined || shell === undefined)
    return group('setpriv and unshare of util-linux are not installed')
  let reason = ''
  for (const flags of NAMESPACES) {
    const inside = [unshare, '--pid', '--fork', '--kill-child', ...flags, '--', shell, '-c', INIT, 'sh']
    const wrapper = [setpriv, '--pdeathsig', 'KILL', '--', ...inside]
    const failure = await failureOf([...wrapper, shell, '-c', 'exit 0'])
    if (failure === undefined) return { kind: 'namespace', wrapper }
    if (failure === TIMED_OUT) onTimeout()
    reason = failure
  }
  return group(reason)
}

function group(reason: string): Containment {
  return { ...PROCESS_GROUPS, reason }
}

/** Runs a command and returns the last line of its error output if it fails. */
function failureOf([file = '', ...args]: readonly string[]): Promise<string | undefined> {
  return new Promise((settle) => {
    execFile(file, args, { env: {}, timeout: PROBE_TIMEOUT }, (error, _stdout, stderr) => {
      if (error === null) settle(undefined)
      else if (error.killed === true) settle(TIMED_OUT)
      else settle(stderr.trim().split('\n').at(-1) || error.message)
    })
  })
}

/**
 * Starts a program with pipes, as the leader of a process group, inside the given containment. Failures to start arrive as the child's
 * `error` event, or are thrown, exactly as `spawn` does: a program that does not exist is not wrapped.
 */
export function spawnContained(program: Program, { wrapper }: Containment): ChildProcessWithoutNullStreams {
  const { command, args, cwd, env } = program
  const options = { cwd, env, shell: false, detached: true, windowsHide: true } as const
  const [file] = wrapper
  if (file === undefined || !canStart(program)) return spawn(command, [...args], options)
  return spawn(file, [...wrapper.slice(1), command, ...args], options)
}

/** Returns how a process started by {@link spawnContained} ended. Inside a namespace a signal arrives as the shell's exit code for it. */
export function exitStatus(exit: ExitStatus, { kind }: Containment): ExitStatus {
  if (kind === 'group' || exit.code === null || exit.code <= SHELL_SIGNALS) return exit
  const number = exit.code - SHELL_SIGNALS
  const name = Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0]
  return name === undefined ? exit : { code: null, signal: name }
}

const SHELL_SIGNALS = 128

/** The folders that are searched if the environment has no `PATH`. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'

/** Looks a program up the way `execvp` does. */
function canStart({ command, cwd, env }: Program): boolean {
  if (command.includes('/')) return isExecutable(resolve(cwd, command))
  const folders = (env['PATH'] ?? DEFAULT_PATH).split(delimiter)
  return command !== '' && folders.some((folder) => isExecutable(resolve(cwd, folder, command)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    // missing, or not for this user
    return false
  }
}
