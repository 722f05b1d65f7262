/** What a key is for, and a value to start from where it has no default. */
export interface KeyNote {
  readonly note: string
  /** YAML, on one line. */
  readonly example?: string
}

/** Every key of a card in the order of the template. That none is missing is pinned by a test. */
export const KEY_NOTES: ReadonlyMap<string, KeyNote> = new Map<string, KeyNote>([
  ['name', { note: 'how others call it; without it the name of the file' }],
  ['description', { note: 'what it does; the model of a parent reads it', example: 'What this agent does' }],
  ['usage', { note: 'an example input', example: 'an example of what to ask' }],
  ['version', { note: 'its version' }],
  ['type', { note: 'agent, chain, parallel, router, orchestrator, evaluator_optimizer' }],
  ['mode', { note: 'interactive, autonomous, tools' }],
  ['default', { note: 'the entry of its folder' }],
  ['hidden', { note: 'offered by no surface, only as a child' }],
  ['model', { note: 'provider/name, or a list in order of fallback', example: 'openai/gpt-5-mini' }],
  ['temperature', { note: 'none: left to the provider', example: '0.7' }],
  ['topP', { note: 'none: left to the provider', example: '0.9' }],
  ['maxOutputTokens', { note: 'tokens of one answer; none: left to the provider', example: '4096' }],
  [
    'reasoning',
    { note: 'provider-default, none, minimal, low, medium, high, xhigh, max', example: 'medium' },
  ],
  ['stopSequences', { note: 'text that ends an answer', example: '[END]' }],
  ['toolName', { note: 'its name as a tool; without it agent__<name>', example: 'research' }],
  ['input', { note: 'text or json; schema: JSON Schema, or the path of a JSON file' }],
  ['output', { note: 'text, markdown or json; schema: JSON Schema, or the path of a JSON file' }],
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
  ['exports', { note: 'its own MCP tools {name, description, parameters, prompt} and A2A skills' }],
  ['skills', { note: 'folders with SKILL.md' }],
  ['limits', { note: 'durations are ms, or text such as 30s, 5m, 1h' }],
  ['historyMode', { note: 'what its children see of its conversation: scratch, fork, fork_and_merge' }],
  ['toolPermission', { note: 'when a person is asked: always, tool, never' }],
  ['requiresApproval', { note: 'globs of tools that need approval' }],
  ['permissions', { note: 'globs of tools; deny beats ask beats allow' }],
  ['runtimeTools', { note: 'shell, filesystem, human, skills, shared' }],
  ['mcpServers', { note: 'definitions of MCP servers: command, args, env, or url, headers' }],
  ['toolPrefix', { note: 'prefix of exported MCP tools: true, false, or text' }],
  ['store', { note: 'what is kept of its runs: none, metadata, full' }],
  [
    'context',
    {
      note: 'when the conversation is too long: strategy trim, summarise or fail; threshold, keepTurns, model',
    },
  ],
  ['acquire', { note: 'fresh, or {pool: N}' }],
  ['display', { note: 'how many children the panel shows' }],
  ['env', { note: 'variables it needs' }],
  ['sequence', { note: 'type chain: the agents in order', example: '[first, second]' }],
  ['cumulative', { note: 'type chain: each reads all answers before its own', example: 'true' }],
  ['fanOut', { note: 'type parallel: the agents that run at once', example: '[one, two]' }],
  ['fanIn', { note: 'type parallel: the agent that joins the answers', example: 'summary' }],
  ['includeRequest', { note: 'type parallel: fanIn reads the request too', example: 'true' }],
  ['planIterations', { note: 'type orchestrator: how often it plans', example: '5' }],
  ['generator', { note: 'type evaluator_optimizer: the agent that writes', example: 'writer' }],
  ['evaluator', { note: 'type evaluator_optimizer: the agent that judges', example: 'critic' }],
  ['minRating', { note: 'type evaluator_optimizer: good enough', example: 'GOOD' }],
  ['maxRefinements', { note: 'type evaluator_optimizer: rounds at most', example: '3' }],
  [
    'refinementInstruction',
    { note: 'type evaluator_optimizer: told with the feedback', example: 'Keep it short.' },
  ],
  ['dialect', { note: 'how the file is read; without it told by the path and the keys', example: 'troupe' }],
  ['$schema', { note: 'for editors; ignored', example: './card.schema.json' }],
  ['instruction', { note: 'the prompt, in a card without a body', example: 'You are …' }],
])
