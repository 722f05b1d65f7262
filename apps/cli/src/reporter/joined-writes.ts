import type { Output } from '../terminal/terminal.ts'

/** Output that can combine several writes into one, to avoid flicker. */
export interface JoinedWrites {
  /** Output that writes directly, or into the combined text during `join`. */
  readonly output: Output
  /** Combines everything that `work` writes into one write. */
  join(work: () => void): void
}

const BEGIN = '\u001B[?2026h'
const END = '\u001B[?2026l'

/**
 * Creates joined writes on an output. `BEGIN` and `END` are the escape sequences for synchronized output;
 * other terminals usually draw a single write at once.
 */
export function createJoinedWrites(output: Output): JoinedWrites {
  let parts: string[] | undefined
  const write = (text: string): boolean => {
    if (parts === undefined) return output.write(text)
    parts.push(text)
    return true
  }
  return {
    output: new Proxy(output, {
      get: (target, key) => (key === 'write' ? write : (Reflect.get(target, key) as unknown)),
    }),
    join(work) {
      if (parts !== undefined) return work()
      parts = []
      try {
        work()
      } finally {
        const text = parts.join('').replaceAll(BEGIN, '').replaceAll(END, '')
        parts = undefined
        if (text !== '') output.write(output.isTTY === true ? `${BEGIN}${text}${END}` : text)
      }
    },
  }
}
