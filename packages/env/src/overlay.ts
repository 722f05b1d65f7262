import { canonicalJson, sha256Hex } from '@troupe/schema'
import { secretsOf, type Secret } from './secrets.ts'

/** One source of variables. `origin` is `override`, the path of a file, or `process`. */
export interface EnvLayer {
  readonly origin: string
  readonly values: Readonly<Record<string, string | undefined>>
}

/** The variables of one session (C43): immutable, and all that providers and MCP servers ever see of an environment. */
export interface Overlay {
  /** The value of the first layer that sets the name. */
  get(name: string): string | undefined
  /** The origin of that layer. */
  origin(name: string): string | undefined
  /** Every name that is set, sorted. */
  names(): readonly string[]
  /** Equal for overlays with the same names and values, whatever their origins. A hash: no value can be read from it. */
  readonly fingerprint: string
  /** A further overlay with the layer in front; this one stays as it is. */
  with(layer: EnvLayer): Overlay
  /** The variables that hold secrets, judged by name, and passwords inside addresses. */
  secrets(): readonly Secret[]
}

interface Entry {
  readonly value: string
  readonly origin: string
}

/** An overlay over copies of the layers; the first layer that sets a name wins (R17). */
export function createOverlay(layers: readonly EnvLayer[]): Overlay {
  const entries = new Map<string, Entry>()
  for (const layer of layers) addMissing(entries, layer)
  return fromEntries(entries)
}

function addMissing(entries: Map<string, Entry>, layer: EnvLayer): void {
  for (const [name, value] of Object.entries(layer.values)) {
    if (value !== undefined && !entries.has(name)) entries.set(name, { value, origin: layer.origin })
  }
}

function fromEntries(entries: ReadonlyMap<string, Entry>): Overlay {
  let names: readonly string[] | undefined
  let fingerprint: string | undefined
  let secrets: readonly Secret[] | undefined
  const sortedNames = (): readonly string[] => (names ??= Object.freeze([...entries.keys()].toSorted()))
  return Object.freeze({
    get: (name: string) => entries.get(name)?.value,
    origin: (name: string) => entries.get(name)?.origin,
    names: sortedNames,
    get fingerprint() {
      fingerprint ??= sha256Hex(
        canonicalJson(sortedNames().map((name) => [name, entries.get(name)?.value ?? ''])),
      )
      return fingerprint
    },
    with: (layer: EnvLayer) => {
      const merged = new Map<string, Entry>()
      addMissing(merged, layer)
      for (const [name, entry] of entries) if (!merged.has(name)) merged.set(name, entry)
      return fromEntries(merged)
    },
    secrets: () => {
      secrets ??= Object.freeze(
        sortedNames().flatMap((name) => secretsOf(name, entries.get(name)?.value ?? '')),
      )
      return secrets
    },
  })
}
