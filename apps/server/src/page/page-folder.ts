import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the built page may be: beside the built server, or where a clone builds it. */
const PLACES: readonly URL[] = [
  new URL('./public/', import.meta.url),
  new URL('../../../web/dist/', import.meta.url),
]

/** The folder of the built page; undefined: it is not built. */
export function pageFolder(): string | undefined {
  const place = PLACES.find((one) => existsSync(new URL('index.html', one)))
  return place === undefined ? undefined : fileURLToPath(place)
}
