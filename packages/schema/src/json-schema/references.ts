import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** The definitions that the references of a schema lead to. */
export interface References {
  /** Returns the reference as `#/$defs/<name>`, or the reason why it leads nowhere. */
  resolve(reference: string): { readonly $ref: string } | { readonly why: string }
  /** Returns a definition that was referenced and is not converted yet. */
  next(): { readonly name: string; readonly target: Json } | undefined
}

/** Creates references that are resolved within one document. Nothing outside of it is fetched. */
export function createReferences(root: JsonObject): References {
  const names = new Map<string, string>()
  const usedNames = new Set<string>()
  const pending: { name: string; target: Json }[] = []
  return {
    resolve(reference) {
      if (reference === '#') return { $ref: '#' }
      if (!reference.startsWith('#')) return { why: 'other documents are never fetched' }
      const target = resolvePointer(root, reference)
      if (target === undefined || (!isJsonObject(target) && typeof target !== 'boolean'))
        return { why: 'it leads to no schema' }
      let name = names.get(reference)
      if (name === undefined) {
        name = unusedName(reference, usedNames)
        names.set(reference, name)
        usedNames.add(name)
        pending.push({ name, target })
      }
      return { $ref: `#/$defs/${encodeName(name)}` }
    },
    next: () => pending.shift(),
  }
}

/** Returns the name in `$defs` that a converted reference refers to; `undefined` for the root. */
export function definitionName(reference: string): string | undefined {
  return reference === '#' ? undefined : decodeToken(reference.slice('#/$defs/'.length))
}

function resolvePointer(root: JsonObject, reference: string): Json | undefined {
  let current: Json | undefined = root
  const tokens = reference.slice(1).split('/')
  if (tokens.shift() !== '') return undefined
  for (const token of tokens) {
    const name = decodeToken(token)
    if (name === undefined || typeof current !== 'object' || current === null) return undefined
    current = Object.hasOwn(current, name) ? (current as JsonObject)[name] : undefined
  }
  return current
}

/** Decodes a token of a JSON pointer. Returns `undefined` if its percent encoding is invalid. */
function decodeToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // malformed percent encoding
    return undefined
  }
}

function encodeName(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** Returns an unused name, based on the last token of the reference. */
function unusedName(reference: string, usedNames: ReadonlySet<string>): string {
  const last = decodeToken(reference.slice(reference.lastIndexOf('/') + 1)) ?? ''
  const wanted = last === '' ? 'definition' : last.toWellFormed()
  let name = wanted
  for (let number = 2; usedNames.has(name); number += 1) name = `${wanted}_${number}`
  return name
}
