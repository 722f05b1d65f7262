import { createLinearPatterns, type LinearPattern } from '@troupe/tools'

const SPECIAL = /[\\^$.|?*+()[\]{}]/gu

/**
 * Compiles a glob for paths with `/`: `*` and `?` match within one segment, `**` matches any number of
 * segments, `{a,b}` matches either. A glob without `/` is matched against the file name. Runs in linear time,
 * because models write the globs. Returns `undefined` if the glob is too large or its braces are unbalanced.
 */
export function globPattern(glob: string): LinearPattern | undefined {
  const body = globBody(glob)
  if (body === undefined) return undefined
  return createLinearPatterns().get(glob.includes('/') ? `^${body}$` : `(?:^|/)${body}$`)
}

function globBody(glob: string): string | undefined {
  let body = ''
  let depth = 0
  // `**/` also matches zero segments.
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
