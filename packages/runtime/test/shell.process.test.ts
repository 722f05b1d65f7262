import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createContainmentProbe, PROCESS_GROUPS, type Containment } from '@troupe/process'
import { resultText } from '@troupe/schema'
import { heldClock, leakCheck, findProcesses, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { commandLineProgram } from '../src/shell/command-line.ts'
import { openRuntime } from './support/open-runtime.ts'

const NODE = process.execPath
/**
 * Starts a grandchild that ignores SIGTERM, holds the output open, and writes a file when it runs. Its command line contains the name of
 * the file, which is the first argument of the program.
 */
const STUBBORN = `
const { spawn } = require('node:child_process')
const code = "process.on('SIGTERM', () => {}); require('node:fs').writeFileSync(process.argv[1], ''); setInterval(() => {}, 1000)"
spawn(process.execPath, ['-e', code, process.argv[1]], { stdio: 'inherit' })
`
const STAYS = `${STUBBORN}; setInterval(() => {}, 1000)`
const LEAVES = `${STUBBORN}; const timer = setInterval(() => { if (require('node:fs').existsSync(process.argv[1])) process.exit(3) }, 20)`

/** Returns a name that only one test uses. */
function uniqueName(): string {
  return `started-${crypto.randomUUID()}`
}

async function fileIn(folder: string, name: string): Promise<void> {
  while (!existsSync(join(folder, name))) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The kinds of containment that this machine supports. */
const CONTAINMENTS = [PROCESS_GROUPS, await createContainmentProbe()()].filter(
  ({ kind }, index) => index === 0 || kind === 'namespace',
)

describe('shell.execute', () => {
  it('shell.execute returns the output and the exit code', async () => {
    const { call } = await openRuntime({ 'a/x.txt': 'hi' })
    const good = await call('shell.execute', { command: 'ls', cwd: 'a' })
    expect(resultText(good)).toBe('exit code 0\nstdout (6 bytes):\nx.txt')
    const bad = await call('shell.execute', {
      command: NODE,
      args: ['-e', 'console.error("no"); process.exit(7)'],
    })
    expect(bad).toMatchObject({ outcome: 'completed', structured: { exitCode: 7, stderr: { bytes: 3 } } })
    expect(resultText(bad)).toBe('exit code 7\nstderr (3 bytes):\nno')
  })

  it('shell.execute passes arguments unchanged, without a shell', async () => {
    const { call, project } = await openRuntime()
    const args = ['$(touch pwned)', '`id`; touch pwned', '*', '> pwned', 'a \'b\' "c"', '']
    const print = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const result = await call('shell.execute', { command: NODE, args: ['-e', print, '--', ...args] })
    expect(resultText(result)).toContain(JSON.stringify(args))
    await expect(project.read('pwned')).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await call('shell.execute', { command: 'echo hi', args: [] })).failure?.code).toBe('shell_failed')
  })

  it('shell.execute runs a command line with bash if there are no arguments', async () => {
    const { call, project } = await openRuntime({ 'a/x.txt': 'hi', 'a/y.txt': 'ho' })
    const command =
      'cat *.txt | tr a-z A-Z > out; [[ -s out ]] && cat out && echo "${BASH_VERSION:+bash}"; exit 3'
    const result = await call('shell.execute', { command, cwd: 'a' })
    expect(resultText(result)).toBe('exit code 3\nstdout (9 bytes):\nHIHObash')
    expect(await project.read('a/out')).toBe('HIHO')
    expect(resultText(await call('shell.execute', { command: 'tr a b', stdin: 'aa' }))).toContain('bb')
    expect(resultText(await call('shell.execute', { command: '-x; echo hi' }))).toContain('hi')
  })

  it('shell.execute runs a command line with sh if there is no bash', async () => {
    const program = await commandLineProgram('ls', { PATH: '/nowhere:relative' })
    expect(program).toEqual({
      command: expect.stringMatching(/^\/(?:usr\/)?bin\/(?:ba)?sh$/u),
      args: ['-c', '--', 'ls'],
    })
    const { project } = await openRuntime({ 'bin/sh': '#!/bin/sh\n' })
    await chmod(join(project.path, 'bin/sh'), 0o755)
    expect(await commandLineProgram('ls', { PATH: join(project.path, 'bin') }, ['sh'])).toMatchObject({
      command: join(project.path, 'bin/sh'),
    })
  })

  it('shell.execute refuses a command line on Windows and says what to pass instead', async () => {
    await expect(commandLineProgram('ls', {}, undefined, 'win32')).rejects.toMatchObject({
      code: 'shell_failed',
      message: expect.stringContaining('not supported on Windows'),
      failure: { remediation: expect.stringContaining('as an entry of `args`') },
    })
  })

  it('shell.execute passes standard input and its end to the program', async () => {
    const { call } = await openRuntime()
    expect(resultText(await call('shell.execute', { command: 'cat', stdin: 'über' }))).toContain('über')
    expect(resultText(await call('shell.execute', { command: 'cat' }))).toBe('exit code 0')
    expect((await call('shell.execute', { command: 'true', stdin: 'x'.repeat(1_000_000) })).outcome).toBe(
      'completed',
    )
  })

  it(`shell.execute passes only the documented environment variables ${verifies('R17')}`, async () => {
    const baseEnv = {
      PATH: process.env['PATH'],
      HOME: '/nowhere',
      OPENAI_API_KEY: 'sk',
      NODE_OPTIONS: '--no-warnings',
    }
    const { call } = await openRuntime({}, { baseEnv })
    const print = 'console.log(Object.keys(process.env).sort().join())'
    const result = await call('shell.execute', { command: NODE, args: ['-e', print] })
    expect(resultText(result)).toContain('\nHOME,PATH')
  })

  it('shell.execute says why a program did not start and what to do', async () => {
    const { call } = await openRuntime()
    for (const command of ['no-such-program', 'a\0b', '.']) {
      const { failure } = await call('shell.execute', { command, args: [] })
      expect(failure).toMatchObject({ code: 'shell_failed', class: 'tool' })
      expect(failure?.remediation).toContain('each argument as an entry of `args`')
    }
    expect((await call('shell.execute', { command: 'ls', cwd: 'none' })).failure?.code).toBe(
      'filesystem_failed',
    )
  })

  it('shell.execute keeps start and end of endless output and counts all of it', async () => {
    const { call } = await openRuntime()
    const flood =
      'process.stdout.write("START" + "€".repeat(5_000_000) + "END"); console.error("x".repeat(5_000_000))'
    const result = await call('shell.execute', { command: NODE, args: ['-e', flood] })
    const text = resultText(result)
    expect(result.structured).toMatchObject({
      stdout: { bytes: 15_000_008, cut: true },
      stderr: { cut: true },
    })
    expect(text.length).toBeLessThan(120_000)
    expect(text).toMatch(/START€+\n\[… \d+ bytes omitted …\]\n€+END/u)
  })
})

