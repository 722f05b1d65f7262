import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** A command that checks the repository without running its tests. */
export interface CheckStep {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

/** Runs a command, then prints its name, its time and its output. Returns true if it passed. */
export async function runStep(
  root: string,
  { name, command: [command, ...args] }: CheckStep,
): Promise<boolean> {
  const started = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  try {
    const [status] = await once(child, 'close')
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `\n== ${name}: ${status === 0 ? 'passed' : 'failed'}, ${seconds} s\n${(await output).join('')}`.trimEnd(),
    )
    return status === 0
  } catch (error) {
    console.error(`\n== ${name}: ${String(error)}. Run it as \`pnpm check\`, which finds ${command}.`)
    return false
  }
}
