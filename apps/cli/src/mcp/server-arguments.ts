import { resolve } from 'node:path'
import type { TeamOptions } from '../team/load-host.ts'

/** Returns the command line arguments that start the server from any folder: paths are absolute. */
export function serverArguments(card: string, options: TeamOptions, cwd: string): readonly string[] {
  const at = (path: string): string => (/^https?:\/\//u.test(path) ? path : resolve(cwd, path))
  const one = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [flag, value]
  const path = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [flag, at(value)]
  const each = (flag: string, values: readonly string[] = []): readonly string[] =>
    values.flatMap((value) => [flag, at(value)])
  return [
    'mcp',
    at(card),
    ...one('--agent', options.agent),
    ...each('--card', options.card),
    ...each('--agent-cards', options.agentCards),
    ...path('--config', options.config),
    ...path('--root', options.root),
    ...one('--model', options.model),
    ...each('--env-file', options.envFile),
    ...(options.frozen === true ? ['--frozen'] : []),
    ...(options.allowHttp === true ? ['--allow-http'] : []),
    ...(options.allowPrivate === true ? ['--allow-private'] : []),
  ]
}
