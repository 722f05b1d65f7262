/** A line of a stack trace: `    at name (file:1:2)`. */
const FRAME = /^\s+at .*(?::\d+|\)|<anonymous>)$/u

/** Removes stack frames. Some error messages contain them, and a model should not get our file paths. */
export function withoutStack(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n').filter((line) => !FRAME.test(line))
  return lines.join('\n').trimEnd()
}
