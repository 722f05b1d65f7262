import { readFileSync } from 'node:fs'

/** The version of the package. Its package.json lies one folder above the sources as above the built files. */
export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
