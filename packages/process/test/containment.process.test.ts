import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProcesses, tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createContainmentProbe,
  exitStatus,
  PROCESS_GROUPS,
  processGroup,
  spawnContained,
  type Containment,
} from '../src/index.ts'

const available = await createContainmentProbe()()
const CONTAINMENTS = available.kind === 'namespace' ? [PROCESS_GROUPS, available] : [PROCESS_GROUPS]

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

const ENV = { PATH: process.env['PATH'] ?? '' }

function start(
  args: readonly string[],
  containment: Containment,
  { cwd = '/', env = ENV }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): ChildProcessWithoutNullStreams {
  const child = spawnContained({ command: 'sh', args, cwd, env }, containment)
  const group = processGroup(child.pid ?? 0)
  onTestFinished(() => group.signal('SIGKILL'))
  return child
}

async function endOf(child: ChildProcessWithoutNullStreams, containment: Containment): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return { ...exitStatus({ code, signal }, containment), ...texts }
}

/** Runs a script that starts a process in a session of its own, which ignores SIGTERM, and waits until that process runs. */
async function startDaemon(
  containment: Containment,
  then: string,
): Promise<{ readonly child: ChildProcessWithoutNullStreams; readonly name: string; readonly file: string }> {
  const project = await tempProject({})
  onTestFinished(() => project.remove())
  const name = `started-${crypto.randomUUID()}`
  const daemon =
    'setsid sh -c \'trap "" TERM; : > "$0"; while :; do sleep 1; done\' "$0" </dev/null >/dev/null 2>&1 &'
  const wait = 'while ! [ -e "$0" ]; do sleep 0.05; done'
  const child = start(['-c', `${daemon} ${wait}; ${then}`, name], containment, { cwd: project.path })
  return { child, name, file: join(project.path, name) }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe.each(CONTAINMENTS)('a program in a $kind', (containment) => {
  it('a contained program reads its input, writes its outputs and returns its exit code', async () => {
    const child = start(['-c', 'read line; echo "got $line"; echo no >&2; exit 7'], containment)
    child.stdin.end('this\n')
    expect(await endOf(child, containment)).toEqual({
      code: 7,
      signal: null,
      stdout: 'got this\n',
      stderr: 'no\n',
    })
  })

  it('a contained program reports the signal that ended it and writes nothing else', async () => {
    const child = start(['-c', 'kill -9 $$'], containment)
    expect(await endOf(child, containment)).toEqual({ code: null, signal: 'SIGKILL', stdout: '', stderr: '' })
  })

  it('a contained program receives SIGTERM as a member of the group and may handle it', async () => {
    const child = start(
      ['-c', 'trap "echo bye; exit 5" TERM; echo ready; while :; do sleep 0.05; done'],
      containment,
    )
    const ended = endOf(child, containment)
    await once(child.stdout, 'data')
    processGroup(child.pid ?? 0).signal('SIGTERM')
    expect(await ended).toMatchObject({ code: 5, stdout: 'ready\nbye\n' })
  })

  it('a contained program is ended by SIGTERM if it does not handle it', async () => {
    const child = start(['-c', 'echo ready; while :; do sleep 0.05; done'], containment)
    const ended = endOf(child, containment)
    await once(child.stdout, 'data')
    processGroup(child.pid ?? 0).signal('SIGTERM')
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  it('a contained program fails to start with ENOENT if it does not exist', async () => {
    const program = { command: 'no-such-program', args: [], cwd: '/', env: { PATH: '/usr/bin' } }
    const child = spawnContained(program, containment)
    child.stdin.on('error', () => undefined)
    expect(await once(child, 'error')).toMatchObject([{ code: 'ENOENT' }])
  })
})

describe.runIf(available.kind === 'namespace')('a PID namespace', () => {
  it('a PID namespace also contains a program that is found without PATH', async () => {
    // only the first process of a namespace has this parent
    const child = start(['-c', 'echo $PPID'], available, { env: {} })
    expect(await endOf(child, available)).toMatchObject({ code: 0, stdout: '1\n' })
  })

  it('a PID namespace ends a daemon that left the process group when the program exits', async () => {
    const { child, name, file } = await startDaemon(available, 'exit 0')
    expect(await endOf(child, available)).toMatchObject({ code: 0 })
    expect(existsSync(file)).toBe(true)
    expect(findProcesses(name)).toEqual([])
  })

  it('a PID namespace ends a daemon that left the process group when the group is killed', async () => {
    const { child, name, file } = await startDaemon(available, 'sleep 1000')
    await until(() => existsSync(file))
    expect(findProcesses(name)).not.toEqual([])
    const closed = once(child, 'close')
    processGroup(child.pid ?? 0).signal('SIGKILL')
    await closed
    await until(() => findProcesses(name).length === 0)
  })

  it('a PID namespace ends with the program that opened it, even if that is killed with SIGKILL', async () => {
    const project = await tempProject({})
    onTestFinished(() => project.remove())
    const name = `started-${crypto.randomUUID()}`
    const owner = spawn(
      process.execPath,
      [
        '--conditions=@troupe/source',
        join(import.meta.dirname, 'support/owner.ts'),
        join(project.path, name),
      ],
      { stdio: 'inherit' },
    )
    onTestFinished(() => void owner.kill('SIGKILL'))
    await until(() => existsSync(join(project.path, name)))
    const gone = once(owner, 'exit')
    expect(findProcesses(name)).not.toEqual([])
    owner.kill('SIGKILL')
    await gone
    await until(() => findProcesses(name).length === 0)
  })
})

it('the containment probe runs once per machine and reports why namespaces are unavailable', async () => {
  const probe = createContainmentProbe()
  expect(await probe()).toBe(await probe())
  expect(available.reason === undefined).toBe(available.kind === 'namespace')
})
