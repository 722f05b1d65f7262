import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/** The older version of TypeScript that the types must pass. The newer one is that of the repository. */
const OLDER_TYPESCRIPT = '5.9'

/** Subpaths that need a package which is installed only for them. */
const OPTIONAL: ReadonlySet<string> = new Set(['@troupe/testkit/postgres'])

interface Manifest {
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** Packages that are installed in a folder, and projects with them. */
interface Installed {
  /** The folder with `node_modules`, which has all packages. */
  readonly consumer: string
  /** The folder of the projects, which is created. */
  readonly work: string
  /** Names of the public packages. */
  readonly packages: readonly string[]
  /** Names of the packages that get a project of their own besides. */
  readonly alone: readonly string[]
  /** The package `@types/node`. */
  readonly nodeTypes: string
}

/**
 * Checks the types of every public package without `skipLibCheck`: together in projects with and without `@types/node`,
 * and those in `alone` in a project that has only the package, what it depends on, and `@types/node` if its README says
 * to install it. Throws if a type is missing or wrong.
 */
export async function checkPublicTypes({
  consumer,
  work,
  packages,
  alone,
  nodeTypes,
}: Installed): Promise<void> {
  const modules = path.join(consumer, 'node_modules')
  const needNode = new Set(packages.filter((name) => readmeNamesNodeTypes(path.join(modules, name))))
  const project = (name: string, members: readonly string[], types: readonly string[]): string => {
    const folder = path.join(work, name.replace('/', '-'))
    mkdirSync(folder, { recursive: true })
    for (const dependency of closureOf(members, modules))
      link(path.join(modules, dependency), path.join(folder, 'node_modules', dependency))
    if (types.length > 0 && !existsSync(path.join(folder, 'node_modules/@types/node'))) {
      link(nodeTypes, path.join(folder, 'node_modules/@types/node'))
      link(
        path.join(realpathSync(nodeTypes), '../../undici-types'),
        path.join(folder, 'node_modules/undici-types'),
      )
    }
    const subpaths = members
      .flatMap((member) => subpathsOf(member, path.join(modules, member)))
      .filter((name) => !OPTIONAL.has(name))
    const lines = subpaths.map((subpath, index) => `export * as subpath${index} from '${subpath}'\n`)
    writeFileSync(path.join(folder, 'index.ts'), lines.join(''))
    return folder
  }
  const failures: string[] = []
  const check = async (
    tsc: string,
    folder: string,
    target: string,
    types: readonly string[],
  ): Promise<void> => {
    writeConfig(folder, target, types)
    const output = await outputOf(tsc, folder)
    if (output !== '') failures.push(`${path.basename(folder)}, target ${target}:\n${output}`)
  }
  for (const name of alone) {
    const types = needNode.has(name) ? ['node'] : []
    const folder = project(name, [name], types)
    await check('tsc', folder, 'es2024', types)
    if (name === 'troupe') await check('tsc', folder, 'es2022', types)
  }
  const older = installOlder(path.join(work, 'typescript'))
  const plain = packages.filter((name) => !needNode.has(name))
  await check(older, project('without-node', plain, []), 'es2024', [])
  await check(older, project('with-node', packages, ['node']), 'es2024', ['node'])
  if (failures.length > 0) throw new Error(`Public types are wrong:\n${failures.join('\n')}`)
}

function readmeNamesNodeTypes(folder: string): boolean {
  return readFileSync(path.join(folder, 'README.md'), 'utf8').includes('@types/node')
}

/** Returns packages and everything that npm installs with them. Packages within others come with these. */
function closureOf(names: readonly string[], modules: string): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const folder = path.join(modules, name)
    if (found.has(name) || !existsSync(folder)) continue
    found.add(name)
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(folder)
    const peers = Object.keys(peerDependencies).filter(
      (peer) => peerDependenciesMeta[peer]?.optional !== true,
    )
    open.push(...Object.keys(dependencies), ...peers)
  }
  return found
}

function subpathsOf(name: string, folder: string): readonly string[] {
  return Object.entries(manifestOf(folder).exports ?? {}).flatMap(([subpath, target]) =>
    typeof target === 'string' || target['types'] === undefined ? [] : [`${name}${subpath.slice(1)}`],
  )
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
}

function link(target: string, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  symlinkSync(target, file, 'dir')
}

function writeConfig(folder: string, target: string, types: readonly string[]): void {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target,
    types,
    // otherwise the packages would find all others beside them
    preserveSymlinks: true,
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }))
}

/** Returns the errors that a compiler prints, or an empty text. */
async function outputOf(tsc: string, cwd: string): Promise<string> {
  try {
    await promisify(execFile)(tsc, ['-p', '.'], { cwd })
    return ''
  } catch (thrown) {
    const { stdout = '', message } = thrown as Error & { readonly stdout?: string }
    return stdout === '' ? message : stdout
  }
}

function installOlder(folder: string): string {
  mkdirSync(folder, { recursive: true })
  const options = ['--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...options, '--prefix', folder, `typescript@${OLDER_TYPESCRIPT}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return path.join(folder, 'node_modules/.bin/tsc')
}
