import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldPath } from '../card/problem.ts'

/** The fields of a card without its secrets, and comments that name the variables in their place. */
interface SecretFreeFields {
  readonly fields: JsonObject
  readonly comments: readonly string[]
}

/** A secret in a text of a card. */
interface HiddenText {
  readonly path: FieldPath
  /** The part of the text that is replaced. */
  readonly secret: string
  /** Why it is replaced; completes "its value …". */
  readonly reason: string
}

/** Keys that name an environment variable themselves. */
const VARIABLE = /^[A-Za-z_]\w*$/u
/** Names of variables, headers, options and URL parameters whose values are secret. */
const SECRET_NAME =
  /secret|token|passw|passphrase|credential|api[-_]?key|(?:^|[^a-z])(?:key|auth|authorization|pat|pwd|cookie|session|dsn|bearer)(?:[-_]?\d+)?$/iu
/** Endings of names that only sound secret, such as `TOKEN_FILE`. */
const PLAIN_NAME = /[-_](?:file|path|dir|url|uri|endpoint|name|limit|mode|type|id)$/iu
/** Values that are never secret. */
const PLAIN_VALUE = /^(?:true|false|yes|no|on|off|none|\d{1,6})$/iu
/** The forms of well-known keys and tokens, whatever they are called. */
const SECRET_FORM =
  /(?<![\w-])(?:sk-[\w-]{8,}|gh[a-z]_\w{8,}|github_pat_\w{8,}|glpat-[\w-]{8,}|xox[a-z]-[\w-]{8,}|AKIA\w{12,}|AIza[\w-]{20,}|eyJ[\w-]{10,}\.[\w.-]+)/gu
/** References without a default, and the words before a token. */
const NOT_SECRET = /\$\{[\w.]+(?::-)?\}|\b(?:Bearer|Basic|Token)\b/giu
const BEARER = /^(?:.*:)?\s*(?:Bearer|Basic|Token)\s+(?<secret>\S+)$/iu

/**
 * Replaces secrets by variables: texts that come from a file of secrets, and literal keys, tokens and
 * passwords in the definitions of MCP servers.
 */
export function hideSecrets(fields: JsonObject, secrets: readonly FieldPath[] = []): SecretFreeFields {
  const marked = secrets.map((path): HiddenText => {
    return { path, secret: textAt(fields, path), reason: 'is in a file of secrets' }
  })
  const known = new Set(secrets.map(dottedPath))
  const found = literalSecrets(fields).filter(({ path }) => !known.has(dottedPath(path)))
  const all = [...marked, ...found]
  if (all.length === 0) return { fields, comments: [] }
  const names = variableNames(all)
  const comments = all.map(
    ({ path, reason }, index) =>
      `#   ${dottedPath(path)}: its value ${reason}; set the variable ${names[index] ?? ''}`,
  )
  const replaced = all.reduce<Json>(
    (value, { path, secret }, index) =>
      replaceAt(value, path, (text) => text.replaceAll(secret, () => `\${${names[index] ?? ''}}`)),
    fields,
  )
  return { fields: replaced as JsonObject, comments: ['# secrets:', ...comments] }
}

/** Returns the literal secrets of MCP servers and HTTP tools. */
function literalSecrets(fields: JsonObject): readonly HiddenText[] {
  const { mcpServers, functionTools } = fields
  const tools = Array.isArray(functionTools) ? (functionTools as readonly Json[]) : []
  const definitions = [
    ...entriesOf(mcpServers).map(([name, server]) => ({ path: ['mcpServers', name], definition: server })),
    ...tools.map((tool, index) => ({ path: ['functionTools', index], definition: tool })),
  ]
  return definitions.flatMap(({ path, definition }) =>
    isJsonObject(definition) ? namedTexts(path, definition).flatMap(secretsOf) : [],
  )
}

/** A text with the name that tells what it means. */
interface NamedText {
  readonly path: FieldPath
  readonly name: string
  readonly value: Json | undefined
}

