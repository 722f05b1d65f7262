import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { constants as osConstants, platform } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

/**
 * Isolation of a child process and its descendants. `namespace`: a Linux PID namespace that the kernel kills
 * together with the process or with this program; descendants cannot leave it. `group`: a process group,
 * which a descendant can leave with `setsid`.
 */
export interface Containment {
  readonly kind: 'namespace' | 'group'
  /** Reason that no namespace is available. */
  readonly reason?: string
  /** Command prefix that runs a program inside the namespace. Empty for `group`. */
  readonly wrapper: readonly string[]
}

/** Containment by process groups, available on every machine. */
export const PROCESS_GROUPS: Containment = { kind: 'group', wrapper: [] }

/** A program, its arguments and its environment. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Complete environment of the process. */
  readonly env: Readonly<Record<string, string>>
}

/** Exit status of a process. Either `code` or `signal` is null. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

/**
 * Init script of a namespace. It ignores SIGTERM, which the tool receives as a member of the same group, and
 * exits with the tool's exit code. Remaining processes get SIGTERM and a second to exit before the namespace
 * ends. The first line prevents `kill -1` from running outside a namespace. The shell's own messages about
 * signals do not reach the tool's stderr.
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

/**
 * Flags to try, best first. Root needs no user namespace, in which files of other users would have no owner.
 * Some systems do not allow mounting `/proc`.
 */
const NAMESPACES = [
  ['--mount-proc'],
  ['--map-current-user', '--mount-proc'],
  [],
  ['--map-current-user'],
] as const

const PROBE_TIMEOUT = 5_000
const TIMED_OUT = `no response within ${PROBE_TIMEOUT / 1_000} s`

/**
 * Creates a function that detects the available containment once and caches it. It never rejects. After a
 * timeout the next call detects again.
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
 * Starts a program with pipes as a process group leader inside the given containment. Start failures are
 * reported as by `spawn`: emitted as an `error` event or thrown.
 * A program that does not exist is not wrapped, so that its error is the one of `spawn`.
 */
export function spawnContained(program: Program, { wrapper }: Containment): ChildProcessWithoutNullStreams {
  const { command, args, cwd, env } = program
  const options = { cwd, env, shell: false, detached: true, windowsHide: true } as const
  const [file] = wrapper
  if (file === undefined || !canStart(program)) return spawn(command, [...args], options)
  return spawn(file, [...wrapper.slice(1), command, ...args], options)
}

/**
 * Converts the exit status of a process started by {@link spawnContained}. Inside a namespace, the shell
 * encodes a signal as exit code 128 + number.
 */
export function exitStatus(exit: ExitStatus, { kind }: Containment): ExitStatus {
  if (kind === 'group' || exit.code === null || exit.code <= SHELL_SIGNALS) return exit
  const number = exit.code - SHELL_SIGNALS
  const name = Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0]
  return name === undefined ? exit : { code: null, signal: name }
}

const SHELL_SIGNALS = 128

/** Search path if the environment has no `PATH`. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'

/** Looks up a program like `execvp`. */
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
    // missing or not accessible
    return false
  }
}
