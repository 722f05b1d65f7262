/** A secret value and the name shown in place of it. */
export interface Secret {
  readonly name: string
  readonly value: string
}

const SECRET_WORDS: ReadonlySet<string> = new Set([
  'APIKEY',
  'AUTHORIZATION',
  'COOKIE',
  'CREDENTIAL',
  'CREDENTIALS',
  'KEY',
  'PASS',
  'PASSPHRASE',
  'PASSWD',
  'PASSWORD',
  'PAT',
  'SECRET',
  'SECRETS',
  'TOKEN',
])
/** Words that mark a secret only as the last word: `BASIC_AUTH` does, `AUTH_MODE` does not. */
const LAST_SECRET_WORDS: ReadonlySet<string> = new Set(['AUTH', 'PWD'])
/** Last words of names that describe a secret but do not hold it, such as `TOKEN_URL` or `KEY_FILE`. */
const PLAIN_LAST_WORDS: ReadonlySet<string> = new Set([
  'DIR',
  'ENDPOINT',
  'FILE',
  'LIMIT',
  'NAME',
  'PATH',
  'SOCK',
  'TTL',
  'URI',
  'URL',
])
const WORKING_FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD'])

/**
 * Returns the secrets in a variable: passwords and keys inside a URL, and the whole value if there are any or
 * if the name marks a secret.
 */
export function secretsOf(name: string, value: string): readonly Secret[] {
  const parts = [...passwordsOf(value), ...keysOf(value)]
  const all = parts.length > 0 || isSecretName(name) ? [value, ...parts] : []
  return all.map((secret) => ({ name, value: secret }))
}

/** Returns true if the name of a variable, header or option marks a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, '_')
    .toUpperCase()
    .split(/[^A-Z0-9]+/u)
  const last = words.at(-1) ?? ''
  if (WORKING_FOLDERS.has(name) || PLAIN_LAST_WORDS.has(last)) return false
  return LAST_SECRET_WORDS.has(last) || words.some((word) => SECRET_WORDS.has(word))
}

/** Returns the password in a URL such as `postgres://user:password@host/db`, as written and decoded. */
function passwordsOf(value: string): readonly string[] {
  if (!value.includes('://') || !URL.canParse(value) || new URL(value).password === '') return []
  const rest = value.slice(value.indexOf('://') + 3)
  const authority = rest.split(/[/?#]/u, 1)[0] ?? ''
  const credentials = authority.slice(0, authority.lastIndexOf('@'))
  const written = credentials.slice(credentials.indexOf(':') + 1)
  return [...new Set([written, decoded(written)])]
}

/**
 * Returns the query parameters of a URL that are secret by name, such as `api_key`, as written and decoded.
 */
function keysOf(value: string): readonly string[] {
  if (!value.includes('://') || !value.includes('?') || !URL.canParse(value)) return []
  const query = value.slice(value.indexOf('?') + 1).split('#', 1)[0] ?? ''
  return query.split('&').flatMap((pair) => {
    const at = pair.indexOf('=')
    if (at < 1 || !isSecretName(decoded(pair.slice(0, at)))) return []
    const written = pair.slice(at + 1)
    return [...new Set([written, decoded(written)])]
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // the password contains a literal %
    return text
  }
}
