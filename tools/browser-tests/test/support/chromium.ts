import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** Where Debian and others install Chromium, and where `playwright install chromium` does. */
const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/snap/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  chromium.executablePath(),
]

/** The browser of this machine: `CHROMIUM_PATH` if it is set, else the first one found. `undefined` if there is none. */
export const CHROMIUM: string | undefined = findChromium(process.env['CHROMIUM_PATH'])

/** The end of the titles of tests that need a browser, if there is none. */
export const CHROMIUM_NOTE: string = CHROMIUM === undefined ? ' – NOT RUN: chromium is missing' : ''

function findChromium(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return PATHS.find((path) => existsSync(path))
  if (!existsSync(given)) throw new Error(`CHROMIUM_PATH names ${given}, which does not exist.`)
  return given
}
