import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Possible folders of the built page: beside the built server, or in a clone. */
const CANDIDATES: readonly URL[] = [
  new URL('./public/', import.meta.url),
  new URL('../../../web/dist/', import.meta.url),
]

/** Returns the folder of the built page, or `undefined` if it is not built. */
export function pageFolder(): string | undefined {
  const folder = CANDIDATES.find((one) => existsSync(new URL('index.html', one)))
  return folder === undefined ? undefined : fileURLToPath(folder)
}
