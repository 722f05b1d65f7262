/**
 * Installs packed packages with npm, pnpm and Bun, and runs from each installation, on every supported version of Node, an
 * embedded agent, the library by `import` and by `require`, and the command. Does the same on Bun and on Deno, and checks
 * what the library says on a version of Node that is too old. Throws at the first failure. `--tarballs <folder>` has the packages; `--work <folder>` keeps the programs for another run.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installFromNpm, installTarballs, MANAGERS, tarballsOf } from './install-tarballs.ts'

/** Versions of Node that are supported, as ranges of the npm package that contains the program. */
const NODES = ['22', '24', '26'] as const
const OLD_NODE = '20'

/** A program that runs JavaScript. */
interface Runtime {
  readonly name: string
  readonly file: string
  /** Arguments before those of the script. */
  readonly args: readonly string[]
}

const { values } = parseArgs({ options: { tarballs: { type: 'string' }, work: { type: 'string' } } })
if (values.tarballs === undefined) {
  console.error('Pass the folder of the packed packages: --tarballs <folder>.')
  process.exit(2)
}
const root = path.join(import.meta.dirname, '../../..')
const work = path.resolve(values.work ?? mkdtempSync(path.join(tmpdir(), 'troupe-runtimes-')))
const programs = path.join(work, 'programs')
try {
  tryRuntimes(tarballsOf(values.tarballs))
} finally {
  if (values.work === undefined) rmSync(work, { recursive: true, force: true })
}

function tryRuntimes(tarballs: readonly string[]): void {
  const nodes = NODES.map(installNode)
  const bun = installBun()
  const others = [bun, installDeno()]
  const old = installNode(OLD_NODE)
  for (const manager of MANAGERS) {
    const consumer = path.join(work, manager)
    rmSync(consumer, { recursive: true, force: true })
    installTarballs(consumer, { tarballs, manager, bun: bun.file, others: { zod: '^4' } })
    cpSync(path.join(import.meta.dirname, 'consumer'), consumer, { recursive: true })
    for (const file of ['run.ts', 'adder.yaml'])
      cpSync(path.join(root, 'examples/embed', file), path.join(consumer, file))
    cpSync(path.join(root, 'examples/project-managers'), path.join(consumer, 'team'), {
      recursive: true,
      filter: (source) => !source.includes('node_modules') && !source.endsWith('.test.ts'),
    })
    for (const runtime of manager === 'npm' ? [...nodes, ...others] : nodes) {
      tryPrograms(runtime, consumer)
      console.log(`installed with ${manager}, runs on ${runtime.name}`)
    }
    tryOldNode(old, consumer)
  }
}

/** Runs the library and the command of an installation. */
function tryPrograms({ name, file, args }: Runtime, consumer: string): void {
  const bin = path.join(consumer, 'node_modules/troupe/dist/bin.js')
  for (const [script, expected] of [
    [['run.ts'], 'It is 42.'],
    [['library.mjs'], 'library: It is 42. It is 42. Good day.'],
    [['require.cjs'], 'required: completed, Good day.'],
    [[bin, 'check', 'team'], '0 errors'],
    [[bin, 'run', 'team', 'What is new?', '--quiet'], 'London'],
  ] as const) {
    const output = run(file, [...args, ...script], consumer)
    if (!output.includes(expected))
      throw new Error(`${name} ${script.join(' ')}: expected "${expected}" in the output:\n${output}`)
  }
}

/** Imports each part of the library that needs a newer version of Node. */
function tryOldNode({ name, file }: Runtime, consumer: string): void {
  for (const part of ['troupe', 'troupe/server', 'troupe/store', 'troupe/testing']) {
    const script = `import('${part}').catch(({ message }) => console.log(message))`
    const output = run(file, ['--input-type=module', '--eval', script], consumer)
    if (!output.startsWith('troupe needs Node '))
      throw new Error(`${name} ${part}: expected the required version of Node in the output:\n${output}`)
  }
}

function installNode(version: string): Runtime {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const file = installProgram(`node-${version}`, { name, range: version, bin: 'bin/node' })
  return { name: `Node ${run(file, ['--version'], work).trim()}`, file, args: [] }
}

function installBun(): Runtime {
  const name = `@oven/bun-${process.platform}-${process.arch}`
  const file = installProgram('bun', { name, range: 'latest', bin: 'bin/bun' })
  return { name: `Bun ${run(file, ['--version'], work).trim()}`, file, args: [] }
}

function installDeno(): Runtime {
  const name = `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  const file = installProgram('deno', { name, range: 'latest', bin: 'deno' })
  const [, version] = run(file, ['--version'], work).split(' ')
  return { name: `Deno ${version}`, file, args: ['run', '--allow-all'] }
}

/** Installs a program from npm unless it is there. Returns its file. */
function installProgram(
  folder: string,
  { name, range, bin }: { readonly name: string; readonly range: string; readonly bin: string },
): string {
  const file = path.join(programs, folder, 'node_modules', name, bin)
  if (!existsSync(file)) installFromNpm(path.join(programs, folder), { [name]: range })
  return file
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
