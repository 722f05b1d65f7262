import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './median.ts'
import { createTempFolder } from './temp-folder.ts'

const execute = promisify(execFile)

const COMMAND = fileURLToPath(new URL('../../../apps/cli/dist/bin.js', import.meta.url))

/** The CPU time of a command and its standard output. */
export interface CommandCost {
  /** User and system time in µs of the process and of the processes it waited for. */
  readonly cpu: number
  readonly output: string
}

/** Returns the arguments that start the built `troupe` command. Throws if it is not built. */
export function troupeCommand(...args: readonly string[]): readonly string[] {
  if (!existsSync(COMMAND)) throw new Error('The command is not built. Run `pnpm build` first.')
  return [COMMAND, ...args]
}

/** Returns the arguments that start a program of the bench. */
export function programCommand(name: string, ...args: readonly string[]): readonly string[] {
  return [fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url)), ...args]
}

/** Runs Node with these arguments and no input, and returns the median cost of `times` runs. Throws if one fails. */
export async function commandCpu(
  args: readonly string[],
  times: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<CommandCost> {
  const folder = createTempFolder()
  const output = join(folder.path, 'output')
  // the `times` of bash includes the processes that the command started, and Node cannot measure those
  const script = '"$@" </dev/null >"$OUT" || exit 1; times'
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const env = { ...variables, PATH: path, HOME: folder.path, OUT: output }
  const costs: number[] = []
  try {
    for (let index = 0; index < times; index++) {
      const argv = ['-c', script, 'bash', process.execPath, ...args]
      const { stdout } = await execute('bash', argv, { env, cwd: folder.path })
      costs.push(parseTimes(stdout))
    }
    return { cpu: median(costs), output: readFileSync(output, 'utf8') }
  } finally {
    folder.remove()
  }
}

/** Returns the CPU µs that a command takes more than a Node process without a program. */
export async function cpuOverBareNode(args: readonly string[], times: number): Promise<CommandCost> {
  const bare = await commandCpu(['-e', '0'], times)
  const whole = await commandCpu(args, times)
  return { ...whole, cpu: whole.cpu - bare.cpu }
}

/** The second line has the user and system time of the children, like `0m0.314s 0m0.089s`. */
function parseTimes(text: string): number {
  const children = text.trim().split('\n').at(-1) ?? ''
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60e6 + Number(seconds) * 1e6, 0)
}