function namedTexts(path: FieldPath, server: JsonObject): readonly NamedText[] {
  const members = ['env', 'headers', 'auth'].flatMap((key) =>
    entriesOf(server[key]).map(([name, value]) => ({ path: [...path, key, name], name, value })),
  )
  const args: readonly Json[] = Array.isArray(server['args']) ? (server['args'] as readonly Json[]) : []
  const options = args.map((value, index) => {
    const option = OPTION.exec(textOr(value))?.groups?.['name'] ?? textOr(args[index - 1])
    return { path: [...path, 'args', index], name: option.startsWith('-') ? option : '', value }
  })
  return [...members, ...options, { path: [...path, 'url'], name: '', value: server['url'] }]
}

/** An option with its value, such as `--token=abc`. */
const OPTION = /^(?<name>--?[\w-]+)=(?<value>.+)$/su

function secretsOf({ path, name, value }: NamedText): readonly HiddenText[] {
  const text = textOr(value)
  const found = new Set([...secretsInUrl(text), ...(text.match(SECRET_FORM) ?? [])])
  const bearer = BEARER.exec(text)?.groups?.['secret']
  if (bearer !== undefined && !isReference(bearer)) found.add(bearer)
  const own = OPTION.exec(text)?.groups?.['value'] ?? text
  if (found.size === 0 && isSecretName(name) && !isReference(own) && !PLAIN_VALUE.test(own)) found.add(own)
  return [...found].map((secret) => ({ path, secret, reason: 'may be secret' }))
}

/** Returns true for a text that consists of references to variables. */
function isReference(text: string): boolean {
  return text.replaceAll(NOT_SECRET, '').trim() === ''
}

function isSecretName(name: string): boolean {
  const words = withWords(name)
  return SECRET_NAME.test(words) && !PLAIN_NAME.test(words)
}

/** Returns the password and the secret parameters of an address. */
function secretsInUrl(text: string): readonly string[] {
  if (!/^[\w+.-]+:\/\//u.test(text)) return []
  const password = /^[\w+.-]+:\/\/[^/@\s:]*:(?<secret>[^/@\s]+)@/u.exec(text)?.groups?.['secret']
  const parameters = [...text.matchAll(/[?&](?<name>[^=&]+)=(?<secret>[^&#]+)/gu)]
    .filter(({ groups }) => isSecretName(groups?.['name'] ?? ''))
    .map(({ groups }) => groups?.['secret'] ?? '')
  return [...(password === undefined ? [] : [password]), ...parameters].filter((each) => !isReference(each))
}

/** Separates the words of a name in camel case. */
function withWords(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/gu, '$1-$2')
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : []
}

function textOr(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Returns a variable for each secret. Different secrets never get the same variable. */
function variableNames(secrets: readonly HiddenText[]): readonly string[] {
  const taken = new Map<string, string>()
  return secrets.map(({ path, secret }) => {
    const long = longName(path)
    const candidates = [shortName(path), long, ...secrets.map((_, index) => `${long}_${index + 2}`)]
    const name = candidates.find((each) => (taken.get(each) ?? secret) === secret) ?? long
    taken.set(name, secret)
    return name
  })
}

function shortName(path: FieldPath): string {
  const key = String(path.at(-1))
  return path.at(-2) === 'env' && VARIABLE.test(key) ? key : longName(path)
}

function longName(path: FieldPath): string {
  return path
    .slice(1)
    .join('_')
    .replaceAll(/[^A-Za-z\d]+/gu, '_')
    .replace(/^(?=\d)/u, '_')
    .toUpperCase()
}

function textAt(value: Json, path: FieldPath): string {
  const [step, ...rest] = path
  if (step === undefined) return textOr(value)
  const member = Array.isArray(value)
    ? (value as readonly Json[])[Number(step)]
    : isJsonObject(value)
      ? value[String(step)]
      : undefined
  return member === undefined ? '' : textAt(member, rest)
}

function replaceAt(value: Json, path: FieldPath, change: (text: string) => string): Json {
  const [step, ...rest] = path
  if (step === undefined) return change(textOr(value))
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item, index) =>
      index === step ? replaceAt(item, rest, change) : item,
    )
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === step ? replaceAt(member, rest, change) : member,
    ]),
  )
}
