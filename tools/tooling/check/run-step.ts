import { spawnSync } from 'node:child_process'

/** Runs the commands of one step, says how long they took, and ends the check at the first that fails. */
export function runStep(
  root: string,
  name: string,
  ...commands: readonly (readonly [string, ...string[]])[]
): void {
  const started = performance.now()
  console.log(`\n== ${name}`)
  for (const [command, ...args] of commands) {
    const { status, error } = spawnSync(command, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
    })
    if (error !== undefined) console.error(`${command}: ${error.message}. Start this with pnpm check`)
    if (status !== 0) process.exit(status ?? 1)
  }
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`)
}
