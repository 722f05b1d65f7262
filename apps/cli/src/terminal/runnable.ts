import type { CommandContext } from './context.ts'

/** Returns a command of this program that also works if npx runs the program without an installation. */
export function runnable(command: string, env: CommandContext['env']): string {
  return env['npm_command'] === 'exec' ? `npx ${command}` : command
}
