/** A description of a key, and an example if it has no default. */
export interface KeyNote {
  readonly note: string
  /** YAML on one line. */
  readonly example?: string
  /**
   * True if ignoring the key gives an agent no further abilities and leaves it with the same agents, tools
   * and servers. Ignoring any other key is an error.
   */
  readonly safeToIgnore?: true
}

/** Every key of a card, in the order of the template. A test checks that none is missing. */
export const KEY_NOTES: ReadonlyMap<string, KeyNote> = new Map<string, KeyNote>([
  ['name', { note: 'how others call it; without it the name of the file', safeToIgnore: true }],
  [
    'description',
    {
      note: 'what it does; the model of a parent reads it',
      example: 'What this agent does',
      safeToIgnore: true,
    },
  ],
  ['usage', { note: 'an example input', example: 'an example of what to ask', safeToIgnore: true }],
  ['version', { note: 'its version', safeToIgnore: true }],
  ['type', { note: 'agent, chain, parallel, router, orchestrator, evaluator_optimizer', safeToIgnore: true }],
  ['mode', { note: 'interactive, autonomous, tools', safeToIgnore: true }],
  ['default', { note: 'the entry of its folder', safeToIgnore: true }],
  ['hidden', { note: 'offered by no surface, only as a child' }],
  [
    'model',
    {
      note: 'provider/name, or a list in order of fallback',
      example: 'openai/gpt-5-mini',
      safeToIgnore: true,
    },
  ],
  ['temperature', { note: 'none: left to the provider', example: '0.7', safeToIgnore: true }],
  ['topP', { note: 'none: left to the provider', example: '0.9', safeToIgnore: true }],
  [
    'maxOutputTokens',
    { note: 'tokens of one answer; none: left to the provider', example: '4096', safeToIgnore: true },
  ],
  [
    'reasoning',
    {
      note: 'provider-default, none, minimal, low, medium, high, xhigh, max',
      example: 'medium',
      safeToIgnore: true,
    },
  ],
  ['stopSequences', { note: 'text that ends an answer', example: '[END]', safeToIgnore: true }],
  [
    'toolName',
    { note: 'its name as a tool; without it agent__<name>', example: 'research', safeToIgnore: true },
  ],
  ['input', { note: 'text or json; schema: JSON Schema, or the path of a JSON file', safeToIgnore: true }],
  [
    'output',
    { note: 'text, markdown or json; schema: JSON Schema, or the path of a JSON file', safeToIgnore: true },
  ],
  ['agents', { note: 'children: names, paths, globs' }],
  ['servers', { note: 'MCP servers by name' }],
  [
    'tools',
    { note: 'which tools of the servers; none: all of them', example: '{server: [tool, "search_*"]}' },
  ],
  [
    'functionTools',
    { note: 'functions as tools: module.ts:function, or {use, worker: true} for one that blocks' },
  ],
  ['toolHooks', { note: 'around every tool call, in order: module.ts:function, or a stock hook' }],
  ['loopHooks', { note: 'beforeModel, afterModel, beforeTurn, afterTurn, onEnd: module.ts:function' }],
  [
    'exports',
    { note: 'its own MCP tools {name, description, parameters, prompt} and A2A skills', safeToIgnore: true },
  ],
  ['skills', { note: 'folders with SKILL.md', safeToIgnore: true }],
  ['limits', { note: 'durations are ms, or text such as 30s, 5m, 1h' }],
  [
    'historyMode',
    { note: 'what its children see of its conversation: scratch, fork, fork_and_merge', safeToIgnore: true },
  ],
  ['toolPermission', { note: 'when a person is asked: always, tool, never' }],
  ['requiresApproval', { note: 'globs of tools that need approval' }],
  ['permissions', { note: 'globs of tools; deny beats ask beats allow' }],
  ['runtimeTools', { note: 'shell, filesystem, human, skills, shared' }],
  ['mcpServers', { note: 'definitions of MCP servers: command, args, env, or url, headers' }],
  ['toolPrefix', { note: 'prefix of exported MCP tools: true, false, or text', safeToIgnore: true }],
  ['store', { note: 'what is kept of its runs: none, metadata, full' }],
  [
    'context',
    {
      note: 'when the conversation is too long: strategy trim, summarise or fail; threshold, keepTurns, model',
      safeToIgnore: true,
    },
  ],
  ['acquire', { note: 'fresh, or {pool: N}', safeToIgnore: true }],
  ['display', { note: 'how many children the panel shows', safeToIgnore: true }],
  ['env', { note: 'variables it needs', safeToIgnore: true }],
  ['sequence', { note: 'type chain: the agents in order', example: '[first, second]' }],
  [
    'cumulative',
    { note: 'type chain: each reads all answers before its own', example: 'true', safeToIgnore: true },
  ],
  ['fanOut', { note: 'type parallel: the agents that run at once', example: '[one, two]' }],
  ['fanIn', { note: 'type parallel: the agent that joins the answers', example: 'summary' }],
  [
    'includeRequest',
    { note: 'type parallel: fanIn reads the request too', example: 'true', safeToIgnore: true },
  ],
  ['planIterations', { note: 'type orchestrator: how often it plans', example: '5', safeToIgnore: true }],
  ['generator', { note: 'type evaluator_optimizer: the agent that writes', example: 'writer' }],
  ['evaluator', { note: 'type evaluator_optimizer: the agent that judges', example: 'critic' }],
  ['minRating', { note: 'type evaluator_optimizer: good enough', example: 'GOOD', safeToIgnore: true }],
  ['maxRefinements', { note: 'type evaluator_optimizer: rounds at most', example: '3', safeToIgnore: true }],
  [
    'refinementInstruction',
    {
      note: 'type evaluator_optimizer: told with the feedback',
      example: 'Keep it short.',
      safeToIgnore: true,
    },
  ],
  [
    'dialect',
    {
      note: 'how the file is read; without it told by the path and the keys',
      example: 'troupe',
      safeToIgnore: true,
    },
  ],
  ['$schema', { note: 'for editors; ignored', example: './card.schema.json', safeToIgnore: true }],
  ['instruction', { note: 'the prompt, in a card without a body', example: 'You are …', safeToIgnore: true }],
])
