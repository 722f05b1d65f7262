import { FAULT_WORKLOADS } from './fault-workloads.ts'
import type { Probe } from './probe.ts'

/** One row of the table: two measurements whose ratio has a goal, or one that has a goal itself. */
export interface Workload {
  readonly name: string
  readonly unit: keyof typeof UNITS
  readonly ours: Probe
  /** None: the goal is one of what was measured. */
  readonly base?: Probe
  /** What `base` is, in words. */
  readonly baseName?: string
  /** The largest ratio of ours to the base; without a base the largest value, in the unit. None: a row to be seen beside another that has one. */
  readonly goal?: number
  /** Runs only if `--only` is given: a row that explains another one. */
  readonly isDetail?: true
}

/** Divides what is measured (µs and bytes) for the table. */
export const UNITS: {
  readonly 'µs/turn': 1
  readonly 'µs/run': 1
  readonly 'µs/child': 1
  readonly 'µs/token': 1
  readonly 'µs/card': 1
  readonly 'µs/event': 1
  readonly 'µs/request': 1
  readonly 'µs/call': 1
  readonly µs: 1
  readonly ms: 1000
  readonly s: 1_000_000
  readonly MB: 1_000_000
  readonly 'KB/child': 1000
  readonly 'B/run': 1
  readonly runs: 1
} = {
  'µs/turn': 1,
  'µs/run': 1,
  'µs/child': 1,
  'µs/token': 1,
  'µs/card': 1,
  'µs/event': 1,
  'µs/request': 1,
  'µs/call': 1,
  µs: 1,
  ms: 1000,
  s: 1_000_000,
  MB: 1_000_000,
  'KB/child': 1000,
  'B/run': 1,
  runs: 1,
}

const LOOP_100: Probe = { measure: 'loop', subject: 'troupe', turns: 100 }
const HTTP_STREAM: Probe = { measure: 'http-stream', subject: 'troupe', tokens: 500 }
const HTTP_LOOP: Probe = { measure: 'http-loop', subject: 'troupe', turns: 10 }
const ENDPOINT: Probe = { measure: 'endpoint', subject: 'ai', connections: 64, tokens: 20 }
const GENERATE = 'ai generateText'
const STREAM = 'ai streamText'

