import { readFileSync } from 'node:fs'

/**
 * Reads the version of the package. package.json is one folder above both the sources and the built files.
 */
export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
