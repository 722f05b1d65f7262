import { createLinearPatterns, type LinearPattern } from '@troupe/tools'

const SPECIAL = /[\\^$.|?*+()[\]{}]/gu

/**
 * A glob over a path with `/`: `*` and `?` stay in one segment, `**` goes over any number of them, `{a,b}` is either. Without a `/` it
 * is a glob over the name alone. It runs in linear time, as models write it. Undefined for one that is too large or whose braces do not match.
 */
export function globPattern(glob: string): LinearPattern | undefined {
  const body = globBody(glob)
  if (body === undefined) return undefined
  return createLinearPatterns().get(glob.includes('/') ? `^${body}$` : `(?:^|/)${body}$`)
}

function globBody(glob: string): string | undefined {
  let body = ''
  let depth = 0
  // `**/` goes over no segment too
  for (const [token] of glob.matchAll(/\*\*\/|\*\*|[^]/gu)) {
    if (token === '{') depth += 1
    else if (token === '}') depth -= 1
    if (depth < 0) return undefined
    body += partOf(token, depth)
  }
  return depth === 0 ? body : undefined
}

function partOf(token: string, depth: number): string {
  switch (token) {
    case '**/':
      return '(?:.*/)?'
    case '**':
      return '.*'
    case '*':
      return '[^/]*'
    case '?':
      return '[^/]'
    case '{':
      return '(?:'
    case '}':
      return ')'
    case ',':
      return depth > 0 ? '|' : ','
    default:
      return token.replaceAll(SPECIAL, String.raw`\$&`)
  }
}
