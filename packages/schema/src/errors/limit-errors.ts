/** Exceeded limits on runs, depth and cost. */
export const LIMIT_ERRORS = {
  agent_cycle: {
    class: 'depth',
    title: 'Agents call each other in a cycle',
    fix: 'Remove one of the calls in the path shown.',
  },
  export_limit: {
    class: 'limit',
    title: 'An exported tool was called more often than its card allows',
    fix: 'Call it again later, or raise `limits` of the tool in `exports.tools`.',
  },
  prompt_too_large: {
    class: 'limit',
    title: 'The arguments make the prompt too long',
    fix: 'Send shorter arguments, or raise `limits.maxPrompt` of the tool in `exports.tools`.',
  },
  model_quota_exceeded: {
    class: 'budget',
    title: 'The quota or the credit at the provider is used up',
    fix: 'Raise the limit or add credit at the provider, or set a fallback model of another provider.',
  },
  model_output_cut: {
    class: 'limit',
    title: 'The answer was cut off by the limit on output tokens',
    fix: 'Raise `maxOutputTokens`.',
  },
  model_output_too_long: {
    class: 'limit',
    title: 'The model did not stop writing',
    fix: 'Set `maxOutputTokens`, or use another model.',
  },
  depth_exceeded: {
    class: 'depth',
    title: 'Agents are nested too deeply',
    fix: 'Raise `limits.maxDepth` or flatten the team.',
  },
  composition_unfinished: {
    class: 'limit',
    title: 'A composition reached its limit before it finished',
    fix: 'Raise `maxRefinements`, `planIterations` or `maxSamples`, or give the agent a smaller task.',
  },
  turns_exceeded: {
    class: 'limit',
    title: 'The agent has used all of its turns',
    fix: 'Raise `limits.maxTurns`.',
  },
  calls_exceeded: {
    class: 'limit',
    title: 'Too many tool calls in one turn',
    fix: 'Raise `limits.maxToolCallsPerTurn` or call fewer tools at once.',
  },
  runs_exceeded: {
    class: 'limit',
    title: 'The run has started too many agents',
    fix: 'Raise `limits.maxRuns`.',
  },
  budget_exceeded: {
    class: 'budget',
    title: 'The budget is used up',
    fix: 'Raise `limits.maxTokens` or `limits.maxCost`.',
  },
  hook_rate_limited: {
    class: 'limit',
    title: 'A hook rejected the call because too many came in a short time',
    fix: 'Wait, or raise `calls` of the hook.',
  },
  url_too_large: {
    class: 'limit',
    title: 'The content of the URL is too large',
    fix: 'Make it smaller, or save it as a file.',
  },
  session_busy: {
    class: 'limit',
    title: 'The conversation has a run that has not ended',
    fix: 'Wait until it ends, or decide on the call that is waiting for approval; see `troupe runs list`.',
  },
} as const