/** The goals are ratios, so that they hold on any machine. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'loop of 10 turns',
    unit: 'µs/turn',
    ours: { measure: 'loop', subject: 'troupe', turns: 10 },
    base: { measure: 'loop', subject: 'ai', turns: 10 },
    baseName: GENERATE,
    goal: 0.3,
  },
  {
    name: 'loop of 100 turns',
    unit: 'µs/turn',
    ours: LOOP_100,
    base: { measure: 'loop', subject: 'ai', turns: 100 },
    baseName: GENERATE,
    goal: 0.12,
  },
  {
    name: 'growth of the history: loop of 1,000 turns',
    unit: 'µs/turn',
    ours: { measure: 'loop', subject: 'troupe', turns: 1000 },
    base: LOOP_100,
    baseName: 'ours, 100 turns',
    goal: 1.3,
  },
  {
    name: 'run of a single turn',
    unit: 'µs/run',
    ours: { measure: 'loop', subject: 'troupe', turns: 0 },
    base: { measure: 'loop', subject: 'ai', turns: 0 },
    baseName: GENERATE,
    goal: 0.25,
  },
  {
    name: 'fan-out to 1,000 children, 20 ms each',
    unit: 'µs/child',
    ours: { measure: 'fan-out', subject: 'troupe', children: 1000, latencyMs: 20 },
    base: { measure: 'fan-out', subject: 'ai', children: 1000, latencyMs: 20 },
    baseName: GENERATE,
    goal: 0.4,
  },
  {
    name: 'fan-out to 10,000 children, 20 ms each',
    unit: 'µs/child',
    ours: { measure: 'fan-out', subject: 'troupe', children: 10_000, latencyMs: 20 },
    base: { measure: 'fan-out', subject: 'troupe', children: 1000, latencyMs: 20 },
    baseName: 'ours, 1,000 children',
    goal: 1.3,
  },
  {
    name: '10,000 calls in one turn, 128 allowed: whole run',
    unit: 'ms',
    ours: { measure: 'excess', subject: 'troupe', calls: 10_000, allowed: 128, what: 'cpu' },
    goal: 100,
  },
  {
    name: '10,000 calls in one turn, 128 allowed: growth of memory',
    unit: 'MB',
    ours: { measure: 'excess', subject: 'troupe', calls: 10_000, allowed: 128, what: 'rss' },
    goal: 50,
  },
  {
    name: 'agents that all call five others, at most 200 runs',
    unit: 'runs',
    ours: { measure: 'tree', subject: 'troupe', cap: 200 },
    goal: 200,
  },
  {
    name: 'live heap of a waiting child, of 1,000',
    unit: 'KB/child',
    ours: { measure: 'heap', subject: 'troupe', children: 1000 },
    base: { measure: 'heap', subject: 'ai', children: 1000 },
    baseName: GENERATE,
    goal: 0.5,
  },
  {
    name: 'bytes that stay after a run, over 2,000 runs',
    unit: 'B/run',
    ours: { measure: 'leak', subject: 'troupe', runs: 2000 },
    base: { measure: 'leak', subject: 'ai', runs: 2000 },
    baseName: GENERATE,
    goal: 1,
  },
  {
    name: 'agents nested 5 deep',
    unit: 'µs/run',
    ours: { measure: 'nest', subject: 'troupe', depth: 5 },
    base: { measure: 'nest', subject: 'ai', depth: 5 },
    baseName: GENERATE,
    goal: 0.2,
  },
  {
    name: 'stream of 1,000 tokens',
    unit: 'µs/token',
    ours: { measure: 'stream', subject: 'troupe', tokens: 1000, sessions: 1 },
    base: { measure: 'stream', subject: 'ai', tokens: 1000, sessions: 1 },
    baseName: STREAM,
    goal: 0.05,
  },
  {
    name: '100 streams of 200 tokens at once',
    unit: 'µs/token',
    ours: { measure: 'stream', subject: 'troupe', tokens: 200, sessions: 100 },
    base: { measure: 'stream', subject: 'ai', tokens: 200, sessions: 100 },
    baseName: STREAM,
    goal: 0.03,
  },
  {
    name: 'time to the first token, wall',
    unit: 'µs',
    ours: { measure: 'first-token', subject: 'troupe' },
    base: { measure: 'first-token', subject: 'ai' },
    baseName: STREAM,
    goal: 0.2,
  },
  {
    name: 'stream of 500 tokens over HTTP',
    unit: 'µs/token',
    ours: HTTP_STREAM,
    base: { ...HTTP_STREAM, subject: 'provider' },
    baseName: 'doStream of the provider, read directly',
    goal: 1.1,
  },
  {
    name: 'stream of 500 tokens over HTTP, with ai',
    unit: 'µs/token',
    ours: HTTP_STREAM,
    base: { ...HTTP_STREAM, subject: 'ai' },
    baseName: STREAM,
    goal: 0.45,
  },
  {
    name: 'loop of 10 turns over HTTP',
    unit: 'µs/turn',
    ours: HTTP_LOOP,
    base: { ...HTTP_LOOP, subject: 'provider' },
    baseName: 'a loop on doGenerate of the provider',
    goal: 1.1,
  },
  {
    name: 'loop of 10 turns over HTTP, streamed',
    unit: 'µs/turn',
    ours: { ...HTTP_LOOP, subject: 'troupe-stream' },
    base: { ...HTTP_LOOP, subject: 'provider-stream' },
    baseName: 'a loop on doStream of the provider',
    goal: 1.1,
  },
  {
    name: 'loop of 10 turns over HTTP, with ai',
    unit: 'µs/turn',
    ours: HTTP_LOOP,
    base: { ...HTTP_LOOP, subject: 'ai' },
    baseName: GENERATE,
    goal: 0.8,
  },
  {
    name: 'server: one call and 20 tokens as chat completions, 64 connections',
    unit: 'µs/request',
    ours: { ...ENDPOINT, subject: 'troupe', route: 'openai' },
    base: ENDPOINT,
    baseName: 'node:http and ai streamText',
    goal: 0.15,
  },
  {
    name: 'server: one call and 20 tokens as events of the run, 64 connections',
    unit: 'µs/request',
    ours: { ...ENDPOINT, subject: 'troupe', route: 'rest' },
    base: ENDPOINT,
    baseName: 'node:http and ai streamText',
    goal: 0.15,
  },
  {
    name: 'request with 1,000 tools, zod schemas',
    unit: 'µs/run',
    ours: { measure: 'offer', subject: 'troupe', tools: 1000, schemas: 'zod' },
    base: { measure: 'offer', subject: 'ai', tools: 1000, schemas: 'zod' },
    baseName: GENERATE,
    goal: 0.01,
  },
  {
    name: 'request with 1,000 tools, JSON schemas',
    unit: 'µs/run',
    ours: { measure: 'offer', subject: 'troupe', tools: 1000, schemas: 'json' },
    base: { measure: 'offer', subject: 'ai', tools: 1000, schemas: 'json' },
    baseName: GENERATE,
    goal: 0.1,
  },
  {
    name: 'call of an MCP tool, 100 at once, with 3 hooks and a listener',
    unit: 'µs/call',
    ours: { measure: 'mcp-calls', subject: 'troupe', calls: 100, sides: 'both' },
    base: { measure: 'mcp-calls', subject: 'sdk', calls: 100, sides: 'both' },
    baseName: 'callTool of the MCP SDK',
    goal: 1.25,
  },
  {
    name: 'call of an MCP tool, the same without what the server takes',
    unit: 'µs/call',
    ours: { measure: 'mcp-calls', subject: 'troupe', calls: 100, sides: 'client' },
    base: { measure: 'mcp-calls', subject: 'sdk', calls: 100, sides: 'client' },
    baseName: 'callTool of the MCP SDK',
    goal: 1.25,
  },
  {
    name: '100 sessions connect to one MCP server, wall',
    unit: 'ms',
    ours: { measure: 'mcp-sessions', subject: 'troupe', sessions: 100, until: 'connected' },
    base: { measure: 'mcp-sessions', subject: 'troupe', sessions: 1, until: 'connected' },
    baseName: 'ours, 1 session',
    goal: 1.2,
  },
  {
    name: '100 sessions on one MCP server, with a run and a call of each, wall',
    unit: 'ms',
    ours: { measure: 'mcp-sessions', subject: 'troupe', sessions: 100, until: 'answered' },
    base: { measure: 'mcp-sessions', subject: 'troupe', sessions: 1, until: 'answered' },
    baseName: 'ours, 1 session',
    goal: 1.2,
  },
  {
    name: 'list of 1,000 MCP tools with output schemas',
    unit: 'ms',
    ours: { measure: 'mcp-list', subject: 'troupe', tools: 1000 },
    base: { measure: 'mcp-list', subject: 'older-sdk', tools: 1000 },
    baseName: 'listTools of the MCP SDK 1',
    goal: 0.05,
  },
  {
    name: 'cold start: import and first run',
    unit: 'ms',
    ours: { measure: 'cold', subject: 'troupe', what: 'cpu' },
    base: { measure: 'cold', subject: 'ai', what: 'cpu' },
    baseName: GENERATE,
    goal: 0.5,
  },
  {
    name: 'cold start: memory',
    unit: 'MB',
    ours: { measure: 'cold', subject: 'troupe', what: 'rss' },
    base: { measure: 'cold', subject: 'ai', what: 'rss' },
    baseName: GENERATE,
    goal: 0.5,
  },
  {
    name: '3 pass-through hooks, 100 turns',
    unit: 'µs/turn',
    ours: { measure: 'loop', subject: 'troupe', turns: 100, hooks: 3 },
    base: LOOP_100,
    baseName: 'ours, no hooks',
    goal: 1.15,
  },
  {
    name: '3 listeners, 100 turns',
    unit: 'µs/turn',
    ours: { measure: 'loop', subject: 'troupe', turns: 100, listeners: 3 },
    base: LOOP_100,
    baseName: 'ours, no listeners',
    goal: 1.15,
  },
  {
    name: 'events on the disk, bursts of 300 over 10 roots',
    unit: 'µs/event',
    ours: { measure: 'store-events', subject: 'troupe', burst: 300, what: 'cpu' },
    base: { measure: 'store-events', subject: 'node:sqlite', burst: 300, what: 'cpu' },
    baseName: 'node:sqlite, batches of 300',
    goal: 4,
  },
  {
    name: 'events on the disk, bursts of 300 over 10 roots, wall',
    unit: 'µs/event',
    ours: { measure: 'store-events', subject: 'troupe', burst: 300, what: 'wall' },
    goal: 50,
  },
  {
    name: 'kept on the disk: loop of 100 turns, tool that reads',
    unit: 'µs/turn',
    ours: { measure: 'loop', subject: 'troupe', turns: 100, kept: true, effect: 'read' },
    base: { measure: 'loop', subject: 'ai', turns: 100 },
    baseName: `${GENERATE}, not kept`,
    goal: 0.5,
  },
  {
    name: 'kept on the disk: loop of 100 turns, tool that may run only once',
    unit: 'µs/turn',
    ours: { measure: 'loop', subject: 'troupe', turns: 100, kept: true },
    base: { measure: 'loop', subject: 'ai', turns: 100 },
    baseName: `${GENERATE}, not kept`,
    goal: 0.5,
  },
  {
    name: 'kept on the disk: loop of 100 turns, tool that may run only once, beside the same promise',
    unit: 'µs/turn',
    ours: { measure: 'loop', subject: 'troupe', turns: 100, kept: true },
    base: { measure: 'loop', subject: 'ai', turns: 100, committed: true },
    baseName: `${GENERATE}, each call committed by node:sqlite`,
  },
  {
    name: 'node:sqlite alone: one commit, beside a turn of 100',
    unit: 'µs',
    ours: { measure: 'store-events', subject: 'node:sqlite', burst: 1, what: 'cpu' },
    base: { measure: 'loop', subject: 'ai', turns: 100 },
    baseName: `${GENERATE}, not kept`,
  },
  {
    name: 'kept on the disk: fan-out to 1,000 children, 20 ms each',
    unit: 'µs/child',
    ours: { measure: 'fan-out', subject: 'troupe', children: 1000, latencyMs: 20, kept: true },
    base: { measure: 'fan-out', subject: 'ai', children: 1000, latencyMs: 20 },
    baseName: `${GENERATE}, not kept`,
    goal: 0.8,
  },
  {
    name: 'kept on the disk: 10 turns of 20 ms, tool that reads, wall',
    unit: 'ms',
    ours: { measure: 'kept', subject: 'troupe', turns: 10, latencyMs: 20, kept: true, effect: 'read' },
    base: { measure: 'kept', subject: 'troupe', turns: 10, latencyMs: 20, kept: false, effect: 'read' },
    baseName: 'ours, not kept',
    goal: 1.05,
  },
  {
    name: 'kept on the disk: 10 turns of 20 ms, tool that may run only once, wall',
    unit: 'ms',
    ours: { measure: 'kept', subject: 'troupe', turns: 10, latencyMs: 20, kept: true, effect: 'once' },
    base: { measure: 'kept', subject: 'troupe', turns: 10, latencyMs: 20, kept: false, effect: 'once' },
    baseName: 'ours, not kept',
    goal: 1.05,
  },
  {
    name: 'reading 1,000 cards, first pass',
    unit: 'µs/card',
    ours: { measure: 'cards', subject: 'troupe', cards: 1000, pass: 'first' },
    base: { measure: 'cards', subject: 'gray-matter', cards: 1000, pass: 'first' },
    baseName: 'gray-matter and one zod schema',
    goal: 1.5,
  },
  {
    name: 'reading 1,000 cards, warm',
    unit: 'µs/card',
    ours: { measure: 'cards', subject: 'troupe', cards: 1000, pass: 'warm' },
    base: { measure: 'cards', subject: 'gray-matter', cards: 1000, pass: 'warm' },
    baseName: 'gray-matter and one zod schema',
    goal: 1.3,
  },
  {
    name: 'loading and checking a team of 1,000 cards, first pass',
    unit: 'µs/card',
    ours: { measure: 'cards', subject: 'troupe-host', cards: 1000, pass: 'first' },
    base: { measure: 'cards', subject: 'gray-matter', cards: 1000, pass: 'first' },
    baseName: 'gray-matter and one zod schema',
    goal: 1.5,
  },
  {
    name: 'hostile input, the slowest of all',
    unit: 'ms',
    ours: { measure: 'hostile' },
    goal: 100,
  },
  ...FAULT_WORKLOADS,
]
