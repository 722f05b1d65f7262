import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'

const bin = path.join(import.meta.dirname, '../../../../apps/cli/src/bin.ts')
const server = path.join(
  path.dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
)
const projects: TempProject[] = []

afterEach(() => Promise.all(projects.splice(0).map((project) => project.remove())))

/** Returns a card that uses the real server-everything, with a marker in the environment by which the test finds its processes. */
async function everything(mark: string, script: string): Promise<string> {
  const made = await tempProject({
    'Everything.md':
      '---\ndescription: Uses every feature.\nservers: [everything]\nmodel: script/play.yaml\n---\nUse the tools.\n',
    'play.yaml': script,
    'troupe.json': JSON.stringify({
      mcpServers: {
        everything: {
          command: process.execPath,
          args: [server, 'stdio'],
          env: { TEST_MARK: mark },
          startTimeout: '10m',
        },
      },
    }),
  })
  projects.push(made)
  return path.join(made.path, 'Everything.md')
}

function troupe(
  ...args: readonly string[]
): ChildProcess & { readonly output: Promise<string>; soFar(): string } {
  const child = spawn(process.execPath, ['--conditions=@troupe/source', bin, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (text += String(chunk)))
  return Object.assign(child, {
    output: once(child, 'close').then(() => text),
    soFar: () => text,
  })
}

/** Returns the processes that have the marker in their environment. */
function marked(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && isMarked(name, mark))
    .map(Number)
}

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TEST_MARK=${mark}`)
  } catch {
    // the process ended, or belongs to another user
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // the process has already ended
  }
}

async function until(isDone: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2400 && !isDone(); tries++) await setTimeout(25)
}

const slow = `
agents:
  Everything:
    - call: [{tool: everything__trigger-long-running-operation, args: {duration: 30, steps: 30}}]
    - say: 'after: {{results.0.text}}'
`

describe.runIf(process.platform === 'linux')('server-everything behind a card', () => {
  it(`server-everything has its tools listed and called, and leaves no process behind ${verifies('C1', 'C35', 'B40')}`, async () => {
    const mark = 'list-and-call'
    const card = await everything(
      mark,
      "agents: {Everything: [{call: [{tool: everything__echo, args: {message: hello}}]}, {say: '{{results.0.text}}'}]}",
    )
    expect(await troupe('tools', card).output).toContain('everything__echo')
    const run = troupe('run', card, 'go')
    expect(await run.output).toContain('Echo: hello')
    expect(run.exitCode).toBe(0)
    // a killed process may take a moment to end on a busy machine
    await until(() => marked(mark).length === 0)
    expect(marked(mark)).toEqual([])
  })

  it('server-everything leaves no process behind after an interrupt during a call', async () => {
    const mark = 'interrupted'
    const run = troupe('run', await everything(mark, slow), 'go')
    await until(() => run.soFar().includes('calls everything__trigger'))
    expect(marked(mark)).not.toEqual([])
    run.kill('SIGINT')
    await run.output
    expect(run.exitCode).toBe(130)
    expect(marked(mark)).toEqual([])
  })

  it('a call ends with a typed error if its server is killed after each restart, and the run continues', async () => {
    const mark = 'killed'
    const run = troupe('run', await everything(mark, slow), 'go')
    await until(() => run.soFar().includes('calls everything__trigger'))
    // the tool is annotated as read-only, so the call is retried once before it fails
    await until(() => {
      for (const pid of marked(mark)) kill(pid)
      return run.soFar().includes('after: ')
    })
    const output = await run.output
    expect(run.exitCode).toBe(0)
    expect(output).toContain('after: Error: ')
    expect(marked(mark)).toEqual([])
  })
})
