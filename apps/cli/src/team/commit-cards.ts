import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { isInside } from '@troupe/schema/paths'
import { errorMessage, troupeError } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'

const run = promisify(execFile)

/** The files of a commit in a temporary folder. */
export interface CommitFiles {
  /**
   * Returns the path of a card or folder of the working tree in the commit. Variables and packages that are not
   * in git come from the working tree. Throws `eval_invalid` if the commit does not have it.
   */
  pathOf(path: string): string
  remove(): Promise<void>
}

/** Returns the commit that a folder is at; `undefined` if it is not in a git repository. */
export async function commitOf(folder: string, context: GitContext): Promise<string | undefined> {
  try {
    return (await git(folder, ['rev-parse', 'HEAD'], context)).trim()
  } catch {
    // git is not installed, or the folder is in no repository
    return undefined
  }
}

/**
 * Writes the files of a branch, tag or commit to a temporary folder. The repository, its index and the working
 * tree are not changed. Throws `eval_invalid` if there is no such commit.
 */
export async function writeCommitFiles(
  ref: string,
  folder: string,
  context: GitContext,
): Promise<CommitFiles> {
  const root = realpathSync(await rootOf(ref, folder, context))
  const commit = await findCommit(ref, root, context)
  const temporary = await mkdtemp(join(temporaryFolder(context), 'troupe-eval-'))
  const tree = join(temporary, 'tree')
  // Ends the search for a configuration, as the folder of a repository does.
  mkdirSync(join(tree, '.git'), { recursive: true })
  const env = { GIT_INDEX_FILE: join(temporary, 'index') }
  await git(root, ['read-tree', commit], context, env)
  await git(root, ['checkout-index', '--all', `--prefix=${tree}/`], context, env)
  return {
    pathOf(path) {
      const real = realpathSync(path)
      if (!isInside(root, real))
        throw troupeError('eval_invalid', `${path} is not in the git repository ${root}.`)
      const target = join(tree, relative(root, real))
      if (!existsSync(target))
        throw troupeError('eval_invalid', `${relative(root, real)} does not exist in ${ref}.`)
      addUntracked({ root, tree, from: real })
      return target
    },
    remove: () => rm(temporary, { recursive: true, force: true }),
  }
}

type GitContext = Pick<CommandContext, 'env'>

function temporaryFolder({ env }: GitContext): string {
  return env['TMPDIR'] ?? env['TEMP'] ?? '/tmp'
}

async function rootOf(ref: string, folder: string, context: GitContext): Promise<string> {
  try {
    return (await git(folder, ['rev-parse', '--show-toplevel'], context)).trim()
  } catch (cause) {
    throw troupeError(
      'eval_invalid',
      `--compare ${ref}: ${folder} is not in a git repository: ${errorMessage(cause).trim()}`,
      {
        fix: 'Pass a report that `troupe eval --json` printed, in a file whose name ends with `.json`.',
        cause,
      },
    )
  }
}

async function findCommit(ref: string, root: string, context: GitContext): Promise<string> {
  try {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
    return (await git(root, args, context)).trim()
  } catch (cause) {
    throw troupeError('eval_invalid', `--compare ${ref}: there is no such branch, tag or commit.`, {
      fix: 'Fetch it first: a clone in CI often has only one commit.',
      cause,
    })
  }
}

async function git(
  cwd: string,
  args: readonly string[],
  { env }: GitContext,
  own: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run('git', [...args], {
    cwd,
    env: { ...env, ...own },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

/** Returns a function that runs git, for the versions of cards on the page. It is stopped after 5 seconds. */
export function createGitRunner({
  env,
}: GitContext): (args: readonly string[], folder: string) => Promise<string> {
  return async (args, folder) => {
    const { stdout } = await run('git', [...args], {
      cwd: folder,
      env: { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
      maxBuffer: 4 * 1024 * 1024,
      timeout: 5000,
    })
    return stdout
  }
}

const ENV_FILES = ['troupe.env', '.ai-agent.env'] as const

/** Adds what git does not track but cards need: files of variables, and installed packages. */
function addUntracked({
  root,
  tree,
  from,
}: {
  readonly root: string
  readonly tree: string
  readonly from: string
}): void {
  for (let folder = from; isInside(root, folder); folder = dirname(folder)) {
    const target = join(tree, relative(root, folder))
    for (const name of ENV_FILES) {
      const file = join(folder, name)
      if (existsSync(file) && !existsSync(join(target, name))) copyFileSync(file, join(target, name))
    }
    const packages = join(folder, 'node_modules')
    const link = join(target, 'node_modules')
    if (existsSync(packages) && !existsSync(link)) symlinkSync(packages, link, 'junction')
    if (folder === root) break
  }
}
