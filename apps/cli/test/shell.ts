import { runProgram } from '../src/program.ts'
import { project } from './team.ts'
import { testContext } from './test-context.ts'

/** What a command line said. */
export interface Told {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A folder, and command lines in it. */
export interface Shell {
  readonly path: string
  run(...args: readonly string[]): Promise<Told>
}

/** Command lines in one folder, which is the home too. */
export async function shell(files: Readonly<Record<string, string>>): Promise<Shell> {
  const { path } = await project(files)
  return {
    path,
    async run(...args) {
      const context = testContext({ cwd: path, home: path })
      const code = await runProgram(args, context)
      return { code, out: context.out(), err: context.err() }
    },
  }
}
