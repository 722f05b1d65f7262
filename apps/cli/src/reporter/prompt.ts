import type { Key, KeyReader } from '../terminal/typing.ts'
import { wrapLine } from '../terminal/wrap.ts'
import type { PromptLine } from './reporter.ts'

/** Question that is drawn as part of a frame, with the answer that is typed. */
interface FramePrompt {
  readonly ask: PromptLine
  /** Returns the lines of the open question; none without one. A question that is too high loses its first lines. */
  lines(size: { readonly width: number; readonly height: number }): readonly string[]
}

interface TypedQuestion {
  readonly text: string
  typed: string
}

const CURSOR = '▌'

/** Creates a prompt that reads its answer from keys. `onChange` is called when its lines have changed. */
export function createPrompt(keys: KeyReader | undefined, onChange: () => void): FramePrompt {
  let open: TypedQuestion | undefined
  return {
    ask(text, signal) {
      if (keys === undefined || signal.aborted) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const question: TypedQuestion = { text, typed: '' }
        open = question
        const settle = (answer: string | undefined): void => {
          open = undefined
          releaseKeys()
          releaseEnd()
          signal.removeEventListener('abort', onAbort)
          resolve(answer)
        }
        const onAbort = (): void => settle(undefined)
        const releaseKeys = keys.onKey((key) => {
          if (key.name === 'return' || key.name === 'enter') settle(question.typed)
          else if (key.ctrl && key.name === 'd' && question.typed === '') settle(undefined)
          else {
            question.typed = editTyped(question.typed, key)
            onChange()
          }
        })
        const releaseEnd = keys.onEnd(onAbort)
        signal.addEventListener('abort', onAbort, { once: true })
        onChange()
      })
    },
    lines({ width, height }) {
      if (open === undefined) return []
      const { text, typed } = open
      const lines = `${text}${typed}${CURSOR}`.split('\n').flatMap((line) => wrapLine(line, width))
      const fitting = Math.max(1, height - 1)
      return ['', ...(lines.length > fitting ? lines.slice(-fitting) : lines)]
    },
  }
}

/** Returns the typed text after a key: a character, Backspace, or Ctrl-U, which deletes all of it. */
export function editTyped(typed: string, { text, name, ctrl }: Key): string {
  if (name === 'backspace') return Array.from(typed).slice(0, -1).join('')
  if (ctrl && name === 'u') return ''
  return typed + text
}
