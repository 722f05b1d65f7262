import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const ROOT = path.join(import.meta.dirname, '../../..')
/** Commands of pnpm itself. */
const BUILT_IN = ['install', 'exec', 'add']

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')

it.each(['README.md', 'CONTRIBUTING.md', 'tools/browser-tests/README.md', '.ci/run'])(
  '%s names only commands that the repository has',
  (file) => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object }
    const named = [...read(file).matchAll(/\bpnpm(?:@\d+)? ([a-z][\w:-]*)/gu)].map(([, command]) => command)
    const known = [...Object.keys(scripts), ...BUILT_IN]
    expect(named).not.toEqual([])
    expect(named.filter((command) => command !== undefined && !known.includes(command))).toEqual([])
  },
)
