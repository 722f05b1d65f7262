import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine; undefined: there is none. */
export const CHROMIUM: string | undefined = PLACES.find((place) => existsSync(place))

/** What stands in the names of tests that need a browser where there is none. */
export const CHROMIUM_NOTE: string = CHROMIUM === undefined ? ' – NOT RUN: chromium is missing' : ''
