import type { JsonObject } from '@troupe/schema'

const URL_TARGET = /^https?:\/\//iu

/** Reads the target of a server: a URL, a package such as `@scope/name`, or a command line. */
export function parseTarget(target: string): JsonObject {
  const text = target.trim()
  if (URL_TARGET.test(text)) return { url: text }
  if (text.startsWith('@')) return { command: 'npx', args: ['-y', ...words(text)] }
  const [command = text, ...args] = words(text)
  return { command, args }
}

/** Returns the name of a server whose entry has none. */
export function targetName(target: string): string {
  if (URL_TARGET.test(target) && URL.canParse(target)) return new URL(target).hostname.replaceAll('.', '-')
  const word = target.split(/\s+/u).findLast((part) => !part.startsWith('-')) ?? target
  return word
    .replace(/^@[^/]*\//u, '')
    .replace(/@[^@]*$/u, '')
    .replaceAll(/[^\w-]+/gu, '-')
}

/** Splits a command line at blanks. Quotes keep words together; nothing is expanded. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/"(?<double>[^"]*)"|'(?<single>[^']*)'|\S+/gu)].map(
    ({ 0: whole, groups }) => groups?.['double'] ?? groups?.['single'] ?? whole,
  )
}
