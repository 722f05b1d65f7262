/** A line of a stack trace: `    at name (file:1:2)`. */
const FRAME = /^\s+at .*(?::\d+|\)|<anonymous>)$/u

/** The text without stack frames: some errors carry them in their message, and no model is told where our files are. */
export function withoutStack(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n').filter((line) => !FRAME.test(line))
  return lines.join('\n').trimEnd()
}
