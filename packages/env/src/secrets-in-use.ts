import { expandText, findVariables } from './expand.ts'
import type { Overlay } from './overlay.ts'
import { isSecretName, secretsOf, type Secret } from './secrets.ts'

/**
 * Finds secrets by where a configuration uses them, not by the name of a variable: values, or variables in
 * values, under a key such as `apiKey`, `authorization` or `--token`. A literal secret is named after its
 * path, such as `providers.acme.apiKey`.
 */
export function secretsInUse(config: unknown, overlay: Overlay, path: string): readonly Secret[] {
  const found: Secret[] = []
  walk(config, { overlay, found, path, key: '' })
  return found
}

interface Walk {
  readonly overlay: Overlay
  readonly found: Secret[]
  readonly path: string
  readonly key: string
}

function walk(value: unknown, at: Walk): void {
  if (typeof value === 'string') return collect(value, at)
  if (Array.isArray(value)) return walkArguments(value, at)
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) walk(member, { ...at, path: `${at.path}.${key}`, key })
}

/** Walks an argument list, where an option is the key of its value: `--token abc` and `--token=abc`. */
function walkArguments(items: readonly unknown[], at: Walk): void {
  let key = ''
  for (const [index, item] of items.entries()) {
    const path = `${at.path}.${index}`
    const option =
      typeof item === 'string' ? /^-{1,2}(?<name>[\w-]+)(?:=(?<value>.*))?$/su.exec(item)?.groups : undefined
    if (option?.['value'] !== undefined) walk(option['value'], { ...at, path, key: option['name'] ?? '' })
    else walk(item, { ...at, path, key })
    key = option?.['name'] ?? ''
  }
}

function collect(text: string, { overlay, found, path, key }: Walk): void {
  const variables = findVariables(text)
  if (variables.length === 0) {
    const secrets = isSecretName(key)
      ? [{ name: path, value: text }, ...credentialIn(path, text)]
      : secretsOf('', text)
    found.push(...secrets.map(({ value }) => ({ name: path, value })))
    return
  }
  const { value } = expandText(text, overlay)
  found.push(
    ...secretsOf('', value).map((secret) => ({ name: variables[0]?.name ?? path, value: secret.value })),
  )
  if (!isSecretName(key)) return
  for (const { name } of variables) found.push({ name, value: overlay.get(name) ?? '' })
}

/** Returns the credential of an authorization value such as `Bearer abc`. */
function credentialIn(name: string, text: string): readonly Secret[] {
  const [, word] = /^\S+\s+(\S+)$/u.exec(text) ?? []
  return word === undefined ? [] : [{ name, value: word }]
}
