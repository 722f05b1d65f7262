import type { Output } from '../terminal/terminal.ts'

/** A terminal to which several texts can be written as one, so that nothing between them is ever seen. */
export interface JoinedWrites {
  /** Writes through, or into the text that is being joined. */
  readonly output: Output
  /** What the work writes is one text. */
  join(work: () => void): void
}

const BEGIN = '\u001B[?2026h'
const END = '\u001B[?2026l'

/** Terminals that know it show a text between `BEGIN` and `END` at once; others read what comes in one piece at once as a rule. */
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
