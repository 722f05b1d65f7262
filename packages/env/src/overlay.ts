import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import { secretsOf, type Secret } from './secrets.ts'

/** A source of variables. `origin` is `override`, a file path, or `process`. */
export interface EnvLayer {
  readonly origin: string
  readonly values: Readonly<Record<string, string | undefined>>
}

/** The immutable variables of one session. Providers and MCP servers read no other environment. */
export interface Overlay {
  /** Returns the value from the first layer that sets the name. */
  get(name: string): string | undefined
  /** Returns the origin of the layer that sets the name. */
  origin(name: string): string | undefined
  /** Returns the names of all variables, sorted. */
  names(): readonly string[]
  /** Hash of names and values, which ignores origins. Values cannot be recovered from it. */
  readonly fingerprint: string
  /** Returns a new overlay with `layer` in front. */
  with(layer: EnvLayer): Overlay
  /** Returns the variables that are secret by name, and passwords and keys inside URLs. */
  secrets(): readonly Secret[]
}

interface OverlayEntry {
  readonly value: string
  readonly origin: string
}

/** Creates an overlay from copies of the layers. The first layer that sets a name wins. */
export function createOverlay(layers: readonly EnvLayer[]): Overlay {
  const entries = new Map<string, OverlayEntry>()
  for (const layer of layers) addMissing(entries, layer)
  return fromEntries(entries)
}

function addMissing(entries: Map<string, OverlayEntry>, layer: EnvLayer): void {
  for (const [name, value] of Object.entries(layer.values)) {
    if (value !== undefined && !entries.has(name)) entries.set(name, { value, origin: layer.origin })
  }
}

function fromEntries(entries: ReadonlyMap<string, OverlayEntry>): Overlay {
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
      const merged = new Map<string, OverlayEntry>()
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
