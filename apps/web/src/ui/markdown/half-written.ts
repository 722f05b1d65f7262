import remend from 'remend'
import { splitBlocks } from './parse.ts'

/** Blocks at the end that more text can still change. A list may continue after a blank line. */
const OPEN_BLOCKS = 2

/** Returns the length of the part of a growing text whose blocks cannot change anymore. */
export function finishedLength(text: string): number {
  const blocks = splitBlocks(text)
  let remaining = OPEN_BLOCKS
  let length = text.length
  for (const { type, raw } of blocks.toReversed()) {
    if (remaining === 0) break
    length -= raw.length
    if (type !== 'space') remaining -= 1
  }
  // the parser may have changed white space, and then the offsets are not known
  const isExact = blocks.reduce((sum, { raw }) => sum + raw.length, 0) === text.length
  return remaining > 0 || !isExact ? 0 : length
}

/** Returns a growing text so that it can be shown: open marks are closed, and what is not yet clear is left out. */
export function mendEnd(text: string): string {
  const last = splitBlocks(text).at(-1)?.raw ?? ''
  if (!text.endsWith(last)) return text
  return text.slice(0, text.length - last.length) + mendBlock(last)
}

function mendBlock(text: string): string {
  const shown = withoutTableHead(withoutFenceStart(text))
  if (openFence(shown) !== undefined) return shown
  return withoutOpening(remend(shown, { linkMode: 'text-only', htmlTags: true }))
}

/** Leaves out one or two backticks or tildes at the end, which may become a fence or belong to one. */
function withoutFenceStart(text: string): string {
  const cut = text.replace(/(^|\n)[ \t>]*(?:`{1,2}|~{1,2})$/u, '$1')
  const fence = openFence(cut)
  // the language is known at the end of its line
  if (fence !== undefined && !fence.includes('\n')) return cut.slice(0, cut.length - fence.length)
  if (fence === undefined) return cut
  const marker = /^[ \t]*(`+|~+)/u.exec(fence)?.[1] ?? ''
  const last = /\n[ \t]*(`+|~+)$/u.exec(cut)
  const [, end = ''] = last ?? []
  return last !== null && marker.startsWith(end) && end.length < marker.length
    ? cut.slice(0, last.index)
    : cut
}

/** Returns the source of the code block at the end of a text; `undefined` if it is closed or there is none. */
function openFence(text: string): string | undefined {
  const last = splitBlocks(text).at(-1)
  if (last?.type !== 'code') return undefined
  return isOpenFence(last.raw) ? last.raw : undefined
}

/** Returns true for the source of a code block whose closing fence has not been written. */
export function isOpenFence(raw: string): boolean {
  const marker = /^ {0,3}(`{3,}|~{3,})/u.exec(raw)?.[1]
  if (marker === undefined) return false
  const last = raw.trimEnd().split('\n').slice(1).at(-1)?.trim() ?? ''
  return !(last.startsWith(marker) && last.split('').every((character) => character === marker[0]))
}

/** Leaves out the head of a table until the line below it is complete. */
function withoutTableHead(text: string): string {
  const last = splitBlocks(text).at(-1)
  if (last?.type !== 'paragraph') return text
  const lines = last.raw.split('\n')
  const head = lines.findIndex((line) => line.trimStart().startsWith('|'))
  if (head === -1 || !lines.slice(head + 1).every((line) => /^[\s|:-]*$/u.test(line))) return text
  const hidden = lines.slice(head).join('\n').length
  return text.slice(0, text.length - hidden)
}

/** Leaves out the start of a footnote, formula or mark that has no end yet. */
function withoutOpening(text: string): string {
  return text
    .replace(/!\[[^\]\n]*\]\(streamdown:incomplete-image\)$/u, '')
    .replace(/!?\[\^[^\]\n]{0,100}$/u, '')
    .replace(/\\[[(](?:(?!\\[\])])[\s\S]){0,300}$/u, '')
    .replace(/(?<=^|[\s([{"'])(?:\*{1,3}|_{1,3}|~~?)$/u, '')
}
