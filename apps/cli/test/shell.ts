import { runProgram } from '../src/program.ts'
import { project } from './team.ts'
import { testContext } from './test-context.ts'

/** The result of a command line. */
export interface Told {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A folder in which command lines run. */
export interface Shell {
  readonly path: string
  run(...args: readonly string[]): Promise<Told>
}

/** Returns a shell in one folder, which is also the home folder. */
export async function shell(
  files: Readonly<Record<string, string>>,
  { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Shell> {
  const { path } = await project(files)
  return {
    path,
    async run(...args) {
      const context = testContext({ cwd: path, home: path, env })
      const code = await runProgram(args, context)
      return { code, out: context.out(), err: context.err() }
    },
  }
}
