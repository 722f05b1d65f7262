import type { Dialect, DialectInput } from './dialect.ts'
import { troupeDialect } from './troupe.ts'

/** Every dialect; ours is last, as it takes whatever no other claims. */
const DIALECTS: readonly Dialect[] = [troupeDialect]

/** The dialect of a card: the one it names with `dialect:`, else the first that recognises it. */
export function chooseDialect(card: DialectInput): Dialect {
  return namedDialect(card) ?? DIALECTS.find((dialect) => dialect.recognises(card)) ?? troupeDialect
}

/** The name that a card gives with `dialect:`, when no dialect has it. */
export function unknownDialect(card: DialectInput): string | undefined {
  const name = card.fields['dialect']
  return typeof name === 'string' && namedDialect(card) === undefined ? name : undefined
}

/** The values `dialect:` may have. */
export function dialectNames(): readonly string[] {
  return DIALECTS.map((dialect) => dialect.name)
}

function namedDialect(card: DialectInput): Dialect | undefined {
  const name = card.fields['dialect']
  return name === undefined ? undefined : DIALECTS.find((dialect) => dialect.name === name)
}
