import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Possible folders of the built page: beside the built server, or in a clone. */
const PLACES: readonly URL[] = [
  new URL('./public/', import.meta.url),
  new URL('../../../web/dist/', import.meta.url),
]

/** Returns the folder of the built page, or `undefined` if it is not built. */
export function pageFolder(): string | undefined {
  const place = PLACES.find((one) => existsSync(new URL('index.html', one)))
  return place === undefined ? undefined : fileURLToPath(place)
}
