import { z } from 'zod'
import { createInjectionFinder } from '../detect/find-injection.ts'
import { createLinkFinder, LONGEST_LINK } from '../detect/find-links.ts'
import { createFinder } from '../detect/find-patterns.ts'
import { INJECTION_KINDS, LONGEST_PHRASE } from '../detect/injection-phrases.ts'
import { keyPatterns, LONGEST_SECRET } from '../detect/keys.ts'
import { LONGEST_NUMBER, PERSONAL_DATA, PERSONAL_DATA_KINDS } from '../detect/personal-data.ts'
import { stockGuard, type GuardFactory } from './stock-guard.ts'

/** Returns a shortened text for messages of `max-length`. */
function cut(text: string, characters: number): string {
  return `${text.slice(0, characters - 1).toWellFormed()}…`
}

const host = z.string().regex(/^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/iu, {
  error: 'must be a host such as example.com or *.example.com',
})

/** The stock guards by the name used in cards, without `troupe:`. */
export const STOCK_GUARDS: ReadonlyMap<string, GuardFactory> = new Map([
  stockGuard(
    'pii',
    z.strictObject({
      kinds: z
        .array(z.enum(PERSONAL_DATA_KINDS))
        .min(1)
        .default([...PERSONAL_DATA_KINDS]),
    }),
    ({ kinds }) => ({
      kind: 'pattern',
      find: createFinder(kinds.flatMap((kind) => PERSONAL_DATA[kind])),
      longestMatch: LONGEST_NUMBER,
    }),
  ),
  stockGuard('secrets', z.strictObject({ entropy: z.boolean().default(true) }), ({ entropy }) => ({
    kind: 'pattern',
    find: createFinder(keyPatterns(entropy)),
    longestMatch: LONGEST_SECRET,
  })),
  stockGuard(
    'injection',
    z.strictObject({
      kinds: z
        .array(z.enum(INJECTION_KINDS))
        .min(1)
        .default([...INJECTION_KINDS]),
    }),
    ({ kinds }) => ({ kind: 'pattern', find: createInjectionFinder(kinds), longestMatch: LONGEST_PHRASE }),
  ),
  stockGuard('links', z.strictObject({ allow: z.array(host).default([]) }), ({ allow }) => ({
    kind: 'pattern',
    find: createLinkFinder(allow),
    longestMatch: LONGEST_LINK,
  })),
  stockGuard('max-length', z.strictObject({ characters: z.int().min(1) }), ({ characters }) => ({
    kind: 'function',
    check: ({ text }) =>
      text.length <= characters
        ? undefined
        : { reason: `${text.length} of at most ${characters} characters`, text: cut(text, characters) },
  })),
])
