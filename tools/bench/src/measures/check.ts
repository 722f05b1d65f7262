import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandCpu, programCommand, troupeCommand } from '../command-cpu.ts'
import type { Measure } from '../sample-options.ts'
import { createTempFolder } from '../temp-folder.ts'

/** Returns the CPU µs of `troupe check` on a folder of `size` cards, or of a program that reads them with gray-matter and zod. */
export const measure: Measure = async ({ subject, size: cards }) => {
  const folder = createTempFolder()
  const names = Array.from({ length: cards }, (_, index) => `agent-${String(index).padStart(5, '0')}`)
  try {
    for (const name of names)
      writeFileSync(join(folder.path, `${name}.md`), cardText(name, name === names[0]))
    writeFileSync(join(folder.path, 'troupe.json'), CONFIGURATION)
    const command =
      subject === 'troupe' ? troupeCommand('check', folder.path) : programCommand('read-cards', folder.path)
    const { cpu, output } = await commandCpu(command, 1, KEYS)
    for (const name of names) assert.ok(output.includes(name), `${name} is not in the output`)
    return cpu
  } finally {
    folder.remove()
  }
}

const CONFIGURATION = JSON.stringify({
  mcpServers: {
    search: { command: 'node', args: ['search.js'] },
    files: { command: 'node', args: ['files.js'] },
  },
})

const KEYS = { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none', SEARCH_KEY: 'none' }

const PARAGRAPH =
  'You look things up before you answer, you say where each fact comes from, and you say so when you do not know. '

/** Returns a card of 25 lines of front matter and a prompt, 1.7 kB. */
function cardText(name: string, isDefault: boolean): string {
  return `---
name: ${name}
description: Finds and checks facts about one subject and reports them briefly
usage: What is known about ${name}?
version: 1.2.0
default: ${isDefault}
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