describe.each(CONTAINMENTS)('the end of a command in a $kind', (contained) => {
  const containment = (): Promise<Containment> => Promise.resolve(contained)

  it('shell.execute ends a grandchild that ignores SIGTERM when the command exits', async () => {
    const { call } = await openRuntime({}, { containment })
    const name = uniqueName()
    const result = await call('shell.execute', { command: NODE, args: ['-e', LEAVES, name] })
    expect(result.structured).toMatchObject({ exitCode: 3 })
    expect(findProcesses(name)).toEqual([])
  })

  it('shell.execute ends a grandchild at the timeout and keeps the output so far', async () => {
    const held = heldClock(1500)
    const { call, project } = await openRuntime({}, { containment, clock: held.clock })
    const name = uniqueName()
    const working = call('shell.execute', {
      command: NODE,
      args: ['-e', `console.log("half"); ${STAYS}`, name],
      timeoutMs: 1500,
    })
    await fileIn(project.path, name)
    held.expire()
    const result = await working
    expect(result).toMatchObject({ outcome: 'timeout', failure: { code: 'tool_timeout' } })
    expect(resultText(result)).toContain('half')
    expect(findProcesses(name)).toEqual([])
  })

  it('shell.execute ends a grandchild when the run is aborted, and leaves no process, pipe or timer', async () => {
    const check = leakCheck()
    const { call, project, runtime } = await openRuntime({}, { containment })
    const stop = new AbortController()
    const name = uniqueName()
    const working = call(
      'shell.execute',
      { command: NODE, args: ['-e', STAYS, name] },
      { signal: stop.signal },
    )
    await fileIn(project.path, name)
    expect(findProcesses(name)).not.toEqual([])
    stop.abort()
    await working
    await runtime.close()
    expect(findProcesses(name)).toEqual([])
    await expect(check.assertClean()).resolves.toBeUndefined()
  })

  it('shell.execute ends a grandchild immediately when the app is killed', async () => {
    const { call, project, runtime } = await openRuntime({}, { containment })
    const name = uniqueName()
    const working = call('shell.execute', { command: NODE, args: ['-e', STAYS, name] })
    await fileIn(project.path, name)
    runtime.kill()
    expect((await working).structured).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(findProcesses(name)).toEqual([])
  })

  it('shell.execute ends a command before the tool timeout of the agent, whatever the model requested', async () => {
    const { call } = await openRuntime({}, { containment, toolTimeout: 1000 })
    const result = await call('shell.execute', { command: 'sleep', args: ['30'], timeoutMs: 60_000 })
    expect(result.failure?.message).toContain('after 900 ms')
  })

  it('shell.execute names the signal that ended the command', async () => {
    const { call } = await openRuntime({}, { containment })
    const result = await call('shell.execute', {
      command: NODE,
      args: ['-e', 'process.kill(process.pid, "SIGKILL")'],
    })
    expect(result.structured).toMatchObject({ exitCode: null, signal: 'SIGKILL', stderr: { bytes: 0 } })
  })
})

it.runIf(CONTAINMENTS.length === 2)(
  'a command in a PID namespace ends a process that it started with setsid',
  async () => {
    const { call, project } = await openRuntime()
    const name = uniqueName()
    const script = `setsid sh -c 'trap : TERM; : > "$0"; while :; do sleep 1; done' "$0" & while ! [ -e "$0" ]; do sleep 0.1; done`
    const result = await call('shell.execute', { command: 'sh', args: ['-c', script, name] })
    expect(result.structured).toMatchObject({ exitCode: 0 })
    expect(existsSync(join(project.path, name))).toBe(true)
    expect(findProcesses(name)).toEqual([])
  },
)
