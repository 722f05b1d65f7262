import type { Output } from '../terminal/terminal.ts'

/** What must not be printed, whoever prints it. Grows as the sources of secrets become known. */
export interface HiddenSecrets {
  add(hide: (text: string) => string): void
  /** A stream that hides them in every text written to `output`. */
  guard<T extends Output>(output: T): T
}

/** The last gate before the terminal: runs hide their secrets themselves, this also covers help, tables and what functions print. */
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
