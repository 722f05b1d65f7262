import { existsSync } from 'node:fs'

/** Where Debian and others install Firefox. */
const PATHS = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/snap/bin/firefox']

/** The Firefox of this machine: `FIREFOX_PATH` if it is set, else the first one found. `undefined` if there is none. */
export const FIREFOX: string | undefined = findFirefox(process.env['FIREFOX_PATH'])

/** The end of the titles of tests that need Firefox, if there is none. */
export const FIREFOX_NOTE: string = FIREFOX === undefined ? ' – NOT RUN: firefox is missing' : ''

function findFirefox(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return PATHS.find((path) => existsSync(path))
  if (!existsSync(given)) throw new Error(`FIREFOX_PATH names ${given}, which does not exist.`)
  return given
}
