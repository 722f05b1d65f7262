import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Versions of Node that are supported, as ranges of the npm package that contains the program. */
const NODES = ['22', '24', '26'] as const
/** Package managers with which the packages must install. */
const MANAGERS = ['npm', 'pnpm', 'bun'] as const

/**
 * Installs the tarballs with every package manager, and runs an embedded agent and a team from the installation on every
 * version of Node. Throws at the first failure. Programs that are missing are installed from npm into `work`.
 */
export function tryRuntimes({
  tarballs,
  root,
  work,
  log,
}: {
  /** Absolute paths. */
  readonly tarballs: readonly string[]
  readonly root: string
  /** An existing empty folder. */
  readonly work: string
  log(line: string): void
}): void {
  const programs = installPrograms(path.join(work, 'programs'))
  const team = path.join(work, 'team')
  cpSync(path.join(root, 'examples/project-managers'), team, {
    recursive: true,
    filter: (source) => !source.includes('node_modules') && !source.endsWith('.test.ts'),
  })
  for (const manager of MANAGERS) {
    const consumer = path.join(work, manager)
    install(manager, { consumer, tarballs, programs })
    cpSync(path.join(root, 'examples/embed/run.ts'), path.join(consumer, 'run.ts'))
    cpSync(path.join(root, 'examples/embed/adder.yaml'), path.join(consumer, 'adder.yaml'))
    for (const [version, node] of programs.nodes) {
      expectOutput(run(node, ['run.ts'], consumer), 'It is 42.')
      const bin = path.join(consumer, 'node_modules/troupe/dist/bin.js')
      expectOutput(run(node, [bin, 'run', team, 'What is new?', '--quiet'], consumer), 'London')
      log(`installed with ${manager}, runs on Node ${version}`)
    }
  }
}

interface Programs {
  /** Paths of Node by version. */
  readonly nodes: ReadonlyMap<string, string>
  readonly bun: string
}

function installPrograms(folder: string): Programs {
  const nodes = new Map<string, string>()
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  for (const version of NODES) {
    const prefix = path.join(folder, `node-${version}`)
    addPackage(prefix, `node-${platform}@${version}`)
    const node = path.join(prefix, `node_modules/node-${platform}/bin/node`)
    nodes.set(run(node, ['--version'], prefix).trim(), node)
  }
  const prefix = path.join(folder, 'bun')
  addPackage(prefix, `@oven/bun-${platform}@latest`)
  return { nodes, bun: path.join(prefix, `node_modules/@oven/bun-${platform}/bin/bun`) }
}

function addPackage(folder: string, specifier: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', specifier], folder)
}

function install(
  manager: (typeof MANAGERS)[number],
  {
    consumer,
    tarballs,
    programs,
  }: { readonly consumer: string; readonly tarballs: readonly string[]; readonly programs: Programs },
): void {
  mkdirSync(consumer)
  const files = Object.fromEntries(tarballs.map((file) => [nameOf(file), `file:${file}`]))
  writeFileSync(
    path.join(consumer, 'package.json'),
    JSON.stringify({
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies: { ...files, zod: '^4' },
      // The packages depend on each other by version, which is not published yet.
      overrides: manager === 'pnpm' ? undefined : files,
    }),
  )
  if (manager === 'pnpm') {
    const overrides = Object.entries(files).map(([name, file]) => `  '${name}': '${file}'`)
    writeFileSync(
      path.join(consumer, 'pnpm-workspace.yaml'),
      `overrides:\n${overrides.join('\n')}\nstrictDepBuilds: false\n`,
    )
    run('pnpm', ['install', '--no-frozen-lockfile', '--loglevel=error'], consumer)
  } else if (manager === 'npm')
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], consumer)
  else run(programs.bun, ['install', '--silent'], consumer)
}

/** Returns the name of the package of a tarball of pnpm: `troupe-core-0.1.0.tgz` contains `@troupe/core`. */
function nameOf(file: string): string {
  const name = path.basename(file).replace(/-\d[^/]*\.tgz$/u, '')
  return name === 'troupe' ? name : name.replace('troupe-', '@troupe/')
}

function expectOutput(output: string, expected: string): void {
  if (!output.includes(expected)) throw new Error(`expected "${expected}" in the output:\n${output}`)
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
