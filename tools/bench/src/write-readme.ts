import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'

const README = new URL('../README.md', import.meta.url)
const START = '<!-- results -->'
const END = '<!-- end of results -->'

/** Replaces the text between the markers of the README. */
export function writeReadme(text: string): void {
  const old = readFileSync(README, 'utf8')
  const start = old.indexOf(START)
  const end = old.indexOf(END)
  assert(start !== -1 && end > start, `README.md needs the lines ${START} and ${END}`)
  writeFileSync(README, `${old.slice(0, start + START.length)}\n\n${text}\n\n${old.slice(end)}`)
}
