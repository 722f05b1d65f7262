import { troupeError, TroupeError } from '@troupe/schema'
import type { z } from 'zod'
import { checkShape } from './read-json.ts'

/** Schema of a query: an object with one key per parameter. */
export type QuerySchema<T> = z.ZodType<T> & { readonly shape: z.ZodRawShape }

/**
 * Reads the query of a URL. Throws `request_invalid`, naming the parameter, if one is unknown, given twice or
 * invalid.
 */
export function readQuery<T>(url: string, schema: QuerySchema<T>): T {
  const given = new URL(url).searchParams
  const known = Object.keys(schema.shape)
  for (const name of new Set(given.keys())) {
    const shown = JSON.stringify(name.slice(0, 100))
    if (!known.includes(name))
      throw troupeError('request_invalid', `${shown}: there is no such query parameter.`, {
        fix: known.length === 0 ? 'Leave it out: the path takes none.' : `Use ${known.join(', ')}.`,
      })
    if (given.getAll(name).length > 1)
      throw troupeError('request_invalid', `${shown}: the query parameter is given more than once.`)
  }
  const read = checkShape(Object.fromEntries(given), schema)
  if (!read.ok) throw new TroupeError(read.reason)
  return read.value
}
