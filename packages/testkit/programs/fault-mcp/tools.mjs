// The tools that both doors have. A tool gets its arguments and what its door can do: `answer`, `fail`, `notify`. Each is a prompt, too.
import { spawn } from 'node:child_process'

const SAFE = { readOnlyHint: true }
const LATE = 50

const state = { running: 0, most: 0, cancelled: 0, extra: [] }

export function text(value) {
  return { content: [{ type: 'text', text: value }] }
}

/** [annotations, what it does] by name. */
const TOOLS = {
  say: [SAFE, ({ text: said = '' }, { answer }) => answer(text(said))],
  // answers a moment later: the call that is under way while another one fails
  say_later: [
    SAFE,
    ({ text: said = '', ms = LATE }, { answer }) => {
      state.running += 1
      state.most = Math.max(state.most, state.running)
      setTimeout(() => {
        state.running -= 1
        answer(text(said))
      }, ms)
    },
  ],
  status: [
    SAFE,
    (_args, { answer }) =>
      answer(text(JSON.stringify({ pid: process.pid, most: state.most, cancelled: state.cancelled }))),
  ],
  crash: [{}, () => process.stderr.write('out of memory\n', () => process.exit(9))],
  killed: [{}, () => process.kill(process.pid, 'SIGKILL')],
  hang: [{}, () => undefined],
  large: [{}, ({ bytes }, { answer }) => answer(text('x'.repeat(bytes)))],
  refuse: [{}, (_args, { fail }) => fail(-32602, 'no such thing')],
  odd: [{}, (_args, { answer }) => answer({ content: [{ type: 'hologram', beam: 1 }] })],
  untrue: [
    {},
    (_args, { answer }) => answer({ ...text('sum: seven'), structuredContent: { sum: 'seven' } }),
    { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  ],
  progress: [
    {},
    async (_args, { answer, progress }) => {
      for (const step of [1, 2]) await progress(step)
      answer(text('done'))
    },
  ],
  change: [
    {},
    (_args, { answer, notify }) => {
      state.extra.push(`learned_${state.extra.length + 1}`)
      notify('notifications/tools/list_changed')
      answer(text('changed'))
    },
  ],
  flood: [
    {},
    ({ lines = 8000 }, { answer, flood }) => {
      flood(lines)
      answer(text('dry'))
    },
  ],
  junk: [
    {},
    (_args, { answer, junk }) => {
      junk()
      answer(text('meant'))
    },
  ],
  // a process of its own that ignores SIGTERM and holds the output open
  grandchild: [
    {},
    (_args, { answer }) => {
      const script = 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000);process.send("ready")'
      const child = spawn(process.execPath, ['-e', script], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      child.once('message', () => {
        child.disconnect()
        answer(text(String(child.pid)))
      })
    },
  ],
}

/** What a door has beside the tools of all. */
export function describeTools(own) {
  return [
    ...Object.entries(TOOLS).map(([name, [annotations, , outputSchema]]) => ({
      ...describe(name, annotations),
      ...(outputSchema === undefined ? {} : { outputSchema }),
    })),
    ...[...own, ...state.extra].map((name) => describe(name, {})),
  ]
}

function describe(name, annotations) {
  return { name, description: `Fault: ${name}.`, inputSchema: { type: 'object' }, annotations }
}

function toPrompt({ name, description }) {
  return { name, description, arguments: [{ name: 'text' }] }
}

/** True for what runs a tool: the call of it, and the prompt of its name. */
export function isCall(method) {
  return method === 'tools/call' || method === 'prompts/get'
}

/** The result of a tool as the answer to a method. */
export function resultOf(method, result) {
  if (method === 'tools/call') return result
  return { messages: result.content.map((content) => ({ role: 'user', content })) }
}

/** Runs a tool of all doors; false when there is none of that name. */
export function runTool({ name, arguments: args = {} }, door) {
  if (!Object.hasOwn(TOOLS, name)) return false
  TOOLS[name][1](args, door)
  return true
}

/** Answers everything but calls; undefined: no such method. */
export function answerMethod(method, params, own) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true }, prompts: {} },
      serverInfo: { name: 'fault-mcp', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools: describeTools(own) }
  if (method === 'prompts/list') return { prompts: describeTools(own).map(toPrompt) }
  return method === 'ping' ? {} : undefined
}

export function noteCancelled() {
  state.cancelled += 1
}
