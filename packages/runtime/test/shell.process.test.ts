import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resultText } from '@troupe/schema'
import { leakCheck, verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { openRuntime } from './support/open-runtime.ts'

const NODE = process.execPath
/** Starts a grandchild that ignores SIGTERM and holds the output open, and notes its process id. */
const STUBBORN = `
const { spawn } = require('node:child_process')
const code = "process.on('SIGTERM', () => {}); require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)"
spawn(process.execPath, ['-e', code], { stdio: 'inherit' })
`
const STAYS = `${STUBBORN}; setInterval(() => {}, 1000)`
const LEAVES = `${STUBBORN}; setTimeout(() => process.exit(3), 700)`

/** A zombie is dead: it waits for its parent only. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/u.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    // nobody has that number
    return false
  }
}

async function pidIn(folder: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(folder, 'pid'), 'utf8').catch(() => '')
    if (text !== '') return Number(text)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('a command', () => {
  it('gives its output and its exit code', async () => {
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

  it('gets its arguments as they are: no shell reads them', async () => {
    const { call, project } = await openRuntime()
    const args = ['$(touch pwned)', '`id`; touch pwned', '*', '> pwned', 'a \'b\' "c"', '']
    const print = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const result = await call('shell.execute', { command: NODE, args: ['-e', print, '--', ...args] })
    expect(resultText(result)).toContain(JSON.stringify(args))
    await expect(project.read('pwned')).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await call('shell.execute', { command: 'echo hi' })).failure?.code).toBe('shell_failed')
  })

  it('reads what it is given, and its end', async () => {
    const { call } = await openRuntime()
    expect(resultText(await call('shell.execute', { command: 'cat', stdin: 'über' }))).toContain('über')
    expect(resultText(await call('shell.execute', { command: 'cat' }))).toBe('exit code 0')
    expect((await call('shell.execute', { command: 'true', stdin: 'x'.repeat(1_000_000) })).outcome).toBe(
      'completed',
    )
  })

  it(`sees the documented few variables and nothing else ${verifies('R17')}`, async () => {
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

  it('that does not start says why and what to do', async () => {
    const { call } = await openRuntime()
    for (const args of [{ command: 'no-such-program' }, { command: 'a\0b' }, { command: '.' }]) {
      const { failure } = await call('shell.execute', args)
      expect(failure).toMatchObject({ code: 'shell_failed', class: 'tool' })
      expect(failure?.remediation).toContain('each argument as an entry of `args`')
    }
    expect((await call('shell.execute', { command: 'ls', cwd: 'none' })).failure?.code).toBe(
      'filesystem_failed',
    )
  })

  it('may write without end: start and end are kept, all is counted', async () => {
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
    expect(text).toMatch(/START€+\n\[… \d+ bytes left out …\]\n€+END/u)
  })
})

describe('the end of a command', () => {
  it('takes a grandchild along that ignores SIGTERM, at its exit', async () => {
    const { call, project } = await openRuntime()
    const result = await call('shell.execute', { command: NODE, args: ['-e', LEAVES] })
    expect(result.structured).toMatchObject({ exitCode: 3 })
    expect(isAlive(await pidIn(project.path))).toBe(false)
  })

  it('takes it along at the time limit, and what was written still arrives', async () => {
    const { call, project } = await openRuntime()
    const result = await call('shell.execute', {
      command: NODE,
      args: ['-e', `console.log("half"); ${STAYS}`],
      timeoutMs: 1500,
    })
    expect(result).toMatchObject({ outcome: 'timeout', failure: { code: 'tool_timeout' } })
    expect(resultText(result)).toContain('half')
    expect(isAlive(await pidIn(project.path))).toBe(false)
  })

  it('comes at the abort of its run, and no process, pipe or timer is left', async () => {
    const check = leakCheck()
    const { call, project, runtime } = await openRuntime()
    const stop = new AbortController()
    const working = call('shell.execute', { command: NODE, args: ['-e', STAYS] }, { signal: stop.signal })
    const pid = await pidIn(project.path)
    stop.abort()
    await working
    await runtime.close()
    expect(isAlive(pid)).toBe(false)
    await expect(check.assertClean({ patienceMs: 8000 })).resolves.toBeUndefined()
  })

  it('comes at once when the app is killed', async () => {
    const { call, project, runtime } = await openRuntime()
    const working = call('shell.execute', { command: NODE, args: ['-e', STAYS] })
    const pid = await pidIn(project.path)
    runtime.kill()
    expect((await working).structured).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(isAlive(pid)).toBe(false)
  })

  it('comes before the limit of the agent, whatever the model asked for', async () => {
    const { call } = await openRuntime({}, { toolTimeout: 1000 })
    const result = await call('shell.execute', { command: 'sleep', args: ['30'], timeoutMs: 60_000 })
    expect(result.failure?.message).toContain('after 900 ms')
  })
})
