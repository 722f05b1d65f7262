import type { Output } from '../terminal/terminal.ts'

/** Secrets that are removed from all output. More are added as their sources become known. */
export interface HiddenSecrets {
  add(hide: (text: string) => string): void
  /** Wraps an output so that secrets are removed from every text written to it. */
  guard<T extends Output>(output: T): T
}

/**
 * Creates the set of hidden secrets. Runs redact their events themselves; this also covers help, tables and
 * output of card functions.
 */
export function createHiddenSecrets(): HiddenSecrets {
  const hiders = new Set<(text: string) => string>()
  const hide = (text: string): string => {
    let shown = text
    for (const each of hiders) shown = each(shown)
    return shown
  }
  return {
    add: (each) => void hiders.add(each),
    guard: (output) =>
      new Proxy(output, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key)
          if (typeof value !== 'function') return value
          if (key !== 'write') return value.bind(target) as unknown
          return (chunk: unknown, ...rest: readonly unknown[]): unknown =>
            Reflect.apply(value, target, [typeof chunk === 'string' ? hide(chunk) : chunk, ...rest])
        },
      }),
  }
}
