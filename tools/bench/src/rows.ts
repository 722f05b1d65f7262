/** One row of the table: a measurement of Troupe and of what it is compared with. */
export interface Row {
  readonly name: string
  readonly unit: Unit
  /** Name of the module in `measures/`. */
  readonly measure: string
  /** Amount of work in one call of the measure. */
  readonly size: number
  /** The same for `--quick`. Default: `size`. */
  readonly quickSize?: number
  /** Maximum number of rounds, for rows that take minutes. */
  readonly maxRounds?: number
  /** Largest value that passes, in the unit. */
  readonly limit?: number
  readonly peers: readonly Peer[]
}

/** A framework, a package or a program that Troupe is compared with. */
export interface Peer {
  readonly subject: string
  /** Name in the table. */
  readonly label: string
  /** Largest ratio of Troupe to the peer that passes. Without it the line is only information. */
  readonly gate?: number
}

/** Divisors of the measured values, which are µs or plain numbers. */
export const UNITS = {
  'µs/run': 1,
  'µs/turn': 1,
  'µs/child': 1,
  'µs/token': 1,
  'µs/message': 1,
  'µs/request': 1,
  'µs/call': 1,
  ms: 1000,
  s: 1_000_000,
  times: 1,
} as const

export type Unit = keyof typeof UNITS

/** Troupe takes at most half of what another agent framework takes. */
const HALF = 0.5

const OPENAI_AGENTS: Peer = { subject: 'openai-agents', label: '@openai/agents', gate: HALF }
const LANGGRAPH: Peer = { subject: 'langgraph', label: '@langchain/langgraph', gate: HALF }

function peersWithAi(gate: number, label = 'ai'): readonly Peer[] {
  return [{ subject: 'ai', label, gate }, OPENAI_AGENTS, LANGGRAPH]
}

/** Gates are ratios where possible, so that they hold on any machine. */
export const ROWS: readonly Row[] = [
  {
    name: 'Single run',
    unit: 'µs/run',
    measure: 'loop',
    size: 0,
    peers: peersWithAi(1),
  },
  {
    name: 'Loop of 100 turns, one tool call each',
    unit: 'µs/turn',
    measure: 'loop',
    size: 100,
    peers: peersWithAi(0.3),
  },
  {
    name: '1,000 child agents at once, 20 ms each',
    unit: 'µs/child',
    measure: 'fan-out',
    size: 1000,
    quickSize: 100,
    peers: peersWithAi(0.7),
  },
  {
    name: 'Agents nested five deep',
    unit: 'µs/run',
    measure: 'nest',
    size: 5,
    peers: peersWithAi(0.6),
  },
  {
    name: 'Streamed token',
    unit: 'µs/token',
    measure: 'stream',
    size: 1000,
    peers: peersWithAi(0.08, 'ai (streamText)'),
  },
  {
    name: 'Server request: one tool call and 20 streamed tokens',
    unit: 'µs/request',
    measure: 'server',
    size: 64,
    peers: peersWithAi(0.3, 'node:http and ai (streamText)').map((peer) =>
      peer.subject === 'ai' ? peer : { ...peer, label: `node:http and ${peer.label}` },
    ),
  },
  {
    name: 'Conversation of 50 messages, saved in a file',
    unit: 'µs/message',
    measure: 'conversation',
    size: 50,
    // no peer saves in a file without a native module, so these have no gate or a weaker one
    peers: [
      { subject: 'ai', label: 'ai, new messages appended with node:sqlite' },
      { subject: 'openai-agents', label: '@openai/agents, in memory' },
      { ...LANGGRAPH, label: '@langchain/langgraph, in memory', gate: 1 },
    ],
  },
  {
    name: 'Stream of 500 tokens from a provider over HTTP',
    unit: 'µs/token',
    measure: 'http-stream',
    size: 500,
    peers: [
      { subject: 'provider', label: '@ai-sdk/openai-compatible alone', gate: 1.35 },
      { subject: 'ai', label: 'ai (streamText)', gate: 1 },
      { ...OPENAI_AGENTS, gate: 1 },
    ],
  },
  {
    name: 'MCP tool call, 100 at once',
    unit: 'µs/call',
    measure: 'mcp-call',
    size: 100,
    peers: [{ subject: 'sdk', label: '@modelcontextprotocol/client alone', gate: 1.8 }, OPENAI_AGENTS],
  },
  {
    name: '200 runs with 3 children each on a failing provider, wall time',
    unit: 's',
    measure: 'faults',
    size: 200,
    quickSize: 20,
    peers: [{ subject: 'plain', label: 'fetch with retries', gate: 1.2 }],
  },
  {
    name: 'Turn whose model takes 20 ms, with traces, metrics and logs sent to a collector, wall time',
    unit: 'µs/turn',
    measure: 'tracing',
    size: 10,
    peers: [{ subject: 'untraced', label: 'without telemetry', gate: 1.05 }],
  },
  {
    name: '`troupe --help`, over a bare Node process',
    unit: 'ms',
    measure: 'help',
    size: 9,
    quickSize: 1,
    limit: 40,
    peers: [],
  },
  {
    name: '`troupe run` of the team in the README',
    unit: 's',
    measure: 'team-run',
    size: 3,
    quickSize: 1,
    limit: 0.7,
    peers: [],
  },
  {
    name: '`troupe check` of 1,000 cards',
    unit: 'ms',
    measure: 'check',
    size: 1000,
    peers: [{ subject: 'gray-matter', label: 'gray-matter and zod', gate: 2 }],
  },
  {
    name: 'Memory of the server after 100,000 requests, to that after 10,000',
    unit: 'times',
    measure: 'memory',
    size: 100_000,
    quickSize: 1000,
    maxRounds: 1,
    limit: 1.2,
    peers: [],
  },
]
