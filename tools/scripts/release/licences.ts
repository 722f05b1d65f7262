import { execFileSync } from 'node:child_process'

/** Licences that are compatible with Apache-2.0. */
const COMPATIBLE: ReadonlySet<string> = new Set([
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'PSF-2.0',
])

const PUBLISHED = ['--filter', './packages/*', '--filter', './apps/*']

/** A dependency with a licence that has to be looked at. */
export interface LicenceProblem {
  readonly name: string
  readonly licence: string
}

/**
 * Returns the number of production dependencies of packages and apps by licence, and those whose licence may not be
 * compatible. Examples are not published.
 */
export function readLicences(root: string): {
  readonly counts: ReadonlyMap<string, number>
  readonly problems: readonly LicenceProblem[]
} {
  const output = execFileSync('pnpm', [...PUBLISHED, 'licenses', 'list', '--prod', '--json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const listed = JSON.parse(output) as Readonly<Record<string, readonly { readonly name: string }[]>>
  const entries = Object.entries(listed)
  return {
    counts: new Map(entries.map(([licence, packages]) => [licence, packages.length])),
    problems: entries.flatMap(([licence, packages]) =>
      isCompatible(licence) ? [] : packages.map(({ name }) => ({ name, licence })),
    ),
  }
}

/** Returns true for an SPDX expression of which one choice is compatible in all of its parts. */
export function isCompatible(licence: string): boolean {
  const choices = licence.replaceAll(/[()]/gu, '').split(/ OR /u)
  return choices.some((choice) => choice.split(/ AND /u).every((part) => COMPATIBLE.has(part.trim())))
}
