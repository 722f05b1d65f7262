import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuOf, cpuOnce } from '../cpu.ts'
import type { Effort } from '../probe.ts'

/** Reads a folder of cards; gives the names of the agents in them. */
export type CardReader = (folder: string) => readonly string[] | Promise<readonly string[]>

/** CPU µs per card of a folder of cards: the `first` pass of a process, or one of many (`warm`). */
export async function measureCards(
  read: CardReader,
  options: Effort & { readonly cards: number; readonly pass: 'first' | 'warm' },
): Promise<number> {
  const { cards, pass } = options
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
  const names = Array.from({ length: cards }, (_, index) => `agent-${String(index).padStart(5, '0')}`)
  const readAll = async (): Promise<void> => assert.deepEqual(await read(folder), names)
  try {
    for (const name of names) writeFileSync(join(folder, `${name}.md`), cardText(name))
    return (pass === 'warm' ? (await cpuOf(readAll, options)).cpu : await cpuOnce(readAll)) / cards
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const PARAGRAPH =
  'You look things up before you answer, you say where each fact comes from, and you say so when you do not know. '

/** 24 lines of front matter and a prompt, 1.7 kB. */
function cardText(name: string): string {
  return `---
name: ${name}
description: Finds and checks facts about one subject and reports them briefly
usage: What is known about ${name}?
version: 1.2.0
model:
  - openai/gpt-4.1-mini
  - anthropic/claude-haiku
temperature: 0.2
maxOutputTokens: 2000
servers:
  - search
  - files
tools:
  search: ['web_*', news]
  files: [read_file]
limits:
  maxTurns: 12
  toolTimeout: 30s
  maxParallel: 8
historyMode: scratch
toolPermission: tool
requiresApproval: ['files__write_*']
env: [SEARCH_KEY]
---
${PARAGRAPH.repeat(9).trim()}
`
}
