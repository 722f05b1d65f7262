import { troupeError } from '@troupe/schema'

const DEFAULT_PORT = '7788'
const LAST_PORT = 65_535

/** Parses `--port`. Throws `usage_invalid` if it is not a port number. */
export function readPort(port: string = DEFAULT_PORT): number {
  const number = Number(port)
  if (/^\d{1,5}$/u.test(port) && number <= LAST_PORT) return number
  throw troupeError('usage_invalid', `--port: "${port}" is not a number from 0 to ${LAST_PORT}.`)
}
