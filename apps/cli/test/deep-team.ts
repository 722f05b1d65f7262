import { STUBBORN_SERVER } from './stubborn-server.ts'

/**
 * Three levels, parallel on each: the top calls two agents, and each of these calls four. Of the leaves one hangs in a function that ignores its
 * signal, one in a function that observes it, one in a call of a real MCP server that does not end, and one in its model. 11 runs.
 */
export const HANGING_TEAM: Readonly<Record<string, string>> = {
  'team/top.md': card('Top', 'default: true\nagents: [Middle]'),
  'team/middle.md': card('Middle', 'agents: [Leaf]'),
  'team/leaf.md': card(
    'Leaf',
    'functionTools: [tools.mjs:deaf, tools.mjs:polite]\nmcpServers: {stubborn: {command: node, args: [server.mjs], startTimeout: 10m}}',
  ),
  'team/tools.mjs': `
export const deaf = () => new Promise(() => setInterval(() => {}, 1000))
deaf.description = 'Never ends, hears nothing.'
export const polite = (_args, { signal }) => new Promise((_, reject) => {
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
})
polite.description = 'Ends when cancelled.'
`,
  'team/server.mjs': STUBBORN_SERVER,
  'team/script.yaml': `
agents:
  Top:
    - call: [{tool: agent__Middle, args: {text: a}}, {tool: agent__Middle, args: {text: b}}]
  Middle:
    - call: [{tool: agent__Leaf, args: {text: deaf}}, {tool: agent__Leaf, args: {text: polite}}, {tool: agent__Leaf, args: {text: mcp}}, {tool: agent__Leaf, args: {text: think}}]
rules:
  - {when: '^deaf$', call: [{tool: deaf}]}
  - {when: '^polite$', call: [{tool: polite}]}
  - {when: '^mcp$', call: [{tool: stubborn__wait}]}
  - {when: '^think$', say: late, delay: 10m}
`,
}

/** The number of runs of {@link HANGING_TEAM}. */
export const HANGING_RUNS = 11

/** Three levels that complete: the top calls two agents, each of these calls two, and each of these calls a tool. 7 runs. */
export const NESTED_TEAM: Readonly<Record<string, string>> = {
  'team/top.md': card('Top', 'default: true\nagents: [Middle]'),
  'team/middle.md': card('Middle', 'agents: [Leaf]'),
  'team/leaf.md': card('Leaf', 'functionTools: [tools.mjs:look]'),
  'team/tools.mjs': "export const look = ({ at }) => 'saw ' + at\nlook.description = 'Looks.'\n",
  'team/script.yaml': `
agents:
  Top:
    - call: [{tool: agent__Middle, args: {text: a}}, {tool: agent__Middle, args: {text: b}}]
      usage: {input: 1000, output: 100}
    - {say: '{{results.0.text}} and {{results.1.text}}', usage: {input: 2000, output: 200}}
  Middle:
    - {call: [{tool: agent__Leaf, args: {text: '{{input}}1'}}, {tool: agent__Leaf, args: {text: '{{input}}2'}}], usage: {input: 300, output: 30}}
    - {say: '{{results.0.text}}, {{results.1.text}}', usage: {input: 400, output: 40}}
  Leaf:
    - {call: [{tool: look, args: {at: '{{input}}'}}], usage: {input: 10, output: 1}}
    - {say: '{{results.0.text}}', usage: {input: 20, output: 2}}
`,
}

/** A function that blocks its thread. */
const SPIN = "export const spin = () => { writeFileSync('spinning', ''); for (;;); }"
/** Shell commands that Ctrl-C ends, called in a loop. */
const EXEC =
  "export const spin = () => { writeFileSync('spinning', ''); for (;;) try { execSync('sleep 1') } catch {} }"
/** A module that blocks while it is imported; its function is never called. */
const IMPORT = "export const spin = () => {}; writeFileSync('spinning', ''); for (;;);"

/** One agent whose function blocks its thread, with a real MCP server that does not end. */
export const BLOCKING_TEAM: Readonly<Record<string, string>> = blockingTeam(SPIN)

/** The same with the loop in synchronous shell commands, and with the loop at import time. */
export const BLOCKING_TEAMS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['in a loop', BLOCKING_TEAM],
  ['in a loop of `execSync`', blockingTeam(EXEC)],
  ['while its module is imported', blockingTeam(IMPORT)],
]

function blockingTeam(code: string): Readonly<Record<string, string>> {
  return {
    'team/one.md': card(
      'One',
      'functionTools: [tools.mjs:spin]\nmcpServers: {stubborn: {command: node, args: [server.mjs], startTimeout: 10m}}',
    ),
    'team/tools.mjs': `
import { execSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
${code}
spin.description = 'Never ends, and lets nothing else go on.'
`,
    'team/server.mjs': STUBBORN_SERVER,
    'team/script.yaml': 'agents: {One: [{delay: 200ms, call: [{tool: spin}]}]}\n',
  }
}

function card(name: string, fields: string): string {
  return `---\nname: ${name}\ndescription: Is ${name}.\nmodel: script/script.yaml\n${fields}\n---\nDo it.\n`
}
